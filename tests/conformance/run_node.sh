#!/bin/sh
# Runs a script with Node 20 or newer; ends with 77, which ctest reports as skipped, without it.
if ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' 2>/dev/null; then
  echo "skipped: needs Node 20"
  exit 77
fi
exec node "$@"
