#include "model/config.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "base/quote.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;

constexpr const char* kArchitecture = "hunyuan-dense";

// Far above every published model, and small enough that products of any two fit in 64 bits.
constexpr int kMaxLayers = 1024;
constexpr int kMaxWidth = 1 << 20;  // d_model, d_ff, n_heads * d_head
constexpr int kMaxHeads = 4096;
constexpr int kMaxHead = 1024;
constexpr int kMaxVocabulary = 1 << 21;
constexpr int kMaxContext = 1 << 24;

std::string key(const char* name) {
  return std::string(kArchitecture) + "." + name;
}

// The key's value as a message shows it.
std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class Reader {
 public:
  explicit Reader(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  Result<Config> read() {
    HYMT_TRY(architecture());
    Config config;
    config.n_layers = HYMT_TRY(size("block_count", 1, kMaxLayers));
    config.d_model = HYMT_TRY(size("embedding_length", 1, kMaxWidth));
    config.d_ff = HYMT_TRY(size("feed_forward_length", 1, kMaxWidth));
    config.n_context = HYMT_TRY(size("context_length", 1, kMaxContext));
    HYMT_TRY(heads(config));
    config.rms_epsilon = static_cast<float>(HYMT_TRY(
        number("attention.layer_norm_rms_epsilon", [](double e) { return e >= 0 && e < 1; })));
    config.rope_base = HYMT_TRY(rope_base(config.d_head));
    config.n_vocab = HYMT_TRY(vocabulary());
    return config;
  }

 private:
  tl::unexpected<Error> refuse(const std::string& key, const std::string& what,
                               Code code = Code::invalid_argument) const {
    return fail(code, checkpoint_.path + ": " + key + " " + what, key);
  }

  Result<void> architecture() const {
    const std::string name = HYMT_TRY(get_string(checkpoint_, "general.architecture"));
    if (name == kArchitecture) return {};
    return refuse("general.architecture",
                  "is " + in_quotes(name) + "; this program runs " + in_quotes(kArchitecture) +
                      " (Hunyuan-MT, HY-MT1.5, Hy-MT2 1.8B and 7B)",
                  Code::unsupported);
  }

  Result<int> size(const char* name, int low, int high) const {
    return checked(key(name), HYMT_TRY(get_int(checkpoint_, key(name))), low, high);
  }
  Result<int> size_or(const char* name, int low, int high, int otherwise) const {
    return checked(key(name), HYMT_TRY(get_int_or(checkpoint_, key(name), otherwise)), low, high);
  }
  Result<int> checked(const std::string& name, int64_t value, int low, int high) const {
    if (value >= low && value <= high) return static_cast<int>(value);
    return refuse(name, "is " + std::to_string(value) + ", not " + std::to_string(low) + " to " +
                            std::to_string(high));
  }

  template <class Check>
  Result<double> number(const char* name, Check check) const {
    const double value = HYMT_TRY(get_number(checkpoint_, key(name)));
    if (!check(value)) return refuse(key(name), "is " + shown(value) + ", out of range");
    return value;
  }

  Result<void> heads(Config& config) const {
    config.n_heads = HYMT_TRY(size("attention.head_count", 1, kMaxHeads));
    config.n_kv_heads = HYMT_TRY(size_or("attention.head_count_kv", 1, kMaxHeads, config.n_heads));
    if (config.n_heads % config.n_kv_heads != 0) {
      return refuse(key("attention.head_count"), "is " + std::to_string(config.n_heads) +
                                                     ", no multiple of head_count_kv " +
                                                     std::to_string(config.n_kv_heads));
    }
    config.d_head =
        HYMT_TRY(size_or("attention.key_length", 2, kMaxHead, config.d_model / config.n_heads));
    if (config.d_head % 2 != 0) {
      return refuse(key("attention.key_length"),
                    "is " + std::to_string(config.d_head) + ", an odd number");
    }
    const int d_value =
        HYMT_TRY(size_or("attention.value_length", 2, kMaxHead, config.d_model / config.n_heads));
    if (d_value != config.d_head) {
      return refuse(
          key("attention.value_length"),
          "is " + std::to_string(d_value) + ", not key_length " + std::to_string(config.d_head));
    }
    if (config.d_query() > kMaxWidth) {
      return refuse(key("attention.head_count"),
                    "times key_length is " + std::to_string(config.d_query()) + ", too large");
    }
    return {};
  }

  // Files hold the base already scaled, unless they carry the alpha to scale it by. No other
  // scaling belongs to this architecture; a file that wants one would be computed wrongly.
  Result<double> rope_base(int d_head) const {
    const std::string type = HYMT_TRY(get_string_or(checkpoint_, key("rope.scaling.type"), "none"));
    const double factor = HYMT_TRY(get_number_or(checkpoint_, key("rope.scaling.factor"), 1));
    if (type != "none" && type != "dynamic" && factor != 1 && factor != 0) {
      return refuse(key("rope.scaling.type"),
                    "is " + in_quotes(type) + " with factor " + shown(factor) +
                        ", a scaling that this architecture does not have",
                    Code::unsupported);
    }
    const auto sane = [](double base) { return base > 1 && base < 1e18; };
    const double base = HYMT_TRY(number("rope.freq_base", sane));
    const double alpha = HYMT_TRY(get_number_or(checkpoint_, key("rope.scaling.alpha"), 0));
    if (alpha <= 0) return base;
    if (d_head == 2) return refuse(key("rope.scaling.alpha"), "needs heads wider than 2");
    const double scaled = scaled_rope_base(base, alpha, d_head);
    if (!sane(scaled)) {
      return refuse(key("rope.scaling.alpha"), "is " + shown(alpha) + ", out of range");
    }
    return scaled;
  }

  // The embedding's rows. A vocabulary may have fewer tokens: some files pad the rows only.
  Result<int> vocabulary() const {
    const checkpoint::Tensor* embedding = checkpoint_.find("token_embd.weight");
    if (!embedding) return refuse("token_embd.weight", "is missing: no tensor of this name");
    const int n_vocab = HYMT_TRY(
        checked("token_embd.weight's number of rows", embedding->rows(), 1, kMaxVocabulary));
    const int64_t declared = HYMT_TRY(get_int_or(checkpoint_, key("vocab_size"), int64_t{n_vocab}));
    if (declared != n_vocab) {
      return refuse(key("vocab_size"), "is " + std::to_string(declared) +
                                           ", but token_embd.weight has " +
                                           std::to_string(n_vocab) + " rows");
    }
    const auto tokens = checkpoint_.metadata.find("tokenizer.ggml.tokens");
    if (tokens != checkpoint_.metadata.end()) {
      const auto* texts = std::get_if<std::vector<std::string>>(&tokens->second);
      if (texts && texts->size() > static_cast<size_t>(n_vocab)) {
        return refuse("tokenizer.ggml.tokens", "has " + std::to_string(texts->size()) +
                                                   " entries, but token_embd.weight only " +
                                                   std::to_string(n_vocab) + " rows");
      }
    }
    return n_vocab;
  }

  const Checkpoint& checkpoint_;
};

}  // namespace

Result<Config> read_config(const Checkpoint& checkpoint) {
  return Reader(checkpoint).read();
}

std::vector<double> rope_frequencies(const Config& config) {
  std::vector<double> frequencies(static_cast<size_t>(config.d_head) / 2);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = std::pow(config.rope_base, -2.0 * static_cast<double>(i) / config.d_head);
  }
  return frequencies;
}

double scaled_rope_base(double theta, double alpha, int d_head) {
  return theta * std::pow(alpha, static_cast<double>(d_head) / (d_head - 2));
}

}  // namespace hymt::model
