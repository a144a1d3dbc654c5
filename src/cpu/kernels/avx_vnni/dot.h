// VPDPBUSD on registers of 256 bits. Internal linkage, see panels.h.
#pragma once

#include <immintrin.h>

namespace hymt::cpu {
namespace {

// sum + the products of four unsigned and four signed bytes, in each of eight lanes. The flags say
// which of the instruction's two encodings it gets; a compiler has a name for each.
inline __m256i add_products(__m256i sum, __m256i unsigned_bytes, __m256i signed_bytes) {
#if defined(__AVXVNNI__)
  return _mm256_dpbusd_avx_epi32(sum, unsigned_bytes, signed_bytes);
#else
  return _mm256_dpbusd_epi32(sum, unsigned_bytes, signed_bytes);
#endif
}

}  // namespace
}  // namespace hymt::cpu
