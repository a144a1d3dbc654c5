#!/usr/bin/env bash
# Builds tests/cpu for 64-bit ARM and runs it under QEMU: tests/neon/run.sh [FOLDER, default build/neon]
#
# Twice: on a processor with everything, where all tables are tested, and on one without dot
# products, where the program must do with the scalar table. Says so and exits with 77 where a tool
# is missing. Says nothing about speed.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
folder=${1:-build/neon}

for tool in aarch64-linux-gnu-g++ aarch64-linux-gnu-objdump qemu-aarch64 ninja; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
[ -d /usr/src/googletest ] || { echo "skipped: no /usr/src/googletest" && exit 77; }

fail() {
  echo "neon: $1" >&2
  exit 1
}

cmake -S tests/neon/cross -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  --toolchain "$PWD/tests/neon/cross/aarch64.cmake" >/dev/null
cmake --build "$folder" --target cpu_test
test=$folder/tests/cpu_test
# Another processor, the oldest that QEMU knows: it has NEON and no dot products.
old=(qemu-aarch64 -cpu cortex-a53)

# What is tested below is only worth something if these hold.
qemu-aarch64 -cpu max "$test" --gtest_list_tests >"$folder/tests-max"
"${old[@]}" "$test" --gtest_list_tests >"$folder/tests-old"
grep -q '/neon' "$folder/tests-max" || fail "a processor with dot products does not get the NEON table"
grep -q '/scalar' "$folder/tests-max" || fail "the scalar table is missing"
! grep -q '/neon' "$folder/tests-old" || fail "a processor without dot products gets the NEON table"

# Dot products in the table's own functions and nowhere else.
aarch64-linux-gnu-objdump -d --no-show-raw-insn -C "$test" |
  awk '/^[0-9a-f]+ <.*>:$/ {name = $0} $2 == "sdot" {++count[name ~ /hymt::cpu::/ && name ~ /neon/]}
       END {printf "%d dot products in the NEON kernels, %d elsewhere\n", count[1], count[0]
            exit !(count[1] && !count[0])}' || fail "dot products are missing, or elsewhere"
ctest --test-dir "$folder" --output-on-failure -R '^kernels_neon_export_no_weak_symbol$' --no-tests=error

echo "== All tables, on a processor with dot products"
qemu-aarch64 -cpu max "$test" --gtest_brief=1
echo "== The scalar table, on one without"
"${old[@]}" "$test" --gtest_brief=1
