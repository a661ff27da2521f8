#!/bin/sh
# Runs a command that finds the programs of PostgreSQL and the server of Restate.
set -eu
cd "$(dirname "$0")/.."
NESTBOX_POSTGRES="$(sh ../../packages/dbos/scripts/install-postgres.sh)"
export NESTBOX_POSTGRES
sh ../../packages/restate/scripts/install-server.sh >/dev/null
exec "$@"
