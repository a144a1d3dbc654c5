// Products of BF16 and F32 weights by FMA: one chain of additions along k for each output.
#include <immintrin.h>
#include <string.h>

#include "cpu/kernels/avx2/multiply.h"
#include "cpu/kernels/avx2/tiles.h"

namespace hymt::cpu::avx2 {
namespace {

// Rows of floats.
struct Floats {
  const float* row;  // the first
  size_t stride;     // floats from row to row
};

// Twelve chains: enough to hide an addition's latency.
constexpr int kRows = 6;

// The numbers of pairs of BF16. Shifts alone: a mask would need a register, and with twelve chains
// GCC has none left.
inline __m256 first_of_pairs(const __m256i* pairs) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_load_si256(pairs), 16));
}
inline __m256 second_of_pairs(const __m256i* pairs) {
  const __m256i number = _mm256_srli_epi32(_mm256_load_si256(pairs), 16);
  return _mm256_castsi256_ps(_mm256_slli_epi32(number, 16));
}

// acc[m] += the products of one column.
template <int M, int R>
inline void add_column(const __m256 (&weights)[R], const float* x, size_t stride,
                       __m256 (&acc)[M][R]) {
  for (int m = 0; m < M; ++m) {
    const __m256 input = _mm256_set1_ps(x[static_cast<size_t>(m) * stride]);
    for (int r = 0; r < R; ++r) acc[m][r] = _mm256_fmadd_ps(weights[r], input, acc[m][r]);
  }
}

struct ProductBf16 {
  static constexpr Format kFormat = Format::bf16;
  static constexpr int kMaxRows = kRows;
  using Input = Floats;

  // As floats, so that the sums can broadcast them straight from memory.
  static inline Input prepare(const InputRows& x, int row, int n, void* scratch) {
    auto* floats = static_cast<float*>(scratch);
    const auto even = static_cast<size_t>(x.n_columns + x.n_columns % 2);
    const uint16_t* from = x.bf16 + static_cast<size_t>(row) * even;
    const size_t count = static_cast<size_t>(n) * even;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      const __m256i wide = _mm256_slli_epi32(_mm256_cvtepu16_epi32(eight), 16);
      _mm256_store_ps(floats + i, _mm256_castsi256_ps(wide));
    }
    for (; i < count; ++i) {
      const uint32_t bits = static_cast<uint32_t>(from[i]) << 16;
      memcpy(floats + i, &bits, sizeof bits);
    }
    return {floats, even};
  }

  template <int M, int R>
  static inline void add(const Chunk& chunk, const Input& input, __m256 (&acc)[M][R]) {
    const uint8_t* group = chunk.groups;
    const float* x = input.row + 2 * chunk.first_group;
    for (size_t k = 0; k < chunk.n_groups; ++k, group += kVectorStride, x += 2) {
      if (R == 2 && chunk.asking) prefetch<kFormat>(group + kAhead);
      const auto* pairs = reinterpret_cast<const __m256i*>(group);
      __m256 first[R], second[R];
      for (int r = 0; r < R; ++r) first[r] = first_of_pairs(pairs + r);
      add_column<M, R>(first, x, input.stride, acc);
      for (int r = 0; r < R; ++r) second[r] = second_of_pairs(pairs + r);
      add_column<M, R>(second, x + 1, input.stride, acc);
    }
  }
};

struct ProductF32 {
  static constexpr Format kFormat = Format::f32;
  static constexpr int kMaxRows = kRows;
  using Input = Floats;

  static inline Input prepare(const InputRows& x, int row, int, void*) {
    const auto stride = static_cast<size_t>(x.n_columns);
    return {x.f32 + static_cast<size_t>(row) * stride, stride};
  }

  template <int M, int R>
  static inline void add(const Chunk& chunk, const Input& input, __m256 (&acc)[M][R]) {
    const uint8_t* group = chunk.groups;
    const float* x = input.row + chunk.first_group;
    for (size_t k = 0; k < chunk.n_groups; ++k, group += kVectorStride, ++x) {
      if (R == 2 && chunk.asking) prefetch<kFormat>(group + kAhead);
      __m256 column[R];
      for (int r = 0; r < R; ++r) {
        column[r] = _mm256_load_ps(reinterpret_cast<const float*>(group) + 8 * r);
      }
      add_column<M, R>(column, x, input.stride, acc);
    }
  }
};

}  // namespace

void multiply_bf16(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                   void* scratch) {
  all_tiles<ProductBf16>(w, first, last, x, out, scratch);
}
void multiply_f32(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                  void* scratch) {
  all_tiles<ProductF32>(w, first, last, x, out, scratch);
}

}  // namespace hymt::cpu::avx2
