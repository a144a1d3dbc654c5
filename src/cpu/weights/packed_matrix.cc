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

constexpr size_t group_bytes(Format format) {
  return format == Format::q4 ? 256 : format == Format::q8 ? 512 : 64;
}
constexpr int group_columns(Format format) {
  return format == Format::bf16 ? 2 : format == Format::f32 ? 1 : kBlockColumns;
}

const std::byte* row_of(const Tensor& tensor, int64_t row) {
  return tensor.data.data() + static_cast<size_t>(row) * row_bytes(tensor.type, tensor.columns());
}

bool fits_bf16(float value) {
  return checkpoint::bf16_to_f32(checkpoint::f32_to_bf16(value)) == value || value != value;
}

// Writes row r of one panel. `numbers` is room for a row of floats.
using PackRow = void (*)(const Tensor& tensor, int64_t row, int r, const Panels& shape,
                         uint8_t* weights, uint16_t* scales, float* numbers);

// Q8_0: f16 scale, then 32 signed quants. The offset of 128 flips the top bit.
void pack_q8(const Tensor& tensor, int64_t row, int r, const Panels& shape, uint8_t* weights,
             uint16_t* scales, float*) {
  const std::byte* block = row_of(tensor, row);
  for (int b = 0; b < shape.n_groups; ++b, block += 34, weights += 512, scales += kPanelRows) {
    std::memcpy(scales + r, block, sizeof(uint16_t));
    for (int g = 0; g < 8; ++g) {
      uint32_t four;
      std::memcpy(&four, block + 2 + 4 * g, sizeof four);
      four ^= 0x80808080u;
      std::memcpy(weights + 64 * g + 4 * r, &four, sizeof four);
    }
  }
}

// Q4_0: f16 scale, then 16 bytes whose low halves are columns 0-15 and whose high halves are
// columns 16-31: already what a panel wants, four bytes at a time.
void pack_q4(const Tensor& tensor, int64_t row, int r, const Panels& shape, uint8_t* weights,
             uint16_t* scales, float*) {
  const std::byte* block = row_of(tensor, row);
  for (int b = 0; b < shape.n_groups; ++b, block += 18, weights += 256, scales += kPanelRows) {
    std::memcpy(scales + r, block, sizeof(uint16_t));
    for (int v = 0; v < 4; ++v) std::memcpy(weights + 64 * v + 4 * r, block + 2 + 4 * v, 4);
  }
}

void pack_bf16(const Tensor& tensor, int64_t row, int r, const Panels& shape, uint8_t* weights,
               uint16_t*, float* numbers) {
  dequantize_row(tensor.type, row_of(tensor, row), shape.n_columns, numbers);
  for (int k = 0; k < shape.n_columns; ++k) {
    const uint16_t bits = checkpoint::f32_to_bf16(numbers[k]);
    std::memcpy(weights + 64 * (k / 2) + 4 * r + 2 * (k % 2), &bits, sizeof bits);
  }
}

void pack_f32(const Tensor& tensor, int64_t row, int r, const Panels& shape, uint8_t* weights,
              uint16_t*, float* numbers) {
  dequantize_row(tensor.type, row_of(tensor, row), shape.n_columns, numbers);
  for (int k = 0; k < shape.n_columns; ++k) {
    std::memcpy(weights + 64 * k + 4 * r, numbers + k, sizeof(float));
  }
}

// Row r's n columns of one group, the reverse of the above.
using UnpackGroup = void (*)(const uint8_t* group, const uint16_t* scale, int r, int n, float* out);

void unpack_q8(const uint8_t* group, const uint16_t* scale, int r, int n, float* out) {
  const float s = checkpoint::f16_to_f32(*scale);
  for (int i = 0; i < n; ++i) {
    out[i] = s * static_cast<float>(group[64 * (i / 4) + 4 * r + i % 4] - 128);
  }
}

void unpack_q4(const uint8_t* group, const uint16_t* scale, int r, int n, float* out) {
  const float s = checkpoint::f16_to_f32(*scale);
  for (int i = 0; i < n / 2; ++i) {
    const int both = group[64 * (i / 4) + 4 * r + i % 4];
    out[i] = s * static_cast<float>((both & 15) - 8);
    out[n / 2 + i] = s * static_cast<float>((both >> 4) - 8);
  }
}

void unpack_bf16(const uint8_t* group, const uint16_t*, int r, int n, float* out) {
  uint16_t pair[2];
  std::memcpy(pair, group + 4 * r, sizeof pair);
  for (int i = 0; i < n; ++i) out[i] = checkpoint::bf16_to_f32(pair[i]);
}

void unpack_f32(const uint8_t* group, const uint16_t*, int r, int, float* out) {
  std::memcpy(out, group + 4 * r, sizeof(float));
}

constexpr PackRow kPackRow[kFormats] = {pack_q4, pack_q8, pack_bf16, pack_f32};
constexpr UnpackGroup kUnpackGroup[kFormats] = {unpack_q4, unpack_q8, unpack_bf16, unpack_f32};

