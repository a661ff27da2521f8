#!/bin/sh
# Installs the PostgreSQL that the live tests run, from the system's packages. Does nothing where one is there already,
# and starts no service. Prints the folder of its programs.
set -eu

programs() {
  command -v pg_config >/dev/null 2>&1 && [ -x "$(pg_config --bindir)/initdb" ] && pg_config --bindir && return
  for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV); do
    [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && echo "$folder" && return
  done
  return 1
}

if ! programs; then
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update >&2
  # The package of the server makes a cluster and starts it as a service, unless it is told not to.
  $as_root mkdir -p /etc/postgresql-common/createcluster.d
  echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.d/nestbox.conf >/dev/null
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends postgresql >&2
  programs
fi
