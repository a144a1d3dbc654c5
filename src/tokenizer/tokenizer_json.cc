// Hugging Face's tokenizer.json, as far as it describes a byte-level BPE with one of the family's
// pre-tokenizers. Anything else it asks for is refused by name: a vocabulary that is read but cut
// otherwise gives other ids, and the model answers nonsense without anyone being told.
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/json.h"
#include "base/quote.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {
namespace {

using nlohmann::json;

constexpr std::string_view kHunyuan =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::array<std::string_view, 3> kDense = {
    R"(\p{N}{1,3})", "[一-龥\u3040-ゟ゠-ヿ]+",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

// The member if it is there and not null.
const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

std::string text_of(const json* value) {
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

bool is_true(const json* value) {
  return value && value->is_boolean() && value->get<bool>();
}

class Reader {
 public:
  Reader(const json& root, const std::string& source) : root_(root), source_(source) {
    vocabulary_.source = source;
  }

  Result<Vocabulary> read() {
    const json* model = member(root_, "model");
    if (!model || !model->is_object()) return refuse("model", "is missing");
    id_limit_ = id_limit();
    HYMT_TRY(check_model(*model));
    HYMT_TRY(read_pre_tokenizer());
    HYMT_TRY(check_normalizer());
    HYMT_TRY(read_vocab(*model));
    HYMT_TRY(read_merges(*model));
    HYMT_TRY(read_added_tokens());
    return std::move(vocabulary_);
  }

 private:
  tl::unexpected<Error> refuse(const std::string& field, const std::string& what,
                               Code code = Code::invalid_argument) const {
    return fail(code, source_ + ": " + field + " " + what, field);
  }
  tl::unexpected<Error> unsupported(const std::string& field, const std::string& what) const {
    return refuse(field, what, Code::unsupported);
  }

  Result<void> check_model(const json& model) {
    const std::string type = text_of(member(model, "type"));
    if (type != "BPE" && !type.empty()) {
      return unsupported("model.type", "is " + in_quotes(type) + "; byte-level BPE is supported");
    }
    for (const char* flag : {"byte_fallback", "fuse_unk"}) {
      if (is_true(member(model, flag))) {
        return unsupported(std::string("model.") + flag, "is set; byte-level BPE is supported");
      }
    }
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!text_of(member(model, affix)).empty()) {
        return unsupported(std::string("model.") + affix, "is set; byte-level BPE is supported");
      }
    }
    vocabulary_.whole_words = is_true(member(model, "ignore_merges"));
    return {};
  }

  // Collects the patterns of the splits, in order, from any nesting of sequences.
  Result<void> collect(const json& step, std::vector<std::string>& patterns, bool& byte_level) {
    const std::string type = text_of(member(step, "type"));
    if (type == "Sequence") {
      const json* steps = member(step, "pretokenizers");
      if (!steps || !steps->is_array()) return refuse("pre_tokenizer", "is a sequence of nothing");
      for (const json& one : *steps) HYMT_TRY(collect(one, patterns, byte_level));
      return {};
    }
    if (type == "ByteLevel") {
      const json* use_regex = member(step, "use_regex");
      if (!use_regex || is_true(use_regex) || is_true(member(step, "add_prefix_space"))) {
        return unsupported("pre_tokenizer", "splits or adds blanks in its ByteLevel step");
      }
      byte_level = true;
      return {};
    }
    const json* pattern = member(step, "pattern");
    if (type != "Split" || !pattern || text_of(member(step, "behavior")) != "Isolated" ||
        is_true(member(step, "invert"))) {
      return unsupported("pre_tokenizer", "has a step " + in_quotes(type) +
                                              "; isolating splits and ByteLevel are supported");
    }
    std::string text;
    for (const char c :
         text_of(member(*pattern, "Regex"))) {  // line ends as the pattern or as JSON
      text += c == '\r' ? "\\r" : c == '\n' ? "\\n" : std::string(1, c);
    }
    patterns.push_back(std::move(text));
    return {};
  }

  Result<void> read_pre_tokenizer() {
    std::vector<std::string> patterns;
    bool byte_level = false;
    const json* step = member(root_, "pre_tokenizer");
    if (!step) return refuse("pre_tokenizer", "is missing");
    HYMT_TRY(collect(*step, patterns, byte_level));
    if (!byte_level) return unsupported("pre_tokenizer", "is not byte-level");
    if (patterns.size() == 1 && patterns[0] == kHunyuan) {
      vocabulary_.pre = PreTokenizer::hunyuan;
    } else if (std::equal(patterns.begin(), patterns.end(), kDense.begin(), kDense.end())) {
      vocabulary_.pre = PreTokenizer::hunyuan_dense;
    } else {
      return unsupported("pre_tokenizer", "has the pattern " +
                                              in_quotes(patterns.empty() ? "" : patterns.back()) +
                                              ", which is none of Hunyuan-MT's");
    }
    return {};
  }

  // The 7B family's text is brought to NFC whether its file says so or leaves it to the
  // publisher's own program; the 1.8B family's never is.
  Result<void> check_normalizer() {
    const json* normalizer = member(root_, "normalizer");
    if (!normalizer) return {};
    const std::string type = text_of(member(*normalizer, "type"));
    if (type == "NFC" && vocabulary_.pre == PreTokenizer::hunyuan) return {};
    const json* steps = member(*normalizer, "normalizers");
    if (type == "Sequence" && steps && steps->empty()) return {};
    return unsupported("normalizer",
                       "is " + in_quotes(type) + "; NFC is, with the 7B pre-tokenizer");
  }

  Result<void> put(Token id, std::string text, TokenKind kind, const std::string& field) {
    const auto at = static_cast<size_t>(id);
    if (at >= vocabulary_.tokens.size()) {
      // The ids between are holes unless something fills them later.
      vocabulary_.tokens.resize(at + 1);
      vocabulary_.kinds.resize(at + 1, TokenKind::unused);
    }
    if (vocabulary_.kinds[at] != TokenKind::unused && vocabulary_.tokens[at] != text) {
      return refuse(field, "gives the id " + std::to_string(id) + " to two tokens");
    }
    vocabulary_.tokens[at] = std::move(text);
    vocabulary_.kinds[at] = kind;
    return {};
  }

  // Ids may leave holes, but what is allocated for them grows with the file alone.
  size_t id_limit() const {
    const auto count = [](const json* list) { return list ? list->size() : size_t{0}; };
    const json* model = member(root_, "model");
    const size_t listed = count(member(*model, "vocab")) + count(member(root_, "added_tokens"));
    return std::min(kMaxTokens, 1024 + 4 * listed);
  }

  Result<Token> id_of(const json* value, const std::string& field) {
    if (!value || !value->is_number_integer() || *value < 0 || *value >= id_limit_) {
      return refuse(field,
                    "has an id that is no number from 0 to " + std::to_string(id_limit_ - 1));
    }
    return value->get<Token>();
  }

  Result<void> read_vocab(const json& model) {
    const json* vocab = member(model, "vocab");
    if (!vocab || !vocab->is_object() || vocab->empty()) return refuse("model.vocab", "is empty");
    for (const auto& [text, id] : vocab->items()) {
      const Token token = HYMT_TRY(id_of(&id, "model.vocab"));
      // Added tokens may be listed here too, as they are; those are put right in their turn.
      auto bytes = from_byte_level(text);
      HYMT_TRY(put(token, bytes ? *std::move(bytes) : text,
                   bytes ? TokenKind::normal : TokenKind::unused, "model.vocab"));
      ids_.emplace(text, token);
    }
    return {};
  }

  Result<void> read_merges(const json& model) {
    const json* merges = member(model, "merges");
    if (!merges || !merges->is_array()) return refuse("model.merges", "is no list");
    for (size_t i = 0; i < merges->size(); ++i) {
      const json& merge = (*merges)[i];
      std::string left, right;
      if (merge.is_string()) {
        const auto text = merge.get<std::string>();
        const size_t blank = text.find(' ');
        left = text.substr(0, blank);
        if (blank != std::string::npos) right = text.substr(blank + 1);
      } else if (merge.is_array() && merge.size() == 2) {
        left = text_of(&merge[0]);
        right = text_of(&merge[1]);
      }
      const auto left_id = ids_.find(left);
      const auto right_id = ids_.find(right);
      if (left_id == ids_.end() || right_id == ids_.end()) {
        return refuse("model.merges", "entry " + std::to_string(i) + " (" +
                                          in_quotes(left + " " + right) +
                                          ") is no pair of the vocabulary's tokens");
      }
      vocabulary_.merges.emplace_back(left_id->second, right_id->second);
    }
    return {};
  }

  Result<void> read_added_tokens() {
    const json* added = member(root_, "added_tokens");
    if (!added) return {};
    if (!added->is_array()) return refuse("added_tokens", "is no list");
    for (const json& one : *added) {
      const std::string text = text_of(member(one, "content"));
      const Token id = HYMT_TRY(id_of(member(one, "id"), "added_tokens"));
      if (text.empty()) return refuse("added_tokens", "has an entry without content");
      const bool special = is_true(member(one, "special")) || looks_special(text);
      const TokenKind kind = special ? TokenKind::control : TokenKind::user_defined;
      // An id that the vocabulary lists too is the same token under its final name.
      if (static_cast<size_t>(id) < vocabulary_.kinds.size()) {
        const auto listed = ids_.find(text);
        if (listed != ids_.end() && listed->second == id) {
          vocabulary_.kinds[static_cast<size_t>(id)] = TokenKind::unused;
        }
      }
      HYMT_TRY(put(id, text, kind, "added_tokens"));
    }
    return {};
  }

  const json& root_;
  const std::string& source_;
  Vocabulary vocabulary_;
  size_t id_limit_ = 0;
  std::unordered_map<std::string, Token> ids_;  // by the text that the file uses
};

}  // namespace

Result<Vocabulary> read_tokenizer_json(std::string_view text, const std::string& source) {
  const json root = HYMT_TRY(parse_json(text, source));
  return Reader(root, source).read();
}

}  // namespace hymt::tokenizer
