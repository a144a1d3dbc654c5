#include "checkpoint/dtype.h"

#include <array>

namespace hymt::checkpoint {
namespace {

struct Row {
  std::string_view name;
  BlockShape shape;
};

// In the order of DType.
constexpr std::array<Row, 5> kRows = {
    {{"F32", {1, 4}}, {"F16", {1, 2}}, {"BF16", {1, 2}}, {"Q8_0", {32, 34}}, {"Q4_0", {32, 18}}}};

}  // namespace

BlockShape block_shape(DType type) {
  return kRows[static_cast<size_t>(type)].shape;
}
std::string_view name(DType type) {
  return kRows[static_cast<size_t>(type)].name;
}

size_t row_bytes(DType type, int64_t n) {
  const BlockShape shape = block_shape(type);
  return static_cast<size_t>(n / shape.elements) * static_cast<size_t>(shape.bytes);
}

}  // namespace hymt::checkpoint
