#include <gtest/gtest.h>

#include <cstring>

#include "cpu/kernels/cpu_features.h"
#include "cpu/oracle.h"
#if defined(__x86_64__)
#include "cpu/kernels/avx512/multiply.h"
#endif

namespace hymt::cpu::test {
namespace {

constexpr DType kTypes[] = {DType::q4_0, DType::q8_0, DType::bf16, DType::f32};

class Multiply : public EachTable {
 protected:
  PackedPanels pack(const Matrix& matrix, DType type) {
    std::vector<PackedPanels::Source> sources;
    for (int row = 0; row < matrix.rows; row += kPanelRows) {
      sources.push_back({&matrix.tensor, row});
    }
    return PackedPanels::pack(format_of(type), sources, arena_, pool_).value();
  }

  ThreadPool pool_{1};
  Arena arena_;
};

INSTANTIATE_TEST_SUITE_P(Tables, Multiply, testing::ValuesIn(table_names()), table_name);

bool has_blocks(DType type) {
  return type == DType::q4_0 || type == DType::q8_0;
}

// Roundings on the longest path of a sum: one a block (or a product), and a few for the scales.
double roundings(DType type, int columns) {
  return has_blocks(type) ? columns / kBlockColumns + 4 : columns + 2;
}

// Columns around the vector width, rows around the panel's height, input rows around the tiles'.
TEST_P(Multiply, IsTheSumOfProductsWithinRounding) {
  for (const DType type : kTypes) {
    const std::vector<int> widths = has_blocks(type)
                                        ? std::vector<int>{32, 64, 96, 1024}
                                        : std::vector<int>{1, 2, 3, 16, 31, 33, 127, 1024};
    for (const int columns : widths) {
      for (const int outputs : {1, 15, 16, 17, 49}) {
        const auto n = static_cast<size_t>(outputs) * static_cast<size_t>(columns);
        const Matrix matrix(type, outputs, columns, random_floats(n, 7));
        const PackedPanels packed = pack(matrix, type);
        const auto padded = static_cast<size_t>(packed.panels().n_panels * kPanelRows);
        for (const int n_rows : {1, 2, 3, 7, 13, 40, 101}) {
          const Inputs x(kernels_, format_of(type), n_rows, columns,
                         random_floats(static_cast<size_t>(n_rows * columns), 8));
          std::vector<float> y(padded * static_cast<size_t>(n_rows), NAN);
          multiply(kernels_, packed.panels(), 0, packed.panels().n_panels, x.rows(), y.data(),
                   padded, Epilogue::store);
          for (int row = 0; row < n_rows; ++row) {
            for (size_t o = 0; o < padded; ++o) {
              const float got = y[static_cast<size_t>(row) * padded + o];
              if (o >= static_cast<size_t>(outputs)) {
                ASSERT_EQ(got, 0) << "padding " << o;
                continue;
              }
              const Exact exact = product(matrix, static_cast<int>(o), x, row);
              ASSERT_NEAR(got, exact.sum, roundings(type, columns) * kEpsilon * exact.magnitude)
                  << name(type) << " " << outputs << "x" << columns << " row " << row << " of "
                  << n_rows << " output " << o;
            }
          }
        }
      }
    }
  }
}

// With scales that are powers of two every float step is exact, so that what is left is the integer
// arithmetic, at its extremes: nothing may saturate.
TEST_P(Multiply, AddsIntegersExactly) {
  for (const DType type : {DType::q4_0, DType::q8_0}) {
    const int columns = 64;
    const int outputs = 32;
    Matrix matrix(type, outputs, columns, random_floats(outputs * columns, 3));
    const size_t block_bytes = checkpoint::row_bytes(type, kBlockColumns);
    std::mt19937 random(5);
    for (size_t at = 0; at < matrix.bytes.size(); ++at) {
      const size_t in_block = at % block_bytes;
      // The scale, 2^-3 in f16; then codes, many of them extreme (0x80 is -128, or -8 and 0).
      const unsigned code = random() % 3 == 0 ? 0x80 : random() % 3 == 0 ? 0x7f : random() % 256;
      matrix.bytes[at] = static_cast<std::byte>(in_block == 0 ? 0 : in_block == 1 ? 0x30 : code);
    }
    for (int r = 0; r < outputs; ++r) {
      checkpoint::dequantize_row(
          type, matrix.bytes.data() + static_cast<size_t>(r) * checkpoint::row_bytes(type, columns),
          columns, matrix.numbers.data() + r * columns);
    }
    const PackedPanels packed = pack(matrix, type);
    for (const int n_rows : {1, 2, 4, 5, 9, 16}) {
      std::vector<float> values(static_cast<size_t>(n_rows * columns));
      for (size_t i = 0; i < values.size(); ++i) {
        // Each block's absmax is 127, so that its scale is 1 and its quants are the values.
        values[i] = i % 5 != 0 ? (i % 2 ? 127.0f : -127.0f)
                               : static_cast<float>(static_cast<int>(random() % 255) - 127);
      }
      const Inputs x(kernels_, format_of(type), n_rows, columns, values);
      std::vector<float> y(static_cast<size_t>(n_rows * outputs));
      multiply(kernels_, packed.panels(), 0, 2, x.rows(), y.data(), outputs, Epilogue::store);
      for (int row = 0; row < n_rows; ++row) {
        for (int o = 0; o < outputs; ++o) {
          ASSERT_EQ(y[static_cast<size_t>(row * outputs + o)], product(matrix, o, x, row).sum)
              << name(type) << " row " << row << " output " << o;
        }
      }
    }
  }
}

TEST_P(Multiply, GivesARowTheSameBitsInAnyCompanyAndAnyRangeOfPanels) {
  for (const DType type : kTypes) {
    const int columns = 2080;  // several chunks
    const int outputs = 16 * 7;
    const int n_rows = 101;
    const Matrix matrix(type, outputs, columns, random_floats(outputs * columns, 11));
    const PackedPanels packed = pack(matrix, type);
    const Inputs x(kernels_, format_of(type), n_rows, columns, random_floats(n_rows * columns, 12));
    std::vector<float> alone(static_cast<size_t>(n_rows * outputs));
    for (int row = 0; row < n_rows; ++row) {
      for (int panel = 0; panel < 7; ++panel) {
        multiply(kernels_, packed.panels(), panel, panel + 1, x.rows(row, 1),
                 alone.data() + row * outputs + panel * kPanelRows, outputs, Epilogue::store);
      }
    }
    for (int n = 1; n <= n_rows; n += n < 15 ? 1 : 17) {
      const int first = (n_rows - n) / 2;
      for (const int first_panel : {0, 1, 2}) {
        std::vector<float> y(static_cast<size_t>(n * outputs));
        multiply(kernels_, packed.panels(), first_panel, 7, x.rows(first, n), y.data(), outputs,
                 Epilogue::store);
        const int from = first_panel * kPanelRows;
        for (int row = 0; row < n; ++row) {
          ASSERT_EQ(
              std::memcmp(y.data() + row * outputs, alone.data() + (first + row) * outputs + from,
                          sizeof(float) * static_cast<size_t>(outputs - from)),
              0)
              << name(type) << " row " << row << " of " << n << " from panel " << first_panel;
        }
      }
    }
  }
}

#if defined(__x86_64__)
// Which of the two a machine uses, its maker decides; so both are tried on any.
TEST(MultiplyQ4, GivesTheSameBitsByNibblesAndByBytes) {
  if (!has_avx512()) GTEST_SKIP() << "no AVX-512 here";
  const Kernels kernels = find_kernels("avx512").value();
  ThreadPool pool(1);
  Arena arena;
  for (const int columns : {32, 1024, 1504}) {
    const int outputs = 80;
    const Matrix matrix(DType::q4_0, outputs, columns,
                        random_floats(static_cast<size_t>(outputs * columns), 51));
    std::vector<PackedPanels::Source> sources;
    for (int row = 0; row < outputs; row += kPanelRows) sources.push_back({&matrix.tensor, row});
    const PackedPanels packed = PackedPanels::pack(Format::q4, sources, arena, pool).value();
    for (const int n_rows : {33, 48, 49, 130}) {
      const Inputs x(kernels, Format::q4, n_rows, columns,
                     random_floats(static_cast<size_t>(n_rows * columns), 52));
      std::vector<float> nibbles(static_cast<size_t>(n_rows * outputs)), bytes(nibbles);
      const auto stride = static_cast<size_t>(outputs);
      avx512::multiply_q4(packed.panels(), 0, 5, x.rows(),
                          {nibbles.data(), stride, Epilogue::store}, nullptr);
      avx512::multiply_q4_by_bytes(packed.panels(), 0, 5, x.rows(),
                                   {bytes.data(), stride, Epilogue::store}, nullptr);
      ASSERT_EQ(nibbles, bytes) << columns << " columns, " << n_rows << " rows";
    }
  }
}
#endif

TEST_P(Multiply, HasAPeakThatCountsEveryRound) {
  for (const auto peak : kernels_.peak) {
    const double one = peak(1);
    EXPECT_GT(one, 0);
    EXPECT_EQ(peak(1000), 1000 * one);
  }
}

TEST_P(Multiply, CanAddToWhatIsThere) {
  for (const DType type : kTypes) {
    const Matrix matrix(type, 48, 64, random_floats(48 * 64, 21));
    const PackedPanels packed = pack(matrix, type);
    for (const int n_rows : {1, 4, 14}) {
      const Inputs x(kernels_, format_of(type), n_rows, 64,
                     random_floats(static_cast<size_t>(n_rows) * 64, 22));
      std::vector<float> product(static_cast<size_t>(n_rows) * 48);
      multiply(kernels_, packed.panels(), 0, 3, x.rows(), product.data(), 48, Epilogue::store);
      const std::vector<float> before = random_floats(product.size(), 23);
      std::vector<float> y = before;
      multiply(kernels_, packed.panels(), 0, 3, x.rows(), y.data(), 48, Epilogue::add);
      for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], before[i] + product[i]);
    }
  }
}

