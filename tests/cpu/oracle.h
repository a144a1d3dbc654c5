// What the kernel tests share: random inputs, packed matrices with the numbers they stand for,
// inputs in all forms, and products in double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "checkpoint/quantize.h"
#include "cpu/buffer.h"
#include "cpu/cpu_runner.h"
#include "cpu/kernels/cpu_features.h"
#include "cpu/kernels/dispatch.h"
#include "cpu/weights/packed_matrix.h"

#if defined(__x86_64__)
namespace hymt::cpu {
void fill_avx_vnni_evex(Kernels& table);  // see CMakeLists.txt
}
#endif

namespace hymt::cpu::test {

constexpr const char* kAvxVnniEvex = "avx_vnni_evex";

using checkpoint::DType;

constexpr double kEpsilon = 0x1p-23;  // of float

inline std::vector<float> random_floats(size_t n, uint32_t seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

// A stored matrix: its bytes as a file has them, and its numbers.
struct Matrix {
  int rows;
  int columns;
  std::vector<std::byte> bytes;
  std::vector<float> numbers;  // [rows][columns]
  checkpoint::Tensor tensor;

  Matrix(DType type, int n_rows, int n_columns, const std::vector<float>& values)
      : rows(n_rows), columns(n_columns), numbers(values.size()) {
    const size_t row_bytes = checkpoint::row_bytes(type, columns);
    bytes.resize(row_bytes * static_cast<size_t>(rows));
    for (int r = 0; r < rows; ++r) {
      const size_t at = static_cast<size_t>(r) * static_cast<size_t>(columns);
      std::byte* row = bytes.data() + static_cast<size_t>(r) * row_bytes;
      checkpoint::quantize_row(type, values.data() + at, columns, row);
      checkpoint::dequantize_row(type, row, columns, numbers.data() + at);
    }
    tensor = {"test", type, {rows, columns}, bytes};
  }
  Matrix(const Matrix&) = delete;

  double at(int r, int c) const {
    return static_cast<double>(
        numbers[static_cast<size_t>(r) * static_cast<size_t>(columns) + static_cast<size_t>(c)]);
  }
};

inline Format format_of(DType type) {
  switch (type) {
    case DType::q4_0:
      return Format::q4;
    case DType::q8_0:
      return Format::q8;
    case DType::bf16:
      return Format::bf16;
    default:
      return Format::f32;
  }
}

// Input rows in the form that a format reads, and what that form stands for.
struct Inputs {
  Format format;
  int n_rows;
  int n_columns;
  Buffer<int8_t> quants;
  std::vector<float> scales;
  std::vector<int32_t> starts_q4;
  std::vector<int32_t> starts_q8;
  std::vector<uint16_t> bf16;
  std::vector<float> f32;
  std::vector<float> meant;  // [n_rows][n_columns]

  Inputs(const Kernels& kernels, Format wanted, int rows, int columns,
         const std::vector<float>& values)
      : format(wanted), n_rows(rows), n_columns(columns), f32(values), meant(values) {
    const auto n = static_cast<size_t>(columns);
    const auto r = static_cast<size_t>(rows);
    const size_t blocks = n / kBlockColumns;
    const size_t even = (n + 1) / 2 * 2;
    quants = std::move(Buffer<int8_t>::zeroed(r * n, "test").value());
    scales.resize(r * blocks);
    starts_q4.resize(r * blocks);
    starts_q8.resize(r * blocks);
    bf16.resize(r * even);
    for (size_t row = 0; row < r; ++row) {
      const float* x = values.data() + row * n;
      if (format == Format::bf16) {
        kernels.to_bf16(x, columns, bf16.data() + row * even);
        for (size_t k = 0; k < n; ++k) {
          meant[row * n + k] = checkpoint::bf16_to_f32(bf16[row * even + k]);
        }
      } else if (format != Format::f32) {
        kernels.quantize(x, columns, quants.data() + row * n, scales.data() + row * blocks,
                         starts_q4.data() + row * blocks, starts_q8.data() + row * blocks);
        for (size_t k = 0; k < n; ++k) {
          meant[row * n + k] =
              scales[row * blocks + k / kBlockColumns] * static_cast<float>(quants[row * n + k]);
        }
      }
    }
  }

  InputRows rows(int first, int n) const {
    const size_t at = static_cast<size_t>(first) * static_cast<size_t>(n_columns);
    const size_t block = at / kBlockColumns;
    const size_t even = static_cast<size_t>(first) * static_cast<size_t>((n_columns + 1) / 2 * 2);
    return {n,
            n_columns,
            quants.data() + at,
            scales.data() + block,
            starts_q4.data() + block,
            starts_q8.data() + block,
            bf16.data() + even,
            f32.data() + at};
  }
  InputRows rows() const { return rows(0, n_rows); }
};

// A product in double, and the sum of its terms' magnitudes.
struct Exact {
  double sum = 0;
  double magnitude = 0;
};
inline Exact product(const Matrix& w, int output, const Inputs& x, int row) {
  Exact exact;
  for (int k = 0; k < w.columns; ++k) {
    const double term =
        w.at(output, k) *
        static_cast<double>(x.meant[static_cast<size_t>(row) * static_cast<size_t>(x.n_columns) +
                                    static_cast<size_t>(k)]);
    exact.sum += term;
    exact.magnitude += std::fabs(term);
  }
  return exact;
}

// Runs a product over panels [first, last) into `y` (row 0, column of panel `first`).
inline void multiply(const Kernels& kernels, const Panels& panels, int first, int last,
                     const InputRows& x, float* y, size_t stride, Epilogue epilogue) {
  // Scratch of exactly the promised size, so that a sanitizer sees a step beyond it.
  auto scratch =
      std::move(Buffer<uint8_t>::zeroed(multiply_scratch(panels.n_columns), "test").value());
  kernels.multiply[static_cast<int>(panels.format)](panels, first, last, x, {y, stride, epilogue},
                                                    scratch.data());
}

// Every kernel table that this machine can run, and what stands in for one that it cannot.
inline std::vector<std::string> table_names() {
  std::vector<std::string> names = kernel_names();
#if defined(__x86_64__)
  if (has_avx512()) names.emplace_back(kAvxVnniEvex);
#endif
  return names;
}

class EachTable : public testing::TestWithParam<std::string> {
 protected:
  static Kernels table(const std::string& name) {
#if defined(__x86_64__)
    if (name == kAvxVnniEvex) {
      Kernels kernels;
      fill_avx_vnni_evex(kernels);
      return kernels;
    }
#endif
    return find_kernels(name).value();
  }

  const Kernels kernels_ = table(GetParam());
};

inline std::string table_name(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace hymt::cpu::test
