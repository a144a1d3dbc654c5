// Writes GGUF bytes for tests: right by default, wrong wherever a test wants it wrong. It shares no
// code with the reader or the writer that it tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hymt::test {

class GgufBuilder {
 public:
  uint32_t version = 3;
  uint32_t data_alignment = 32;  // where data is put; a general.alignment key is the test's
  int64_t extra_tensors = 0;     // added to the tensor count that the header claims
  int64_t extra_pairs = 0;       // the same for the metadata count

  // Metadata. `raw` takes the value's bytes as they lie in the file.
  GgufBuilder& u32(std::string_view key, uint32_t value);
  GgufBuilder& f32(std::string_view key, float value);
  GgufBuilder& text(std::string_view key, std::string_view value);
  GgufBuilder& texts(std::string_view key, const std::vector<std::string>& values);
  GgufBuilder& raw(std::string_view key, uint32_t type, std::string_view value);

  // A tensor whose data follows the one before; `shape` outermost first, as the reader gives it.
  GgufBuilder& tensor(std::string_view name, const std::vector<uint64_t>& shape, uint32_t type,
                      std::string_view data);
  // Only an entry, with an offset of the test's choosing; brings no data.
  GgufBuilder& entry(std::string_view name, const std::vector<uint64_t>& shape, uint32_t type,
                     uint64_t offset);

  std::string bytes() const;

 private:
  int64_t n_tensors_ = 0, n_pairs_ = 0;
  std::string pairs_, entries_, data_;
};

// The number's bytes, little endian.
template <class T>
std::string little_endian(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
// A string with its length before it.
std::string gguf_string(std::string_view text);

// The shape of a small model of architecture "hunyuan-dense".
struct TinyShape {
  uint32_t n_layers = 2, d_model = 64, n_heads = 4, n_kv_heads = 2, d_head = 32, d_ff = 96;
  uint32_t n_vocab = 300, n_context = 128;
  bool tied = true;
};

// Its metadata without tokenizer, and its tensors in F32, all zero.
GgufBuilder tiny_model(const TinyShape& shape = {});
// The parts of it, for tests that leave one out or add to them.
GgufBuilder tiny_metadata(const TinyShape& shape = {});
void add_tiny_tensors(GgufBuilder& builder, const TinyShape& shape = {});

}  // namespace hymt::test
