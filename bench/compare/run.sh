#!/usr/bin/env bash
# hymt and llama.cpp (npm node-llama-cpp, as tests/conformance installs it) on the same random model
# of a published shape: the processes take turns, and the medians of all rounds are printed.
set -euo pipefail

usage() {
  cat <<'END'
Usage: bench/compare/run.sh [--shape 1.8b|7b] [--type q4_0|q8_0|bf16] [--decode 1,8,32]
                            [--prefill 512] [--rounds 3] [--json]

Makes the model (1 to 16 GB) in build/bench/ if it is missing. --json: one object a line,
{"engine", "test": "prefill" | "decode", "batch", "tok_per_s"}; otherwise a table with the ratio.
END
}

shape=1.8b type=q4_0 decode=1,8,32 prefill=512 rounds=3 json=no
while [ $# -gt 0 ]; do
  case $1 in
    --shape | --type | --decode | --prefill | --rounds)
      [ $# -ge 2 ] || { usage >&2 && exit 2; }
      printf -v "${1#--}" '%s' "$2"
      shift
      ;;
    --json) json=yes ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done
case $shape in
  1.8b) name=hy-mt1.5-1.8b ;;
  7b) name=hunyuan-mt-7b ;;
  *) usage >&2 && exit 2 ;;
esac

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$here/../../build
model=$build/bench/$name-$type.gguf
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
[ -f "$model" ] || "$build/bench/make_model" --shape "$name" --type "$type" --seed 1 "$model" >&2
[ -d "$here/../../tests/conformance/node_modules" ] || (cd "$here/../../tests/conformance" && npm ci >&2)

for ((round = 0; round < rounds; ++round)); do
  "$build/hymt" bench --model "$model" --prefill "$prefill" --decode "$decode" --repeat 1 --json >>"$rows"
  node "$here/peer.mjs" "$model" "$prefill" ${decode//,/ } >>"$rows"
done
exec /usr/bin/env python3 "$here/medians.py" "$json" <"$rows"
