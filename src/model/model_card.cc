#include "model/model_card.h"

#include <algorithm>

#include "base/quote.h"
#include "checkpoint/checkpoint.h"
#include "model/family.h"
#include "model/generation.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;
using tokenizer::TokenKind;
using tokenizer::Vocabulary;

// The ids that files declare as ends of an answer. The last key is ours, for configurations that
// give more than two.
constexpr const char* kDeclared[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"};
constexpr const char* kDeclaredList = "hymt.eos_token_ids";

// Letters, digits and hyphens, as a language code is made of; which ones exist is not known here.
bool is_code(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !text.empty() && text.size() <= 16 &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

class Reader {
 public:
  Reader(const Checkpoint& checkpoint, const Vocabulary& vocabulary)
      : checkpoint_(checkpoint), vocabulary_(vocabulary) {}

  Result<ModelCard> read(std::optional<Generation> prompts) {
    const Family* family = find_family(vocabulary_);
    if (!family) return tl::unexpected(no_family());
    card_.name = model_name(checkpoint_);
    Found found = HYMT_TRY(find_generation(checkpoint_, *family, prompts));
    card_.generation = found.generation;
    card_.reasons.push_back(std::move(found.reason));
    make_template(*family);
    find_stops(*family);
    HYMT_TRY(add_declared_stops());
    HYMT_TRY(read_languages());
    return std::move(card_);
  }

 private:
  Token find(std::string_view text) const {
    return text.empty() ? -1 : find_control(vocabulary_, text);
  }
  std::string shown(Token id) const {
    return vocabulary_.tokens[static_cast<size_t>(id)] + " (" + std::to_string(id) + ")";
  }

  Error no_family() const {
    std::string message = checkpoint_.path +
                          ": the vocabulary has the special tokens of no "
                          "Hunyuan-MT model";
    for (const Family& family : families()) {
      message += "; the " + std::string(family.name) + " family has " + std::string(family.bos) +
                 ", " + std::string(family.user_end) + " and " + std::string(family.answer_end);
    }
    return {Code::unsupported, message, "tokenizer.ggml.tokens"};
  }

  void make_template(const Family& family) {
    const auto place = [&](std::string_view text, std::vector<Token>& where) {
      const Token id = find(text);
      if (id >= 0) where.push_back(id);
      return id;
    };
    std::string line = "template of the " + std::string(family.name) + " family: ";
    line += shown(place(family.bos, card_.chat.bos));
    if (const Token id = place(family.system_end, card_.chat.system_end); id >= 0) {
      line += " [system " + shown(id) + "]";
    }
    if (const Token id = place(family.user_start, card_.chat.user_start); id >= 0) {
      line += " " + shown(id);
    }
    line += " text " + shown(place(family.user_end, card_.chat.user_end));
    card_.reasons.push_back(line);
    if (checkpoint_.metadata.contains("tokenizer.chat_template")) {
      card_.reasons.push_back(
          "template of the file not used: converted ones are often wrong, the family's is built "
          "in");
    }
  }

  void add_stop(Token id) {
    if (std::find(card_.stop_ids.begin(), card_.stop_ids.end(), id) == card_.stop_ids.end()) {
      card_.stop_ids.push_back(id);
    }
  }

  void find_stops(const Family& family) {
    add_stop(find(family.answer_end));
    for (const std::string_view text : family.guards) {
      if (const Token id = find(text); id >= 0) add_stop(id);
    }
    std::string line = "stops at the family's";
    for (const Token id : card_.stop_ids) line += " " + shown(id);
    card_.reasons.push_back(line);
  }

  // A declared id counts only if it is a control token: published files have declared "$" to be
  // the end, and an engine that believes them stops at every price.
  void add_declared_stop(const std::string& key, int64_t id) {
    const std::string line = key + " " + std::to_string(id);
    if (id < 0 || id >= static_cast<int64_t>(vocabulary_.tokens.size())) {
      card_.reasons.push_back(line + " ignored: it is not in the vocabulary");
      return;
    }
    const auto at = static_cast<size_t>(id);
    if (vocabulary_.kinds[at] != TokenKind::control) {
      card_.reasons.push_back(line + " ignored: it is " + in_quotes(vocabulary_.tokens[at]) +
                              ", no control token");
      return;
    }
    const size_t before = card_.stop_ids.size();
    add_stop(static_cast<Token>(id));
    if (card_.stop_ids.size() > before) {
      card_.reasons.push_back("stops at " + in_quotes(vocabulary_.tokens[at]) + " (" +
                              std::to_string(id) + ") too: " + key + " says so");
    }
  }

  Result<void> add_declared_stops() {
    for (const char* key : kDeclared) {
      if (!checkpoint_.metadata.contains(key)) continue;
      add_declared_stop(key, HYMT_TRY(get_int(checkpoint_, key)));
    }
    const auto list = checkpoint_.metadata.find(kDeclaredList);
    if (list == checkpoint_.metadata.end()) return {};
    const auto* ids = std::get_if<std::vector<int64_t>>(&list->second);
    if (!ids) return tl::unexpected(bad(kDeclaredList, "is no list of integers"));
    for (const int64_t id : *ids) add_declared_stop(kDeclaredList, id);
    return {};
  }

  Result<void> read_languages() {
    const char* key = "hymt.languages";
    const auto at = checkpoint_.metadata.find(key);
    if (at == checkpoint_.metadata.end()) {
      card_.reasons.push_back("languages: all of the family's, as the file names none");
      return {};
    }
    const auto* codes = std::get_if<std::vector<std::string>>(&at->second);
    if (!codes || codes->empty()) return tl::unexpected(bad(key, "is no list of language codes"));
    std::string line = "languages, as " + std::string(key) + " says:";
    for (const std::string& code : *codes) {
      if (!is_code(code)) return tl::unexpected(bad(key, "has " + in_quotes(code)));
      line += " " + code;
    }
    card_.languages = *codes;
    card_.reasons.push_back(line);
    return {};
  }

  Error bad(const std::string& key, const std::string& what) const {
    return {Code::invalid_argument, checkpoint_.path + ": " + key + " " + what, key};
  }

  const Checkpoint& checkpoint_;
  const Vocabulary& vocabulary_;
  ModelCard card_;
};

}  // namespace

Result<ModelCard> read_card(const Checkpoint& checkpoint, const Vocabulary& vocabulary,
                            std::optional<Generation> prompts) {
  return Reader(checkpoint, vocabulary).read(prompts);
}

}  // namespace hymt::model
