// GGML's numbers of element types, as GGUF files store them. Source: ggml.h, enum ggml_type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkpoint/dtype.h"

namespace hymt::checkpoint {

// The type with this number if we can read it.
std::optional<DType> dtype_of_ggml(uint32_t number);
uint32_t ggml_number(DType type);

// "Q4_K" for 12; the number itself where nobody has given it a name.
std::string ggml_name(uint32_t number);

}  // namespace hymt::checkpoint
