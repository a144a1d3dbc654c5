#include "cpu/weights/packed_matrix.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "base/check.h"
#include "checkpoint/quantize.h"

namespace hymt::cpu {
namespace {

using checkpoint::DType;
using checkpoint::Tensor;

constexpr size_t kQ4Pair = kPairBytes[static_cast<size_t>(Format::q4)];
constexpr size_t kQ8Pair = kPairBytes[static_cast<size_t>(Format::q8)];
constexpr size_t kPlainPair = kPairBytes[static_cast<size_t>(Format::f32)];

const std::byte* row_of(const Tensor& tensor, int64_t row) {
  return tensor.data.data() + static_cast<size_t>(row) * row_bytes(tensor.type, tensor.columns());
}

bool fits_bf16(float value) {
  return checkpoint::bf16_to_f32(checkpoint::f32_to_bf16(value)) == value || value != value;
}

// Where a row of a panel goes: its part of the first group and, for block formats, its scale there;
// the same of the next group lies kPairBytes further.
struct RowPlace {
  uint8_t* weights;
  uint8_t* scale;
};

RowPlace place_of(const Panels& shape, uint8_t* groups, int panel, int r) {
  const auto format = static_cast<size_t>(shape.format);
  const auto odd = static_cast<size_t>(panel % 2);
  const auto row = static_cast<size_t>(r);
  uint8_t* group = groups + static_cast<size_t>(panel / 2) * static_cast<size_t>(shape.n_groups) *
                                kPairBytes[format];
  return {group + odd * 64 + 4 * row,
          group + kScalesAt[format] + (odd * kPanelRows + row) * sizeof(uint16_t)};
}

// Writes a row. `numbers` is room for a row of floats.
using PackRow = void (*)(const Tensor& tensor, int64_t row, const Panels& shape, RowPlace to,
                         float* numbers);

// Q8_0: f16 scale, then 32 signed quants. The offset of 128 flips the top bit.
void pack_q8(const Tensor& tensor, int64_t row, const Panels& shape, RowPlace to, float*) {
  const std::byte* block = row_of(tensor, row);
  for (int b = 0; b < shape.n_groups; ++b, block += 34) {
    std::memcpy(to.scale, block, sizeof(uint16_t));
    for (int g = 0; g < 8; ++g) {
      uint32_t four;
      std::memcpy(&four, block + 2 + 4 * g, sizeof four);
      four ^= 0x80808080u;
      std::memcpy(to.weights + kVectorStride * static_cast<size_t>(g), &four, sizeof four);
    }
    to = {to.weights + kQ8Pair, to.scale + kQ8Pair};
  }
}

// Q4_0: f16 scale, then 16 bytes whose low halves are columns 0-15 and whose high halves are
// columns 16-31: already what a panel wants, four bytes at a time.
void pack_q4(const Tensor& tensor, int64_t row, const Panels& shape, RowPlace to, float*) {
  const std::byte* block = row_of(tensor, row);
  for (int b = 0; b < shape.n_groups; ++b, block += 18) {
    std::memcpy(to.scale, block, sizeof(uint16_t));
    for (size_t v = 0; v < 4; ++v) {
      std::memcpy(to.weights + kVectorStride * v, block + 2 + 4 * v, 4);
    }
    to = {to.weights + kQ4Pair, to.scale + kQ4Pair};
  }
}

void pack_bf16(const Tensor& tensor, int64_t row, const Panels& shape, RowPlace to,
               float* numbers) {
  dequantize_row(tensor.type, row_of(tensor, row), shape.n_columns, numbers);
  for (int k = 0; k < shape.n_columns; ++k) {
    const uint16_t bits = checkpoint::f32_to_bf16(numbers[k]);
    std::memcpy(to.weights + kPlainPair * static_cast<size_t>(k / 2) + 2 * (k % 2), &bits,
                sizeof bits);
  }
}

void pack_f32(const Tensor& tensor, int64_t row, const Panels& shape, RowPlace to, float* numbers) {
  dequantize_row(tensor.type, row_of(tensor, row), shape.n_columns, numbers);
  for (int k = 0; k < shape.n_columns; ++k) {
    std::memcpy(to.weights + kPlainPair * static_cast<size_t>(k), numbers + k, sizeof(float));
  }
}

// A row's n columns of one group, the reverse of the above.
using UnpackGroup = void (*)(const uint8_t* weights, float scale, int n, float* out);

void unpack_q8(const uint8_t* weights, float scale, int n, float* out) {
  for (int i = 0; i < n; ++i) {
    out[i] =
        scale *
        static_cast<float>(
            weights[kVectorStride * static_cast<size_t>(i / 4) + static_cast<size_t>(i % 4)] - 128);
  }
}

void unpack_q4(const uint8_t* weights, float scale, int n, float* out) {
  for (int i = 0; i < n / 2; ++i) {
    const int both =
        weights[kVectorStride * static_cast<size_t>(i / 4) + static_cast<size_t>(i % 4)];
    out[i] = scale * static_cast<float>((both & 15) - 8);
    out[n / 2 + i] = scale * static_cast<float>((both >> 4) - 8);
  }
}

void unpack_bf16(const uint8_t* weights, float, int n, float* out) {
  uint16_t pair[2];
  std::memcpy(pair, weights, sizeof pair);
  for (int i = 0; i < n; ++i) out[i] = checkpoint::bf16_to_f32(pair[i]);
}

void unpack_f32(const uint8_t* weights, float, int, float* out) {
  std::memcpy(out, weights, sizeof(float));
}

constexpr PackRow kPackRow[kFormats] = {pack_q4, pack_q8, pack_bf16, pack_f32};
constexpr UnpackGroup kUnpackGroup[kFormats] = {unpack_q4, unpack_q8, unpack_bf16, unpack_f32};

bool has_scales(Format format) {
  return format == Format::q4 || format == Format::q8;
}

// A pair of panels of zeros: the byte 128 for q8, 8 in both halves for q4; scales are 0.
void fill_with_zeros(const Panels& shape, uint8_t* pair) {
  const auto format = static_cast<size_t>(shape.format);
  const int zero = shape.format == Format::q8 ? 0x80 : shape.format == Format::q4 ? 0x88 : 0;
  const size_t weights = kVectorStride * static_cast<size_t>(kGroupVectors[format]);
  for (int group = 0; group < shape.n_groups; ++group, pair += kPairBytes[format]) {
    std::memset(pair, zero, weights);
    std::memset(pair + weights, 0, kPairBytes[format] - weights);
  }
}

std::vector<PackedPanels::Source> sources_of(const Tensor& tensor) {
  std::vector<PackedPanels::Source> sources;
  for (int64_t row = 0; row < tensor.rows(); row += kPanelRows) sources.push_back({&tensor, row});
  return sources;
}

void add_part(PackedMatrix& matrix, PackedPanels part) {
  matrix.n_columns = part.panels().n_columns;
  matrix.n_outputs += part.panels().n_panels * kPanelRows;
  matrix.parts.push_back(std::move(part));
}

}  // namespace

Result<PackedPanels> PackedPanels::pack(Format format, std::span<const Source> sources,
                                        Arena& arena, ThreadPool& pool) {
  HYMT_CHECK(!sources.empty());
  PackedPanels packed;
  Panels& shape = packed.panels_;
  shape.format = format;
  shape.n_columns = static_cast<int>(sources[0].tensor->columns());
  shape.n_panels = static_cast<int>(sources.size());
  const auto f = static_cast<size_t>(format);
  const int unit = kGroupColumns[f];
  shape.n_groups = (shape.n_columns + unit - 1) / unit;

  const int n_pairs = (shape.n_panels + 1) / 2;
  const size_t pair_bytes = static_cast<size_t>(shape.n_groups) * kPairBytes[f];
  packed.bytes_ = static_cast<size_t>(n_pairs) * pair_bytes;
  const auto memory = HYMT_TRY(arena.allocate(packed.bytes_, sources[0].tensor->name));
  packed.groups_ = memory;
  uint8_t* groups = memory.get();
  shape.groups = groups;
  Buffer<float> numbers = HYMT_TRY(Buffer<float>::allocate(
      static_cast<size_t>(pool.size()) * static_cast<size_t>(shape.n_columns), "packing"));

  const auto pack_panel = [&](int panel, float* row_numbers) {
    const Source& source = sources[static_cast<size_t>(panel)];
    const int64_t n_rows = std::min<int64_t>(kPanelRows, source.tensor->rows() - source.first_row);
    for (int r = 0; r < n_rows; ++r) {
      kPackRow[f](*source.tensor, source.first_row + r, shape, place_of(shape, groups, panel, r),
                  row_numbers);
    }
  };
  pool.run([&](int worker) {
    const Share share = share_of(n_pairs, worker, pool.size());
    float* row_numbers =
        numbers.data() + static_cast<size_t>(worker) * static_cast<size_t>(shape.n_columns);
    for (int pair = share.begin; pair < share.end; ++pair) {
      const int end = std::min(2 * pair + 2, shape.n_panels);
      const auto is_short = [&](const Source& source) {
        return source.tensor->rows() - source.first_row < kPanelRows;
      };
      const bool padded = end == 2 * pair + 1 || shape.n_columns % unit != 0 ||
                          std::any_of(sources.begin() + 2 * pair, sources.begin() + end, is_short);
      if (padded) fill_with_zeros(shape, groups + static_cast<size_t>(pair) * pair_bytes);
      for (int panel = 2 * pair; panel < end; ++panel) pack_panel(panel, row_numbers);
    }
  });
  return packed;
}

void PackedPanels::unpack_row(int row, float* out) const {
  const auto f = static_cast<size_t>(panels_.format);
  // Read only: the buffer's own pointer spares a second, const version of place_of.
  RowPlace at =
      place_of(panels_, const_cast<uint8_t*>(panels_.groups), row / kPanelRows, row % kPanelRows);
  for (int k = 0; k < panels_.n_columns; k += kGroupColumns[f]) {
    const int n = std::min(kGroupColumns[f], panels_.n_columns - k);
    float scale = 1;
    if (has_scales(panels_.format)) {
      uint16_t bits;
      std::memcpy(&bits, at.scale, sizeof bits);
      scale = checkpoint::f16_to_f32(bits);
    }
    kUnpackGroup[f](at.weights, scale, n, out + k);
    at = {at.weights + kPairBytes[f], at.scale + kPairBytes[f]};
  }
}

size_t PackedMatrix::bytes() const {
  size_t sum = 0;
  for (const auto& part : parts) sum += part.bytes();
  return sum;
}

Format format_for(const Tensor& tensor, ThreadPool& pool) {
  switch (tensor.type) {
    case DType::q4_0:
      return Format::q4;
    case DType::q8_0:
      return Format::q8;
    case DType::bf16:
      return Format::bf16;
    case DType::f16:
    case DType::f32:
      break;
  }
  std::atomic<bool> exact{true};
  pool.run([&](int worker) {
    const int64_t columns = tensor.columns();
    std::vector<float> numbers(static_cast<size_t>(columns));
    const int64_t begin = tensor.rows() * worker / pool.size();
    const int64_t end = tensor.rows() * (worker + 1) / pool.size();
    for (int64_t row = begin; row < end && exact.load(std::memory_order_relaxed); ++row) {
      dequantize_row(tensor.type, row_of(tensor, row), columns, numbers.data());
      if (!std::all_of(numbers.begin(), numbers.end(), fits_bf16)) {
        exact.store(false, std::memory_order_relaxed);
      }
    }
  });
  return exact ? Format::bf16 : Format::f32;
}

Result<PackedMatrix> pack_stacked(std::span<const Tensor* const> tensors, Arena& arena,
                                  ThreadPool& pool) {
  PackedMatrix matrix;
  std::vector<PackedPanels::Source> sources;
  Format format = Format::f32;
  for (const Tensor* tensor : tensors) {
    const Format next = format_for(*tensor, pool);
    if (!sources.empty() && next != format) {
      add_part(matrix, HYMT_TRY(PackedPanels::pack(format, sources, arena, pool)));
      sources.clear();
    }
    format = next;
    const auto more = sources_of(*tensor);
    sources.insert(sources.end(), more.begin(), more.end());
  }
  add_part(matrix, HYMT_TRY(PackedPanels::pack(format, sources, arena, pool)));
  return matrix;
}

Result<PackedMatrix> pack_interleaved(const Tensor& a, const Tensor& b, Arena& arena,
                                      ThreadPool& pool) {
  HYMT_CHECK(a.rows() == b.rows());
  Format format = format_for(a, pool);
  if (format != format_for(b, pool)) format = Format::f32;
  std::vector<PackedPanels::Source> sources;
  for (int64_t row = 0; row < a.rows(); row += kPanelRows) {
    sources.push_back({&a, row});
    sources.push_back({&b, row});
  }
  PackedMatrix matrix;
  add_part(matrix, HYMT_TRY(PackedPanels::pack(format, sources, arena, pool)));
  return matrix;
}

}  // namespace hymt::cpu
