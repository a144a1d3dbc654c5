// Products of BF16 weights by VDPBF16PS, and of F32 weights by FMA.
#include <immintrin.h>
#include <string.h>

#include "cpu/kernels/avx512/multiply.h"
#include "cpu/kernels/avx512/tiles.h"

namespace hymt::cpu::avx512 {
namespace {

struct ProductBf16 {
  static constexpr Format kFormat = Format::bf16;
  static constexpr int kUsualRows = 12;
  static constexpr int kMaxRows = 12;
  static constexpr int kWaitingRows = 5;

  template <int M>
  static inline void add(const Chunk& chunk, const InputRows& x, int row, __m512 (&acc)[M][2]) {
    const size_t stride = (static_cast<size_t>(x.n_columns) + 1) / 2 * 2;
    const uint16_t* input = x.bf16 + static_cast<size_t>(row) * stride + chunk.first_group * 2;
    const uint8_t* group = chunk.groups;
    for (size_t k = 0; k < chunk.n_groups; ++k, group += 128, input += 2) {
      if (k >= chunk.asking && k < chunk.asked) {
        prefetch(group + chunk.ahead);
        prefetch(group + chunk.ahead + 64);
      }
      const auto even = reinterpret_cast<__m512bh>(_mm512_load_si512(group));
      const auto odd = reinterpret_cast<__m512bh>(_mm512_load_si512(group + 64));
      for (int m = 0; m < M; ++m) {
        int32_t pair;
        memcpy(&pair, input + static_cast<size_t>(m) * stride, sizeof pair);
        const auto a = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
        acc[m][0] = _mm512_dpbf16_ps(acc[m][0], even, a);
        acc[m][1] = _mm512_dpbf16_ps(acc[m][1], odd, a);
      }
    }
  }
};

struct ProductF32 {
  static constexpr Format kFormat = Format::f32;
  static constexpr int kUsualRows = 12;
  static constexpr int kMaxRows = 12;
  static constexpr int kWaitingRows = 5;

  template <int M>
  static inline void add(const Chunk& chunk, const InputRows& x, int row, __m512 (&acc)[M][2]) {
    const auto stride = static_cast<size_t>(x.n_columns);
    const float* input = x.f32 + static_cast<size_t>(row) * stride + chunk.first_group;
    const uint8_t* group = chunk.groups;
    for (size_t k = 0; k < chunk.n_groups; ++k, group += 128) {
      if (k >= chunk.asking && k < chunk.asked) {
        prefetch(group + chunk.ahead);
        prefetch(group + chunk.ahead + 64);
      }
      const __m512 even = _mm512_load_ps(group);
      const __m512 odd = _mm512_load_ps(group + 64);
      for (int m = 0; m < M; ++m) {
        const __m512 a = _mm512_set1_ps(input[static_cast<size_t>(m) * stride + k]);
        acc[m][0] = _mm512_fmadd_ps(even, a, acc[m][0]);
        acc[m][1] = _mm512_fmadd_ps(odd, a, acc[m][1]);
      }
    }
  }
};

}  // namespace

void multiply_bf16(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                   void*) {
  all_panels<ProductBf16>(w, first, last, x, out);
}

void multiply_f32(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                  void*) {
  all_panels<ProductF32>(w, first, last, x, out);
}

}  // namespace hymt::cpu::avx512
