// The kernels that work on one row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cpu/oracle.h"

namespace hymt::cpu::test {
namespace {

class Rows : public EachTable {};
INSTANTIATE_TEST_SUITE_P(Tables, Rows, testing::ValuesIn(table_names()), table_name);

// Around the vector width, and one float off its alignment.
constexpr int kSizes[] = {1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 65, 100, 257, 2048};

TEST_P(Rows, QuantizesToTheNearestOf255Steps) {
  const Kernels scalar = find_kernels("scalar").value();
  for (const int n : {32, 64, 1024}) {
    std::vector<float> x = random_floats(static_cast<size_t>(n) + 1, 41);
    x[3] = -9;  // an absmax with a sign
    std::fill_n(x.begin() + 1 + n - 32, 8, 0.0f);
    const auto blocks = static_cast<size_t>(n / 32);
    std::vector<int8_t> quants(static_cast<size_t>(n)), same_quants(quants);
    std::vector<float> scales(blocks), same_scales(blocks);
    std::vector<int32_t> q4(blocks), q8(blocks), same_q4(blocks), same_q8(blocks);
    kernels_.quantize(x.data() + 1, n, quants.data(), scales.data(), q4.data(), q8.data());
    for (int i = 0; i < n; ++i) {
      const double step = scales[static_cast<size_t>(i / 32)];
      EXPECT_NEAR(quants[static_cast<size_t>(i)] * step, x[static_cast<size_t>(i + 1)],
                  step * (0.5 + 1e-4));
    }
    for (size_t b = 0; b < blocks; ++b) {
      int sum = 0, largest = 0;
      for (size_t i = 0; i < 32; ++i) {
        sum += quants[b * 32 + i];
        largest = std::max(largest, std::abs(quants[b * 32 + i]));
      }
      EXPECT_EQ(largest, 127);
      EXPECT_EQ(q4[b], -8 * sum);
      EXPECT_EQ(q8[b], -128 * sum);
    }
    // The bits are the same in every table.
    scalar.quantize(x.data() + 1, n, same_quants.data(), same_scales.data(), same_q4.data(),
                    same_q8.data());
    EXPECT_EQ(quants, same_quants);
    EXPECT_EQ(scales, same_scales);
    EXPECT_EQ(q4, same_q4);
    EXPECT_EQ(q8, same_q8);
  }
}

TEST_P(Rows, QuantizesTiesToEvenSteps) {
  std::vector<float> x(32, 0.0f);
  x[31] = 127;  // so that a step is 1
  const float ties[] = {0.5f, 1.5f, 2.5f, 3.5f, 126.5f, -0.5f, -1.5f, -2.5f, -3.5f, -126.5f};
  const int even[] = {0, 2, 2, 4, 126, 0, -2, -2, -4, -126};
  std::copy(std::begin(ties), std::end(ties), x.begin() + 11);
  std::vector<int8_t> quants(32);
  float scale = 0;
  int32_t q4 = 0, q8 = 0;
  kernels_.quantize(x.data(), 32, quants.data(), &scale, &q4, &q8);
  EXPECT_EQ(scale, 1);
  for (size_t i = 0; i < std::size(even); ++i) EXPECT_EQ(quants[11 + i], even[i]) << ties[i];
}

TEST_P(Rows, QuantizesZerosAndWhatIsNoNumber) {
  std::vector<float> x(32, 0.0f);
  std::vector<int8_t> quants(32, 1);
  float scale = 1;
  int32_t q4 = 1, q8 = 1;
  kernels_.quantize(x.data(), 32, quants.data(), &scale, &q4, &q8);
  EXPECT_EQ(scale, 0);
  EXPECT_EQ(quants, std::vector<int8_t>(32, 0));
  EXPECT_EQ(q4, 0);
  EXPECT_EQ(q8, 0);
  for (const float odd : {NAN, INFINITY, -INFINITY, 1e-42f}) {
    x[5] = odd;
    kernels_.quantize(x.data(), 32, quants.data(), &scale, &q4, &q8);
    for (const int8_t q : quants) EXPECT_GE(q, -127);
    std::vector<int8_t> same_quants(32);
    float same_scale = 0;
    find_kernels("scalar").value().quantize(x.data(), 32, same_quants.data(), &same_scale, &q4,
                                            &q8);
    EXPECT_EQ(quants, same_quants) << odd;
  }
}

TEST_P(Rows, ConvertsTo16BitFloatsAsTheFormatsSay) {
  std::vector<float> x = random_floats(300, 42, 100);
  const float specials[] = {0.0f,      -0.0f,   65504.0f, 65519.0f, 65520.0f, 1e-7f,
                            5.9e-8f,   2.9e-8f, 3.0e-8f,  6.1e-5f,  1e30f,    INFINITY,
                            -INFINITY, NAN,     1e-40f,   3.3e38f};
  x.insert(x.begin(), std::begin(specials), std::end(specials));
  for (const int n : {1, 15, 16, 17, 316}) {
    std::vector<uint16_t> half(static_cast<size_t>(n) + 1, 0xabcd), brain(half);
    kernels_.to_f16(x.data(), n, half.data());
    kernels_.to_bf16(x.data(), n, brain.data());
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(checkpoint::f16_to_f32(half[i])));
        EXPECT_TRUE(std::isnan(checkpoint::bf16_to_f32(brain[i])));
        continue;
      }
      EXPECT_EQ(half[i], checkpoint::f32_to_f16(x[i])) << x[i];
      EXPECT_EQ(brain[i], checkpoint::f32_to_bf16(x[i])) << x[i];
    }
    EXPECT_EQ(half.back(), 0xabcd);
    EXPECT_EQ(brain.back(), 0xabcd);
  }
}

