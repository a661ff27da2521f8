#!/bin/sh
# Installs the test runners that `pnpm run test:live` really runs: those of npm into a folder outside of the tree,
# those of Debian with apt. Prints the folder, which the live tests find by themselves.
set -eu

folder="${NESTBOX_RUNNERS:-${TMPDIR:-/tmp}/nestbox-runners}"
mkdir -p "$folder"
cd "$folder"
[ -f package.json ] || echo '{ "private": true }' >package.json
npm install --no-audit --no-fund --no-package-lock \
  pnpm@^12 yarn@^1 vitest@5.1.2 jest@^30 mocha@^12 @playwright/test@^1.50 >&2

# The package of bun downloads its program in an install script. The programs are packages too, and this one runs on
# every processor.
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) bun="@oven/bun-linux-x64-baseline" ;;
  Linux-aarch64) bun="@oven/bun-linux-aarch64" ;;
  Darwin-arm64) bun="@oven/bun-darwin-aarch64" ;;
  *) bun="@oven/bun-darwin-x64" ;;
esac
npm install --no-audit --no-fund --no-package-lock --ignore-scripts --no-save "$bun@^1.4" >&2
ln -sf "../$bun/bin/bun" node_modules/.bin/bun

missing=""
command -v chromium >/dev/null || command -v google-chrome >/dev/null || missing="$missing chromium"
command -v go >/dev/null || missing="$missing golang-go"
command -v cargo >/dev/null || missing="$missing cargo"
python3 -c 'import pytest' 2>/dev/null || missing="$missing python3-pytest"
if [ -n "$missing" ]; then
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update >&2
  # Word splitting is wanted: one package a word.
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends $missing >&2
fi
# Another Python in front of Debian's has no use of Debian's pytest.
python3 -c 'import pytest' 2>/dev/null || ln -sf /usr/bin/python3 node_modules/.bin/python3
echo "$folder"
