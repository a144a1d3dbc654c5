#!/usr/bin/env bash
# clang-tidy with .clang-tidy over the sources, as the release preset compiles them.
#
#   tools/tidy.sh [FILE.cc...]      default: all of src/; headers are checked where they are included
set -euo pipefail
called_from=$PWD
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
command -v clang-tidy-14 >/dev/null || { echo "tidy: apt-get install clang-tidy-14" >&2 && exit 1; }
[ -f build/compile_commands.json ] || { echo "tidy: cmake --preset release first" >&2 && exit 1; }

files=()
for file; do
  files+=("$(cd "$called_from" && realpath "$file")")
done
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(find src -name '*.cc' | sort)

# GCC's own flags mean nothing to clang.
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" \
  clang-tidy-14 -p build --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument 2>/dev/null |
  { grep --line-buffered -v '^$' || true; } | tee build/tidy.log
! grep -qE '(warning|error):' build/tidy.log