// What a row past the tensor's end holds: zeros, which for q8 is the byte 128; scale 0.
constexpr int zero_byte(Format format) {
  return format == Format::q8 ? 0x80 : format == Format::q4 ? 0x88 : 0;
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
                                        ThreadPool& pool) {
  HYMT_CHECK(!sources.empty());
  PackedPanels packed;
  Panels& shape = packed.panels_;
  shape.format = format;
  shape.n_columns = static_cast<int>(sources[0].tensor->columns());
  shape.n_panels = static_cast<int>(sources.size());
  const int unit = group_columns(format);
  shape.n_groups = (shape.n_columns + unit - 1) / unit;

  const bool blocks = format == Format::q4 || format == Format::q8;
  const size_t panel_groups = static_cast<size_t>(shape.n_groups);
  const size_t panel_bytes = panel_groups * group_bytes(format);
  const size_t panel_scales = blocks ? panel_groups * kPanelRows : 0;
  const std::string& name = sources[0].tensor->name;
  packed.weights_ = HYMT_TRY(Buffer<uint8_t>::allocate(sources.size() * panel_bytes, name));
  packed.scales_ = HYMT_TRY(Buffer<uint16_t>::allocate(sources.size() * panel_scales, name));
  Buffer<float> numbers = HYMT_TRY(Buffer<float>::allocate(
      static_cast<size_t>(pool.size()) * static_cast<size_t>(shape.n_columns), "packing"));

  pool.run([&](int worker) {
    const Share share = share_of(shape.n_panels, worker, pool.size());
    float* row_numbers =
        numbers.data() + static_cast<size_t>(worker) * static_cast<size_t>(shape.n_columns);
    for (int p = share.begin; p < share.end; ++p) {
      const Source& source = sources[static_cast<size_t>(p)];
      uint8_t* weights = packed.weights_.data() + static_cast<size_t>(p) * panel_bytes;
      uint16_t* scales = packed.scales_.data() + static_cast<size_t>(p) * panel_scales;
      const int64_t n_rows =
          std::min<int64_t>(kPanelRows, source.tensor->rows() - source.first_row);
      if (n_rows < kPanelRows || shape.n_columns % unit != 0) {
        std::memset(weights, zero_byte(format), panel_bytes);
        if (blocks) std::memset(scales, 0, panel_scales * sizeof(uint16_t));
      }
      for (int r = 0; r < n_rows; ++r) {
        kPackRow[static_cast<int>(format)](*source.tensor, source.first_row + r, r, shape, weights,
                                           scales, row_numbers);
      }
    }
  });
  shape.weights = packed.weights_.data();
  shape.scales = blocks ? packed.scales_.data() : nullptr;
  return packed;
}

void PackedPanels::unpack_row(int row, float* out) const {
  const int r = row % kPanelRows;
  const size_t first =
      static_cast<size_t>(row / kPanelRows) * static_cast<size_t>(panels_.n_groups);
  const uint8_t* group = panels_.weights + first * group_bytes(panels_.format);
  const uint16_t* scales = panels_.scales + first * kPanelRows + r;
  const int unit = group_columns(panels_.format);
  for (int k = 0; k < panels_.n_columns; k += unit, out += unit) {
    const int n = std::min(unit, panels_.n_columns - k);
    kUnpackGroup[static_cast<int>(panels_.format)](group, scales, r, n, out);
    group += group_bytes(panels_.format);
    scales += kPanelRows;
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

Result<PackedMatrix> pack_stacked(std::span<const Tensor* const> tensors, ThreadPool& pool) {
  PackedMatrix matrix;
  std::vector<PackedPanels::Source> sources;
  Format format = Format::f32;
  for (const Tensor* tensor : tensors) {
    const Format next = format_for(*tensor, pool);
    if (!sources.empty() && next != format) {
      add_part(matrix, HYMT_TRY(PackedPanels::pack(format, sources, pool)));
      sources.clear();
    }
    format = next;
    const auto more = sources_of(*tensor);
    sources.insert(sources.end(), more.begin(), more.end());
  }
  add_part(matrix, HYMT_TRY(PackedPanels::pack(format, sources, pool)));
  return matrix;
}

Result<PackedMatrix> pack_interleaved(const Tensor& a, const Tensor& b, ThreadPool& pool) {
  HYMT_CHECK(a.rows() == b.rows());
  Format format = format_for(a, pool);
  if (format != format_for(b, pool)) format = Format::f32;
  std::vector<PackedPanels::Source> sources;
  for (int64_t row = 0; row < a.rows(); row += kPanelRows) {
    sources.push_back({&a, row});
    sources.push_back({&b, row});
  }
  PackedMatrix matrix;
  add_part(matrix, HYMT_TRY(PackedPanels::pack(format, sources, pool)));
  return matrix;
}

}  // namespace hymt::cpu