TEST_P(Rows, NormsByTheRootOfTheMeanSquare) {
  for (const int n : kSizes) {
    const auto size = static_cast<size_t>(n);
    const std::vector<float> x = random_floats(size + 1, 43, 3);
    const std::vector<float> weight = random_floats(size, 44);
    std::vector<float> out(size + 1, 77.0f);
    kernels_.rms_norm(x.data() + 1, weight.data(), n, 1e-5f, out.data());
    double squares = 0;
    for (size_t i = 0; i < size; ++i) squares += double{x[i + 1]} * double{x[i + 1]};
    const double factor = 1 / std::sqrt(squares / n + 1e-5);
    for (size_t i = 0; i < size; ++i) {
      const double exact = double{x[i + 1]} * factor * double{weight[i]};
      ASSERT_NEAR(out[i], exact, (4 + n / 2.0) * kEpsilon * std::fabs(exact)) << n;
    }
    ASSERT_EQ(out[size], 77.0f) << "wrote past the end";
  }
}

TEST_P(Rows, RotatesHalvesThenNorms) {
  for (const int d : {2, 8, 16, 30, 32, 48, 64, 80, 128}) {
    const auto size = static_cast<size_t>(d);
    const auto half = size / 2;
    std::vector<float> x = random_floats(size + 1, 45);
    const std::vector<float> weight = random_floats(size, 46);
    std::vector<float> rotation(size);
    for (size_t i = 0; i < half; ++i) {
      rotation[i] = static_cast<float>(std::cos(0.3 * static_cast<double>(i + 1)));
      rotation[half + i] = static_cast<float>(std::sin(0.3 * static_cast<double>(i + 1)));
    }
    std::vector<double> rotated(size);
    double squares = 0;
    for (size_t i = 0; i < half; ++i) {
      const double a = x[i], b = x[half + i], c = rotation[i], s = rotation[half + i];
      rotated[i] = a * c - b * s;
      rotated[half + i] = a * s + b * c;
      squares += rotated[i] * rotated[i] + rotated[half + i] * rotated[half + i];
    }
    const double factor = 1 / std::sqrt(squares / d + 1e-5);
    x[size] = 77.0f;
    kernels_.rotate_and_norm(x.data(), rotation.data(), weight.data(), d, 1e-5f, 0.25f, x.data());
    for (size_t i = 0; i < size; ++i) {
      const double exact = rotated[i] * factor * double{weight[i]} * 0.25;
      // A difference of products may cancel: its error is relative to what was subtracted.
      ASSERT_NEAR(x[i], exact, (8 + d / 2.0) * kEpsilon * (std::fabs(exact) + 1)) << d;
    }
    ASSERT_EQ(x[size], 77.0f) << "wrote past the end";
  }
}

