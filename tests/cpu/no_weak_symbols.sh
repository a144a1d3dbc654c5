#!/bin/sh
# no_weak_symbols.sh OBJECT...: fails if an object defines a symbol that the linker may choose for
# callers elsewhere (weak functions and objects, unique globals): compiled for a newer processor,
# it would be an illegal instruction on an older one.
set -eu
[ $# -gt 0 ] || { echo "no objects given" >&2; exit 2; }
for object in "$@"; do
  functions=$(nm --defined-only "$object" | grep -c ' T ' || true)
  if [ "$functions" -eq 0 ]; then
    echo "$object defines no function: is this the right file?" >&2
    exit 1
  fi
  # Sanitizers add weak references of their own (undefined: lower case w, v without an address).
  if nm --defined-only "$object" | grep -E ' [WwVvuU] ' | grep -v -E ' (__odr_asan|DW\.ref)'; then
    echo "$object exports the weak symbols above" >&2
    exit 1
  fi
done
