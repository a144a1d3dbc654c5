// Products of 4-bit and 8-bit weights with 8-bit inputs, by SDOT.
//
// One SDOT adds, in each of four outputs, four weights times four numbers of the input, which it
// takes from any quarter of a register: a vector of a panel's group is four operands, and 16 bytes
// of an input serve four vectors. A tile goes through a block of 32 columns a few outputs after the
// other, so that next to the few integers under way there is room for all of the tile's float sums
// and the block's inputs. Sums are exact in integers; each block is then scaled and added in fp32,
// blocks in order.
#include "cpu/kernels/neon/multiply.h"
#include "cpu/kernels/neon/tiles.h"

namespace hymt::cpu::neon {
namespace {

// A block of M input rows.
template <int M>
struct BlockInputs {
  size_t index[M];         // of the block among all rows' blocks
  int8x16_t quants[M][2];  // columns 0-15 and 16-31
};

// Of M rows with 4 * Q outputs.
template <int M, int Q>
using Sums = int32x4_t[M][Q];

// Adds the products with columns 16 * kHalf + 4 * kGroup and the three after it.
template <int kHalf, int kGroup, int M, int Q>
inline void add_group(const int8x16_t (&weights)[Q], const BlockInputs<M>& x, Sums<M, Q>& sums) {
  for (int m = 0; m < M; ++m) {
    for (int q = 0; q < Q; ++q) {
      sums[m][q] = vdotq_laneq_s32(sums[m][q], weights[q], x.quants[m][kHalf], kGroup);
    }
  }
}

// 4-bit weights, used unsigned: sums start from what undoes their offset.
struct Nibbles {
  static constexpr Format kFormat = Format::q4;
  static constexpr size_t kGroupsAhead = 4;

  static inline int32x4_t start(const InputRows& x, size_t block) {
    return vdupq_n_s32(x.starts_q4[block]);
  }

  template <int kVector, int M, int Q>
  static inline void add_vector(const uint8_t* weights, const BlockInputs<M>& x, Sums<M, Q>& sums) {
    int8x16_t low[Q], high[Q];
    for (int q = 0; q < Q; ++q) {
      const uint8x16_t both = vld1q_u8(weights + kVectorStride * kVector + 16 * q);
      low[q] = vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15)));
      high[q] = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
    }
    add_group<0, kVector, M, Q>(low, x, sums);
    add_group<1, kVector, M, Q>(high, x, sums);
  }

  // `weights`: the block, at the first of the outputs.
  template <int M, int Q>
  static inline void add_block(const uint8_t* weights, const BlockInputs<M>& x, Sums<M, Q>& sums) {
    add_vector<0, M, Q>(weights, x, sums);
    add_vector<1, M, Q>(weights, x, sums);
    add_vector<2, M, Q>(weights, x, sums);
    add_vector<3, M, Q>(weights, x, sums);
  }
};

// 8-bit weights with an offset of 128, which to subtract is to flip the top bit.
struct Bytes {
  static constexpr Format kFormat = Format::q8;
  static constexpr size_t kGroupsAhead = 2;

  static inline int32x4_t start(const InputRows&, size_t) { return vdupq_n_s32(0); }

  template <int kVector, int M, int Q>
  static inline void add_vector(const uint8_t* weights, const BlockInputs<M>& x, Sums<M, Q>& sums) {
    int8x16_t w[Q];
    for (int q = 0; q < Q; ++q) {
      const uint8x16_t stored = vld1q_u8(weights + kVectorStride * kVector + 16 * q);
      w[q] = vreinterpretq_s8_u8(veorq_u8(stored, vdupq_n_u8(128)));
    }
    add_group<kVector / 4, kVector % 4, M, Q>(w, x, sums);
  }

