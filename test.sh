#!/usr/bin/env bash
# Builds hymt with its tests and runs all of them; see --help.
set -euo pipefail

usage() {
  cat <<'END'
Usage: ./test.sh [--quick] [-R REGEX]

Installs what the tests need (Debian 12 packages, npm packages, Node 20 where there is none),
builds the release preset into build/, runs each fuzzer for a minute, then all tests. Ends with
ctest's summary, and the names of what failed; the exit status is 0 only if everything passed.

  --quick    leave out the slow tests and the fuzzers
  -R REGEX   only the tests whose names match; no fuzzers

Output is kept in build/test-logs/. Tests that need the shared data folder find it through
HYMT_SHARED (default ../shared) and are reported as skipped where it is absent.
END
}

quick=no
fuzz=yes
select=()
while [ $# -gt 0 ]; do
  case $1 in
    --quick)
      quick=yes
      fuzz=no
      ;;
    -R)
      [ $# -ge 2 ] || { usage >&2 && exit 2; }
      select=(-R "$2")
      fuzz=no
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done
[ "$quick" = no ] || select+=(-LE slow)

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
# shellcheck source=tools/lib/setup.sh
. tools/lib/setup.sh
logs=build/test-logs
rm -rf "$logs"
mkdir -p "$logs"
export HYMT_SHARED=${HYMT_SHARED:-$(realpath -m ../shared)}

require_sections build test
require_node
for lock in tests/*/package-lock.json; do
  [ ! -f "$lock" ] || require_modules "$(dirname "$lock")"
done

configure_and_build release build "$logs" -DHYMT_TESTS=ON

failures=()
if [ "$fuzz" = yes ] && [ -x tests/fuzz/run.sh ]; then
  say "Fuzzing: each target for a minute"
  tests/fuzz/run.sh >"$logs/fuzz.log" 2>&1 || failures+=("the fuzzers ($logs/fuzz.log)")
  grep -E '^== ' "$logs/fuzz.log" || true
fi

say "Running the tests"
run_ctest release "$logs/release.log" "${select[@]}" || failures+=("tests ($logs/release.log)")

finish "$logs/release.log" "${failures[@]}"
