#include <gtest/gtest.h>

#include "cpu/oracle.h"

namespace hymt::cpu::test {
namespace {

std::vector<float> unpacked(const PackedMatrix& matrix, int output) {
  std::vector<float> row(static_cast<size_t>(matrix.n_columns));
  for (const PackedPanels& part : matrix.parts) {
    const int rows = part.panels().n_panels * kPanelRows;
    if (output < rows) {
      part.unpack_row(output, row.data());
      break;
    }
    output -= rows;
  }
  return row;
}

std::vector<float> stored(const Matrix& matrix, int row) {
  const auto begin = matrix.numbers.begin() + row * matrix.columns;
  return {begin, begin + matrix.columns};
}

TEST(Packing, KeepsEveryNumberOfEveryType) {
  ThreadPool pool(2);
  Arena arena;
  for (const DType type : {DType::q4_0, DType::q8_0, DType::bf16, DType::f16, DType::f32}) {
    for (const int rows : {1, 16, 37}) {
      const int columns = checkpoint::block_shape(type).elements == 1 ? 33 : 96;
      const Matrix matrix(type, rows, columns,
                          random_floats(static_cast<size_t>(rows * columns), 1));
      const checkpoint::Tensor* const tensors[] = {&matrix.tensor};
      const PackedMatrix packed = pack_stacked(tensors, arena, pool).value();
      EXPECT_EQ(packed.n_columns, columns);
      EXPECT_EQ(packed.n_outputs, (rows + 15) / 16 * 16);
      for (int row = 0; row < rows; ++row) {
        EXPECT_EQ(unpacked(packed, row), stored(matrix, row)) << name(type) << " row " << row;
      }
    }
  }
}

TEST(Packing, StacksMatricesOfDifferentTypesEachFromAWholePanelOn) {
  ThreadPool pool(2);
  Arena arena;
  const Matrix q(DType::q4_0, 40, 64, random_floats(size_t{40} * 64, 1));
  const Matrix k(DType::q4_0, 8, 64, random_floats(size_t{8} * 64, 2));
  const Matrix v(DType::q8_0, 8, 64, random_floats(size_t{8} * 64, 3));
  const checkpoint::Tensor* const tensors[] = {&q.tensor, &k.tensor, &v.tensor};
  const PackedMatrix packed = pack_stacked(tensors, arena, pool).value();
  EXPECT_EQ(packed.parts.size(), 2u);  // q and k share one
  EXPECT_EQ(packed.n_outputs, 48 + 16 + 16);
  for (int row = 0; row < 8; ++row) {
    EXPECT_EQ(unpacked(packed, row), stored(q, row));
    EXPECT_EQ(unpacked(packed, 48 + row), stored(k, row));
    EXPECT_EQ(unpacked(packed, 64 + row), stored(v, row));
  }
}

TEST(Packing, InterleavesPanelsOfGateAndUp) {
  ThreadPool pool(1);
  Arena arena;
  for (const DType other : {DType::q8_0, DType::bf16}) {  // of two types: both as plain numbers
    const Matrix gate(DType::q8_0, 24, 32, random_floats(size_t{24} * 32, 1));
    const Matrix up(other, 24, 32, random_floats(size_t{24} * 32, 2));
    const PackedMatrix packed = pack_interleaved(gate.tensor, up.tensor, arena, pool).value();
    EXPECT_EQ(packed.parts.size(), 1u);
    for (int row = 0; row < 24; ++row) {
      const int at = row / 16 * 32 + row % 16;
      EXPECT_EQ(unpacked(packed, at), stored(gate, row));
      EXPECT_EQ(unpacked(packed, at + 16), stored(up, row));
    }
  }
}

TEST(Packing, ShortensPlainNumbersOnlyWhereNothingIsLost) {
  ThreadPool pool(2);
  Arena arena;
  const std::vector<float> coarse = {1.5f, -2.0f, 0.0078125f, 0.0f};
  const std::vector<float> fine = {1.5f, -2.0f, 1.0f + 1.0f / 1024, 0.0f};
  for (const DType type : {DType::f16, DType::f32}) {
    EXPECT_EQ(format_for(Matrix(type, 2, 2, coarse).tensor, pool), Format::bf16);
    EXPECT_EQ(format_for(Matrix(type, 2, 2, fine).tensor, pool), Format::f32);
  }
}

TEST(Packing, TakesNoMoreBytesThanTheFile) {
  ThreadPool pool(1);
  Arena arena;
  for (const DType type : {DType::q4_0, DType::q8_0, DType::bf16}) {
    const Matrix matrix(type, 64, 256, random_floats(size_t{64} * 256, 1));
    const checkpoint::Tensor* const tensors[] = {&matrix.tensor};
    EXPECT_EQ(pack_stacked(tensors, arena, pool).value().bytes(), matrix.bytes.size());
  }
}

}  // namespace
}  // namespace hymt::cpu::test