  template <int M, int Q>
  static inline void add_block(const uint8_t* weights, const BlockInputs<M>& x, Sums<M, Q>& sums) {
    add_vector<0, M, Q>(weights, x, sums);
    add_vector<1, M, Q>(weights, x, sums);
    add_vector<2, M, Q>(weights, x, sums);
    add_vector<3, M, Q>(weights, x, sums);
    add_vector<4, M, Q>(weights, x, sums);
    add_vector<5, M, Q>(weights, x, sums);
    add_vector<6, M, Q>(weights, x, sums);
    add_vector<7, M, Q>(weights, x, sums);
  }
};

template <class Weights>
struct Product {
  static constexpr Format kFormat = Weights::kFormat;
  static constexpr int kMaxRows = 4;

  // Adds a block's products to quarters [quarter, quarter + Q) of the sums with panel p.
  template <int Q, int M, int P>
  [[gnu::always_inline]] static inline void add_quarters(Lanes (&acc)[M][P], int p, int quarter,
                                                         const uint8_t* weights,
                                                         const uint16_t* scales, const InputRows& x,
                                                         const BlockInputs<M>& inputs) {
    Sums<M, Q> sums;
    for (int m = 0; m < M; ++m) {
      for (int32x4_t& sum : sums[m]) sum = Weights::start(x, inputs.index[m]);
    }
    Weights::template add_block<M, Q>(weights + 16 * quarter, inputs, sums);
    for (int q = 0; q < Q; ++q) {
      const float32x4_t weight_scale = load_f16_quarter(scales + 4 * (quarter + q));
      for (int m = 0; m < M; ++m) {
        const float32x4_t scale = vmulq_n_f32(weight_scale, x.scales[inputs.index[m]]);
        float32x4_t& sum = acc[m][p].quarter[quarter + q];
        sum = vfmaq_f32(sum, vcvtq_f32_s32(sums[m][q]), scale);
      }
    }
  }

  template <int M, int P>
  [[gnu::always_inline]] static inline void add_to(Lanes (&acc)[M][P], const Source<P>& source,
                                                   const InputRows& x, int row) {
    constexpr int Q = M == 1 ? 4 : M == 2 ? 2 : 1;  // four sums: none waits for its last addition
    constexpr size_t kBytes = kPairBytes[static_cast<size_t>(kFormat)];
    constexpr size_t kScales = kBytes / sizeof *source.scales;  // from block to block
    const size_t n_blocks = source.n_groups;
    for (size_t b = 0; b < n_blocks; ++b) {
      BlockInputs<M> inputs;
      for (int m = 0; m < M; ++m) {
        inputs.index[m] = static_cast<size_t>(row + m) * n_blocks + b;
        const int8_t* quants = x.quants + inputs.index[m] * kBlockColumns;
        inputs.quants[m][0] = vld1q_s8(quants);
        inputs.quants[m][1] = vld1q_s8(quants + 16);
      }
      for (int p = 0; p < P; ++p) {
        const auto panel = static_cast<size_t>(p);
        const uint8_t* weights = source.weights + panel * kVectorBytes + b * kBytes;
        const uint16_t* scales = source.scales + panel * kPanelRows + b * kScales;
        // Far enough ahead that a line has come from memory when its turn is there.
        for (int v = 0; v < kGroupVectors[static_cast<size_t>(kFormat)]; ++v) {
          __builtin_prefetch(weights + Weights::kGroupsAhead * kBytes +
                             kVectorStride * static_cast<size_t>(v));
        }
        __builtin_prefetch(scales + Weights::kGroupsAhead * kScales);
#pragma GCC unroll 4
        for (int quarter = 0; quarter < 4; quarter += Q) {
          add_quarters<Q>(acc, p, quarter, weights, scales, x, inputs);
        }
      }
    }
  }
};

}  // namespace

void multiply_q4(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  all_panels<Product<Nibbles>>(w, first, last, x, out);
}
void multiply_q8(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  all_panels<Product<Bytes>>(w, first, last, x, out);
}

}  // namespace hymt::cpu::neon
