// hymt tokenize: the tokens that a model sees in a text.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/read_text.h"
#include "cli/service.h"
#include "model/gguf_vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace hymt::cli {
namespace {

using nlohmann::json;

struct TokenizeOptions {
  std::string model;
  std::string text = "-";
  bool as_json = false;
};

// The bytes so that they can be told apart in a line: what is no printable ASCII or whole
// character as an escape.
std::string shown(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const bool whole = check_utf8(bytes, "piece").has_value();
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !whole)) {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

void print_json(const tokenizer::Tokenizer& tokenizer,
                const std::vector<tokenizer::Token>& tokens) {
  json pieces = json::array();
  for (const auto token : tokens) pieces.push_back(tokenizer.bytes(token));
  // Pieces may be halves of characters: shown as U+FFFD.
  std::cout << json{{"ids", tokens}, {"pieces", std::move(pieces)}}.dump(
                   -1, ' ', false, json::error_handler_t::replace)
            << "\n";
}

Result<void> tokenize(const TokenizeOptions& options) {
  const std::string text = options.text == "-" ? HYMT_TRY(read_text(options.text)) : options.text;
  HYMT_TRY(check_utf8(text, "the text"));
  const auto checkpoint = HYMT_TRY(open_model(options.model));
  auto vocabulary = HYMT_TRY(model::read_vocabulary(checkpoint));
  const auto tokenizer = HYMT_TRY(tokenizer::Tokenizer::make(std::move(vocabulary)));
  const auto tokens = tokenizer->encode(text);
  if (options.as_json) {
    print_json(*tokenizer, tokens);
    return {};
  }
  for (const auto token : tokens) {
    std::cout << token << "\t" << shown(tokenizer->bytes(token)) << "\n";
  }
  return {};
}

}  // namespace

void add_tokenize(CLI::App& app, Action& action) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* command = app.add_subcommand(
      "tokenize", "Print the token ids and pieces of a text, which no template surrounds");
  command->add_option(
      "--model", options->model,
      "A .gguf file, a Hugging Face folder, or demo (default: $HYMT_MODEL, else the "
      "demo model inside this program)");
  command->add_option("text", options->text, "The text; - or nothing reads standard input");
  command->add_flag("--json", options->as_json, "One object: {\"ids\": […], \"pieces\": […]}");
  command->callback([options, &action] { action = [options] { return tokenize(*options); }; });
}

}  // namespace hymt::cli