TEST_P(Rows, FindsTheFirstGreatestValue) {
  for (const int n : kSizes) {
    std::vector<float> x = random_floats(static_cast<size_t>(n), 47);
    const auto greatest = std::max_element(x.begin(), x.end());
    EXPECT_EQ(kernels_.arg_max(x.data(), n), greatest - x.begin());
    for (const int at : {0, n / 2, n - 1}) {  // ties go to the first
      std::vector<float> tied = x;
      tied[static_cast<size_t>(at)] = tied[static_cast<size_t>(n - 1)] = 100;
      EXPECT_EQ(kernels_.arg_max(tied.data(), n), at);
    }
  }
}

TEST_P(Rows, FindsSomethingAmongWhatIsNoNumber) {
  std::vector<float> x(40, -INFINITY);
  EXPECT_EQ(kernels_.arg_max(x.data(), 40), 0);
  x.assign(40, NAN);
  EXPECT_EQ(kernels_.arg_max(x.data(), 40), 0);
  for (const int at : {0, 17, 33, 39}) {
    x.assign(40, NAN);
    x[static_cast<size_t>(at)] = -5;
    EXPECT_EQ(kernels_.arg_max(x.data(), 40), at);
  }
  x.assign(40, -1);
  x[20] = INFINITY;
  EXPECT_EQ(kernels_.arg_max(x.data(), 40), 20);
}

TEST_P(Rows, SumsExponentials) {
  for (const int n : kSizes) {
    std::vector<float> x = random_floats(static_cast<size_t>(n), 48, 6);
    const float max = *std::max_element(x.begin(), x.end());
    if (n > 2) x[0] = max - 200, x[1] = -INFINITY;
    double exact = 0;
    for (const float value : x) exact += std::exp(double{value} - double{max});
    EXPECT_NEAR(kernels_.sum_exp(x.data(), n, max), exact, (8 + n / 2.0) * kEpsilon * exact);
  }
}

TEST_P(Rows, KeepsANumberIn8Bits) {
  const Kernels scalar = find_kernels("scalar").value();
  for (const int n : kSizes) {
    std::vector<float> x = random_floats(static_cast<size_t>(n) + 1, 43);
    std::vector<int8_t> out(static_cast<size_t>(n) + 1, 77), same(out);
    const float scale = kernels_.to_int8(x.data() + 1, n, out.data());
    float absmax = 0;
    for (int i = 0; i < n; ++i) absmax = std::max(absmax, std::fabs(x[static_cast<size_t>(i + 1)]));
    EXPECT_EQ(scale, absmax / 127);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(out[static_cast<size_t>(i)] * scale, x[static_cast<size_t>(i + 1)],
                  scale * (0.5 + 1e-4));
    }
    EXPECT_EQ(out[static_cast<size_t>(n)], 77) << "wrote past the end";
    EXPECT_EQ(scalar.to_int8(x.data() + 1, n, same.data()), scale);
    EXPECT_EQ(out, same);
  }
  std::vector<float> zeros(20, 0.0f);
  std::vector<int8_t> out(20, 1);
  EXPECT_EQ(kernels_.to_int8(zeros.data(), 20, out.data()), 0);
  EXPECT_EQ(out, std::vector<int8_t>(20, 0));
  for (const float odd : {NAN, INFINITY, -INFINITY, 1e-42f}) {
    zeros[17] = odd;
    std::vector<int8_t> same(20);
    kernels_.to_int8(zeros.data(), 20, out.data());
    scalar.to_int8(zeros.data(), 20, same.data());
    EXPECT_EQ(out, same) << odd;
  }
}

}  // namespace
}  // namespace hymt::cpu::test
