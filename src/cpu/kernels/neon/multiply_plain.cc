// Products of BF16 and F32 weights by FMLA: one chain of additions along k for each output. BF16
// numbers are the upper halves of floats, so that a shift or a mask makes them wide.
#include <string.h>

#include "cpu/kernels/neon/multiply.h"
#include "cpu/kernels/neon/tiles.h"

namespace hymt::cpu::neon {
namespace {

constexpr size_t kGroupBytes = kPairBytes[static_cast<size_t>(Format::f32)];  // BF16's as well
constexpr size_t kAhead = 16 * kGroupBytes;  // that a line has come when its turn is there

struct ProductBf16 {
  static constexpr Format kFormat = Format::bf16;
  static constexpr int kMaxRows = 5;

  template <int M, int P>
  [[gnu::always_inline]] static inline void add_to(Lanes (&acc)[M][P], const Source<P>& source,
                                                   const InputRows& x, int row) {
    const size_t n_pairs = source.n_groups;
    const uint16_t* input = x.bf16 + static_cast<size_t>(row) * 2 * n_pairs;
    const uint32x4_t upper = vdupq_n_u32(0xffff0000);
    for (size_t k = 0; k < n_pairs; ++k) {
      float32x4_t a[M];  // the pair in the first two lanes
      for (int m = 0; m < M; ++m) {
        uint32_t pair;
        memcpy(&pair, input + (static_cast<size_t>(m) * n_pairs + k) * 2, sizeof pair);
        a[m] = vreinterpretq_f32_u32(vshll_n_u16(vcreate_u16(pair), 16));
      }
      for (int p = 0; p < P; ++p) {
        const uint8_t* group =
            source.weights + kVectorBytes * static_cast<size_t>(p) + kGroupBytes * k;
        __builtin_prefetch(group + kAhead);
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) {
          const uint32x4_t pairs = vreinterpretq_u32_u8(vld1q_u8(group + 16 * q));
          const float32x4_t first = vreinterpretq_f32_u32(vshlq_n_u32(pairs, 16));
          const float32x4_t second = vreinterpretq_f32_u32(vandq_u32(pairs, upper));
          for (int m = 0; m < M; ++m) {
            float32x4_t& sum = acc[m][p].quarter[q];
            sum = vfmaq_laneq_f32(sum, first, a[m], 0);
            sum = vfmaq_laneq_f32(sum, second, a[m], 1);
          }
        }
      }
    }
  }
};

struct ProductF32 {
  static constexpr Format kFormat = Format::f32;
  static constexpr int kMaxRows = 5;

  template <int M, int P>
  [[gnu::always_inline]] static inline void add_to(Lanes (&acc)[M][P], const Source<P>& source,
                                                   const InputRows& x, int row) {
    const size_t n = source.n_groups;
    const float* input = x.f32 + static_cast<size_t>(row) * n;
    for (size_t k = 0; k < n; ++k) {
      float32x4_t a[M];
      for (int m = 0; m < M; ++m) a[m] = vdupq_n_f32(input[static_cast<size_t>(m) * n + k]);
      for (int p = 0; p < P; ++p) {
        const uint8_t* group =
            source.weights + kVectorBytes * static_cast<size_t>(p) + kGroupBytes * k;
        __builtin_prefetch(group + kAhead);
        const Lanes w = load(reinterpret_cast<const float*>(group));
        for (int m = 0; m < M; ++m) {
          for (int q = 0; q < 4; ++q) {
            float32x4_t& sum = acc[m][p].quarter[q];
            sum = vfmaq_f32(sum, w.quarter[q], a[m]);
          }
        }
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

}  // namespace hymt::cpu::neon