TEST_P(Multiply, CanGateWhatPairsOfPanelsGive) {
  for (const DType type : kTypes) {
    // Some gates far out, where exp must neither overflow nor turn into NaN.
    std::vector<float> values = random_floats(size_t{96} * 64, 31);
    for (int k = 0; k < 64; ++k) values[static_cast<size_t>(5 * 64 + k)] = 40;
    const Matrix matrix(type, 96, 64, values);
    const PackedPanels packed = pack(matrix, type);
    for (const int n_rows : {1, 6, 15}) {
      const Inputs x(kernels_, format_of(type), n_rows, 64,
                     random_floats(static_cast<size_t>(n_rows) * 64, 32));
      std::vector<float> both(static_cast<size_t>(n_rows) * 96);
      multiply(kernels_, packed.panels(), 0, 6, x.rows(), both.data(), 96, Epilogue::store);
      std::vector<float> y(static_cast<size_t>(n_rows) * 48);
      multiply(kernels_, packed.panels(), 0, 6, x.rows(), y.data(), 48, Epilogue::swiglu);
      for (int row = 0; row < n_rows; ++row) {
        for (int o = 0; o < 48; ++o) {
          const int column = o / 16 * 32 + o % 16;
          const double gate = both[static_cast<size_t>(row * 96 + column)];
          const double up = both[static_cast<size_t>(row * 96 + column + 16)];
          const double exact = gate / (1 + std::exp(-gate)) * up;
          ASSERT_NEAR(y[static_cast<size_t>(row * 48 + o)], exact,
                      8 * kEpsilon * std::fabs(exact) + 1e-30)
              << name(type) << " gate " << gate;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hymt::cpu::test
