#!/bin/bash
# Builds the fuzzers and runs each for a time: tests/fuzz/run.sh [SECONDS, default 60]
# Exits with 1 on a finding; the input that caused it is kept under build-fuzz/findings/.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}

command -v clang++-14 >/dev/null || { echo "clang-14 is needed: apt-get install clang-14" >&2; exit 1; }
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzzers -j "$(nproc)"

findings=$PWD/build-fuzz/findings
mkdir -p "$findings"
failed=0
for source in tests/fuzz/*_fuzz.cc; do
  name=$(basename "$source" _fuzz.cc)
  # A copy: what the fuzzer adds belongs to this run only.
  corpus=$(mktemp -d)
  cp -r tests/fuzz/corpus/"$name"/. "$corpus"
  echo "== ${name}_fuzz for $seconds s"
  if ! build-fuzz/tests/fuzz/"${name}_fuzz" -max_total_time="$seconds" -timeout=10 \
      -rss_limit_mb=1024 -malloc_limit_mb=512 -print_final_stats=1 -verbosity=0 \
      -artifact_prefix="$findings/$name-" "$corpus"; then
    echo "== ${name}_fuzz found something: see $findings" >&2
    failed=1
  fi
  rm -rf "$corpus"
done
exit $failed
