#!/bin/sh
# Installs the server that the live tests run, into a folder outside of the tree, and what gives it a network of its
# own. Does nothing where it is there already. Prints the path of the program.
set -eu

version="1.7.12"
folder="${NESTBOX_RESTATE:-${TMPDIR:-/tmp}/nestbox-restate-server}"
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) server="@restatedev/restate-server-linux-x64" ;;
  Linux-aarch64) server="@restatedev/restate-server-linux-arm64" ;;
  *)
    echo "The live tests need a network namespace, which only Linux has" >&2
    exit 1
    ;;
esac
program="$folder/node_modules/$server/bin/restate-server"
if ! grep -q "\"version\": \"$version\"" "$folder/node_modules/$server/package.json" 2>/dev/null; then
  mkdir -p "$folder"
  cd "$folder"
  [ -f package.json ] || echo '{ "private": true }' >package.json
  # The package of the program itself: the one in front of it sends statistics when it is installed.
  npm install --no-audit --no-fund --no-package-lock --ignore-scripts "$server@$version" >&2
fi

missing=""
command -v unshare >/dev/null || missing="$missing util-linux"
command -v ip >/dev/null || [ -x /usr/sbin/ip ] || missing="$missing iproute2"
if [ -n "$missing" ]; then
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update >&2
  # Word splitting is wanted: one package a word.
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends $missing >&2
fi
echo "$program"
