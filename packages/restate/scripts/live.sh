#!/bin/sh
# Runs a command, and all that it starts, in a network namespace with nothing but loopback: at every start the server
# asks a public address for its newest version, and has no switch for it.
set -eu
cd "$(dirname "$0")/.."
NESTBOX_RESTATE_SERVER="$(sh scripts/install-server.sh)"
export NESTBOX_RESTATE_SERVER PATH="$PATH:/usr/sbin:/sbin"
# Without being root, the user is root in a namespace of users of its own.
root=""
[ "$(id -u)" = 0 ] || root="--map-root-user"
# shellcheck disable=SC2086,SC2016
exec unshare $root --net sh -c 'ip link set lo up && exec "$@"' sh "$@"
