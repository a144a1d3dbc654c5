#include "support/gguf_builder.h"

namespace hymt::test {
namespace {

// Numbers of the format's definition.
constexpr uint32_t kTypeUint32 = 4, kTypeFloat32 = 6, kTypeString = 8, kTypeArray = 9;

void pad(std::string& bytes, size_t alignment) {
  while (bytes.size() % alignment != 0) bytes += '\0';
}

}  // namespace

std::string gguf_string(std::string_view text) {
  return little_endian<uint64_t>(text.size()) + std::string(text);
}

GgufBuilder& GgufBuilder::raw(std::string_view key, uint32_t type, std::string_view value) {
  pairs_ += gguf_string(key) + little_endian(type) + std::string(value);
  ++n_pairs_;
  return *this;
}

GgufBuilder& GgufBuilder::u32(std::string_view key, uint32_t value) {
  return raw(key, kTypeUint32, little_endian(value));
}
GgufBuilder& GgufBuilder::f32(std::string_view key, float value) {
  return raw(key, kTypeFloat32, little_endian(value));
}
GgufBuilder& GgufBuilder::text(std::string_view key, std::string_view value) {
  return raw(key, kTypeString, gguf_string(value));
}
GgufBuilder& GgufBuilder::texts(std::string_view key, const std::vector<std::string>& values) {
  std::string bytes = little_endian(kTypeString) + little_endian<uint64_t>(values.size());
  for (const std::string& value : values) bytes += gguf_string(value);
  return raw(key, kTypeArray, bytes);
}

GgufBuilder& GgufBuilder::tensor(std::string_view name, const std::vector<uint64_t>& shape,
                                 uint32_t type, std::string_view data) {
  pad(data_, data_alignment);
  entry(name, shape, type, data_.size());
  data_ += data;
  return *this;
}

GgufBuilder& GgufBuilder::entry(std::string_view name, const std::vector<uint64_t>& shape,
                                uint32_t type, uint64_t offset) {
  entries_ += gguf_string(name) + little_endian(static_cast<uint32_t>(shape.size()));
  for (size_t i = shape.size(); i-- > 0;) entries_ += little_endian(shape[i]);
  entries_ += little_endian(type) + little_endian(offset);
  ++n_tensors_;
  return *this;
}

std::string GgufBuilder::bytes() const {
  std::string out = "GGUF" + little_endian(version) + little_endian(n_tensors_ + extra_tensors) +
                    little_endian(n_pairs_ + extra_pairs) + pairs_ + entries_;
  pad(out, data_alignment);
  return out + data_;
}

GgufBuilder tiny_metadata(const TinyShape& shape) {
  GgufBuilder out;
  out.text("general.architecture", "hunyuan-dense")
      .u32("hunyuan-dense.context_length", shape.n_context)
      .u32("hunyuan-dense.embedding_length", shape.d_model)
      .u32("hunyuan-dense.block_count", shape.n_layers)
      .u32("hunyuan-dense.feed_forward_length", shape.d_ff)
      .u32("hunyuan-dense.attention.head_count", shape.n_heads)
      .u32("hunyuan-dense.attention.head_count_kv", shape.n_kv_heads)
      .u32("hunyuan-dense.attention.key_length", shape.d_head)
      .u32("hunyuan-dense.attention.value_length", shape.d_head)
      .f32("hunyuan-dense.attention.layer_norm_rms_epsilon", 1e-5f)
      .f32("hunyuan-dense.rope.freq_base", 500000)
      .u32("hunyuan-dense.vocab_size", shape.n_vocab);
  return out;
}

void add_tiny_tensors(GgufBuilder& builder, const TinyShape& shape) {
  const auto add = [&](const std::string& name, const std::vector<uint64_t>& sizes) {
    uint64_t bytes = 4;
    for (const uint64_t size : sizes) bytes *= size;
    builder.tensor(name + ".weight", sizes, 0, std::string(bytes, '\0'));
  };
  const uint64_t d_query = uint64_t{shape.n_heads} * shape.d_head;
  const uint64_t d_kv = uint64_t{shape.n_kv_heads} * shape.d_head;
  const uint64_t d_model = shape.d_model, d_ff = shape.d_ff, n_vocab = shape.n_vocab;
  add("token_embd", {n_vocab, d_model});
  add("output_norm", {d_model});
  if (!shape.tied) add("output", {n_vocab, d_model});
  for (uint32_t layer = 0; layer < shape.n_layers; ++layer) {
    const std::string block = "blk." + std::to_string(layer) + ".";
    add(block + "attn_norm", {d_model});
    add(block + "attn_q", {d_query, d_model});
    add(block + "attn_k", {d_kv, d_model});
    add(block + "attn_v", {d_kv, d_model});
    add(block + "attn_output", {d_model, d_query});
    add(block + "attn_q_norm", {shape.d_head});
    add(block + "attn_k_norm", {shape.d_head});
    add(block + "ffn_norm", {d_model});
    add(block + "ffn_gate", {d_ff, d_model});
    add(block + "ffn_up", {d_ff, d_model});
    add(block + "ffn_down", {d_model, d_ff});
  }
}

GgufBuilder tiny_model(const TinyShape& shape) {
  GgufBuilder out = tiny_metadata(shape);
  add_tiny_tensors(out, shape);
  return out;
}

}  // namespace hymt::test
