#!/bin/sh
# Runs a command that finds the programs of PostgreSQL in NESTBOX_POSTGRES.
set -eu
cd "$(dirname "$0")/.."
NESTBOX_POSTGRES="$(sh scripts/install-postgres.sh)"
export NESTBOX_POSTGRES
exec "$@"
