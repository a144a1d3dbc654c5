// Any bytes as a GGUF file: an error or a checkpoint, and with a checkpoint all that is made of it
// before a runner packs its weights.
#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/gguf.h"
#include "checkpoint/quantize.h"
#include "model/config.h"
#include "model/weights.h"

using hymt::Bytes;
using hymt::checkpoint::Checkpoint;

namespace {

// What an error must be: one line about this file.
void check(const hymt::Error& error) {
  if (!error.message.starts_with("fuzz.gguf: ") || error.message.find('\n') != std::string::npos) {
    __builtin_trap();
  }
}

void use(const Checkpoint& checkpoint) {
  for (const auto& tensor : checkpoint.tensors) {
    std::vector<float> row(static_cast<size_t>(tensor.columns()));
    hymt::checkpoint::dequantize_row(tensor.type, tensor.data.data(), tensor.columns(), row.data());
  }
  const auto config = hymt::model::read_config(checkpoint);
  if (!config) return check(config.error());
  (void)hymt::model::rope_frequencies(*config);
  const auto weights = hymt::model::find_weights(checkpoint, *config);
  if (!weights) check(weights.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes{reinterpret_cast<const std::byte*>(data), size};
  const auto checkpoint = hymt::checkpoint::read_gguf(bytes, "fuzz.gguf");
  if (checkpoint) {
    use(*checkpoint);
  } else {
    check(checkpoint.error());
  }
  return 0;
}
