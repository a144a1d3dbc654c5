// Any bytes as a GGUF file: an error or a checkpoint, and with a checkpoint all that is made of it
// before a runner packs its weights.
#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/gguf.h"
#include "checkpoint/quantize.h"
#include "model/gguf_vocabulary.h"
#include "model/model.h"

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
  const auto vocabulary = hymt::model::read_vocabulary(checkpoint);
  if (!vocabulary) check(vocabulary.error());
  const auto model = hymt::model::load(checkpoint);
  if (!model) return check(model.error());
  (void)hymt::model::rope_frequencies(model->config);
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
