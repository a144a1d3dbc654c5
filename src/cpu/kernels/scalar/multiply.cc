// Matrix products over packed panels, one panel and one input row at a time.
#include <cmath>

#include "cpu/kernels/scalar/numbers.h"
#include "cpu/kernels/scalar/scalar.h"

namespace hymt::cpu::scalar {
namespace {

constexpr int kRows = kPanelRows;
constexpr int kStride = static_cast<int>(kVectorStride);

// The 16 products of one panel with input row `row`, in `sums`; one function a format.
using PanelProduct = void (*)(const Panels& w, int panel, const InputRows& x, int row, float* sums);

const uint8_t* pair_of(const Panels& w, int panel, int group) {
  const size_t index =
      static_cast<size_t>(panel / 2) * static_cast<size_t>(w.n_groups) + static_cast<size_t>(group);
  return w.groups + index * kPairBytes[static_cast<size_t>(w.format)];
}

const uint8_t* group_of(const Panels& w, int panel, int group) {
  return pair_of(w, panel, group) + panel % 2 * 64;
}

const uint16_t* scales_of(const Panels& w, int panel, int block) {
  const uint8_t* scales = pair_of(w, panel, block) + kScalesAt[static_cast<size_t>(w.format)];
  return reinterpret_cast<const uint16_t*>(scales) + panel % 2 * kRows;
}

// Adds one block: dot is exact, then scaled.
void add_block(const int32_t* dot, const uint16_t* weight_scales, float input_scale, float* sums) {
  for (int r = 0; r < kRows; ++r) {
    sums[r] += static_cast<float>(dot[r]) * (from_f16(weight_scales[r]) * input_scale);
  }
}

void product_q8(const Panels& w, int panel, const InputRows& x, int row, float* sums) {
  const size_t blocks = static_cast<size_t>(row) * static_cast<size_t>(w.n_groups);
  for (int b = 0; b < w.n_groups; ++b) {
    const size_t block = blocks + static_cast<size_t>(b);
    const uint8_t* weights = group_of(w, panel, b);
    const int8_t* quants = x.quants + block * kBlockColumns;
    int32_t dot[kRows];
    for (int32_t& d : dot) d = x.starts_q8[block];
    for (int g = 0; g < 8; ++g) {
      for (int r = 0; r < kRows; ++r) {
        for (int j = 0; j < 4; ++j) dot[r] += weights[g * kStride + r * 4 + j] * quants[g * 4 + j];
      }
    }
    add_block(dot, scales_of(w, panel, b), x.scales[block], sums);
  }
}

void product_q4(const Panels& w, int panel, const InputRows& x, int row, float* sums) {
  const size_t blocks = static_cast<size_t>(row) * static_cast<size_t>(w.n_groups);
  for (int b = 0; b < w.n_groups; ++b) {
    const size_t block = blocks + static_cast<size_t>(b);
    const uint8_t* weights = group_of(w, panel, b);
    const int8_t* quants = x.quants + block * kBlockColumns;
    int32_t dot[kRows];
    for (int32_t& d : dot) d = x.starts_q4[block];
    for (int v = 0; v < 4; ++v) {
      for (int r = 0; r < kRows; ++r) {
        for (int j = 0; j < 4; ++j) {
          const int nibbles = weights[v * kStride + r * 4 + j];
          dot[r] += (nibbles & 15) * quants[v * 4 + j];
          dot[r] += (nibbles >> 4) * quants[16 + v * 4 + j];
        }
      }
    }
    add_block(dot, scales_of(w, panel, b), x.scales[block], sums);
  }
}

void product_bf16(const Panels& w, int panel, const InputRows& x, int row, float* sums) {
  const uint16_t* input = x.bf16 + static_cast<size_t>(row) * 2 * static_cast<size_t>(w.n_groups);
  for (int g = 0; g < w.n_groups; ++g) {
    const auto* pair = reinterpret_cast<const uint16_t*>(group_of(w, panel, g));
    const float first = from_bf16(input[2 * g]);
    const float second = from_bf16(input[2 * g + 1]);
    for (int r = 0; r < kRows; ++r) {
      sums[r] += from_bf16(pair[2 * r]) * first;
      sums[r] += from_bf16(pair[2 * r + 1]) * second;
    }
  }
}

void product_f32(const Panels& w, int panel, const InputRows& x, int row, float* sums) {
  const float* input = x.f32 + static_cast<size_t>(row) * static_cast<size_t>(w.n_groups);
  for (int k = 0; k < w.n_groups; ++k) {
    const auto* column = reinterpret_cast<const float*>(group_of(w, panel, k));
    for (int r = 0; r < kRows; ++r) sums[r] += column[r] * input[k];
  }
}

float silu(float x) {
  return x / (1 + std::exp(-x));
}

template <PanelProduct product>
void multiply(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out) {
  for (int row = 0; row < x.n_rows; ++row) {
    float* y = out.y + static_cast<size_t>(row) * out.stride;
    if (out.epilogue == Epilogue::swiglu) {
      for (int panel = first; panel < last; panel += 2, y += kRows) {
        float gate[kRows] = {};
        float up[kRows] = {};
        product(w, panel, x, row, gate);
        product(w, panel + 1, x, row, up);
        for (int r = 0; r < kRows; ++r) y[r] = silu(gate[r]) * up[r];
      }
    } else {
      for (int panel = first; panel < last; ++panel, y += kRows) {
        float sums[kRows] = {};
        product(w, panel, x, row, sums);
        for (int r = 0; r < kRows; ++r) {
          y[r] = out.epilogue == Epilogue::add ? y[r] + sums[r] : sums[r];
        }
      }
    }
  }
}

}  // namespace

void multiply_q4(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  multiply<product_q4>(w, first, last, x, out);
}
void multiply_q8(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  multiply<product_q8>(w, first, last, x, out);
}
void multiply_bf16(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                   void*) {
  multiply<product_bf16>(w, first, last, x, out);
}
void multiply_f32(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                  void*) {
  multiply<product_f32>(w, first, last, x, out);
}

}  // namespace hymt::cpu::scalar
