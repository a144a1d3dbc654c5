#include "cpu/kernels/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace hymt::cpu {

#if defined(__x86_64__)

bool has_avx2() {
  // The builtin asks the operating system's register state too; "f16c" alone is a name that not
  // every compiler knows, and rides on the same state as AVX.
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  return f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool is_amd() {
  return __builtin_cpu_is("amd");
}

bool has_avx_vnni() {
  constexpr unsigned kAvxVnni = 1u << 4;  // of leaf 7, subleaf 1, EAX; no state beyond AVX's
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
}

#else

bool has_avx2() {
  return false;
}
bool is_amd() {
  return false;
}
bool has_avx_vnni() {
  return false;
}
bool has_avx512() {
  return false;
}

#endif

#if defined(__aarch64__)

bool has_neon() {
  const unsigned long wanted = HWCAP_ASIMD | HWCAP_ASIMDDP;
  return (getauxval(AT_HWCAP) & wanted) == wanted;
}

#else

bool has_neon() {
  return false;
}

#endif

}  // namespace hymt::cpu
