#include "checkpoint/ggml_type.h"

#include <array>
#include <string_view>

namespace hymt::checkpoint {
namespace {

// In the order of DType.
constexpr std::array<uint32_t, 5> kNumbers = {0, 1, 30, 8, 2};

// By number; empty where the number was never given out. 4, 5, 31-33 and 36-38 were withdrawn.
// 40-43 have more than one meaning: low-bit files of the publisher took the numbers before
// others did.
constexpr std::array<std::string_view, 44> kNames = {
    "F32",
    "F16",
    "Q4_0",
    "Q4_1",
    "Q4_2",
    "Q4_3",
    "Q5_0",
    "Q5_1",
    "Q8_0",
    "Q8_1",
    "Q2_K",
    "Q3_K",
    "Q4_K",
    "Q5_K",
    "Q6_K",
    "Q8_K",
    "IQ2_XXS",
    "IQ2_XS",
    "IQ3_XXS",
    "IQ1_S",
    "IQ4_NL",
    "IQ3_S",
    "IQ2_S",
    "IQ4_XS",
    "I8",
    "I16",
    "I32",
    "I64",
    "F64",
    "IQ1_M",
    "BF16",
    "Q4_0_4_4",
    "Q4_0_4_8",
    "Q4_0_8_8",
    "TQ1_0",
    "TQ2_0",
    "IQ4_NL_4_4",
    "IQ4_NL_4_8",
    "IQ4_NL_8_8",
    "MXFP4",
    "NVFP4 (or a low-bit type, Q2_0C or STQ1_0)",
    "Q1_0 (or the low-bit type Q2_0C)",
    "Q2_0 (or the low-bit type STQ1_0)",
    "STQ1_0",
};

}  // namespace

std::optional<DType> dtype_of_ggml(uint32_t number) {
  for (size_t i = 0; i < kNumbers.size(); ++i) {
    if (kNumbers[i] == number) return static_cast<DType>(i);
  }
  return std::nullopt;
}

uint32_t ggml_number(DType type) {
  return kNumbers[static_cast<size_t>(type)];
}

std::string ggml_name(uint32_t number) {
  if (number < kNames.size()) return std::string(kNames[number]);
  return "number " + std::to_string(number);
}

}  // namespace hymt::checkpoint
