// Products of BF16 weights by VDPBF16PS, and of F32 weights by FMA: one chain of additions along k
// for each output.
#include <immintrin.h>
#include <string.h>

#include "cpu/kernels/avx512/multiply.h"
#include "cpu/kernels/avx512/tiles.h"

namespace hymt::cpu::avx512 {
namespace {

constexpr int kPrefetchBytes = 2048;

struct ProductBf16 {
  static constexpr int kMaxRows = 12;

  template <int M, int P>
  static inline void sums(const Source<P>& source, const InputRows& x, int row,
                          __m512 (&acc)[M][P]) {
    const auto n_pairs = static_cast<size_t>(source.n_groups);
    const uint16_t* input = x.bf16 + static_cast<size_t>(row) * 2 * n_pairs;
    for (int m = 0; m < M; ++m) {
      for (int p = 0; p < P; ++p) acc[m][p] = _mm512_setzero_ps();
    }
    for (size_t k = 0; k < n_pairs; ++k) {
      __m512i w[P];
      for (int p = 0; p < P; ++p) {
        const uint8_t* at = source.weights[p] + 64 * k;
        w[p] = _mm512_load_si512(at);
        _mm_prefetch(reinterpret_cast<const char*>(at + kPrefetchBytes), _MM_HINT_T0);
      }
      for (int m = 0; m < M; ++m) {
        int32_t pair;
        memcpy(&pair, input + (static_cast<size_t>(m) * n_pairs + k) * 2, sizeof pair);
        const auto a = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
        for (int p = 0; p < P; ++p) {
          acc[m][p] = _mm512_dpbf16_ps(acc[m][p], reinterpret_cast<__m512bh>(w[p]), a);
        }
      }
    }
  }
};

struct ProductF32 {
  static constexpr int kMaxRows = 12;

  template <int M, int P>
  static inline void sums(const Source<P>& source, const InputRows& x, int row,
                          __m512 (&acc)[M][P]) {
    const auto n = static_cast<size_t>(source.n_groups);
    const float* input = x.f32 + static_cast<size_t>(row) * n;
    for (int m = 0; m < M; ++m) {
      for (int p = 0; p < P; ++p) acc[m][p] = _mm512_setzero_ps();
    }
    for (size_t k = 0; k < n; ++k) {
      __m512 w[P];
      for (int p = 0; p < P; ++p) w[p] = _mm512_load_ps(source.weights[p] + 64 * k);
      for (int m = 0; m < M; ++m) {
        const __m512 a = _mm512_set1_ps(input[static_cast<size_t>(m) * n + k]);
        for (int p = 0; p < P; ++p) acc[m][p] = _mm512_fmadd_ps(w[p], a, acc[m][p]);
      }
    }
  }
};

}  // namespace

void multiply_bf16(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                   void*) {
  stream_panels<ProductBf16>(w, first, last, x, out, 64);
}

void multiply_f32(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                  void*) {
  stream_panels<ProductF32>(w, first, last, x, out, 64);
}

}  // namespace hymt::cpu::avx512
