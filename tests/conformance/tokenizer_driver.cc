// Tokenizes for the conformance tests: a JSON string a line on standard input, an array a line on
// standard output: token ids, or with "words" the pre-tokenizer's words.
//
//   tokenizer_driver ids hy.tiktoken|model.gguf
//   tokenizer_driver words hunyuan|hunyuan-dense
//   tokenizer_driver assigned unicode      (takes no input: the ranges of code points it knows)
#include <unicode/uchar.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/words.h"

namespace {

using namespace hymt;

Result<tokenizer::Vocabulary> read_vocabulary(const std::string& path) {
  if (!path.ends_with(".tiktoken")) {
    auto checkpoint = HYMT_TRY(model::open_checkpoint(path));
    return HYMT_TRY(model::load(std::move(checkpoint))).vocabulary;
  }
  const auto file = HYMT_TRY(MappedFile::open(path));
  return tokenizer::read_tiktoken(
      {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}, path);
}

template <class Answer>
Result<void> answer_lines(Answer answer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto text = HYMT_TRY(parse_json(line, "standard input"));
    std::cout << nlohmann::json(answer(text.get_ref<const std::string&>())).dump() << '\n';
  }
  return {};
}

// Engines carry different versions of Unicode: texts are comparable where all know the characters.
void print_assigned() {
  nlohmann::json ranges = nlohmann::json::array();
  for (UChar32 c = 0; c <= UCHAR_MAX_VALUE; ++c) {
    if (!u_isdefined(c)) continue;
    const UChar32 first = c;
    while (c < UCHAR_MAX_VALUE && u_isdefined(c + 1)) ++c;
    ranges.push_back({first, c});
  }
  std::cout << ranges.dump() << '\n';
}

Result<void> run(const std::string& what, const std::string& with) {
  if (what == "assigned") {
    print_assigned();
    return {};
  }
  if (what == "words") {
    const auto pre = with == "hunyuan" ? tokenizer::PreTokenizer::hunyuan
                                       : tokenizer::PreTokenizer::hunyuan_dense;
    return answer_lines([&](const std::string& text) { return split_words(pre, text); });
  }
  auto vocabulary = HYMT_TRY(read_vocabulary(with));
  const auto tokenizer = HYMT_TRY(tokenizer::Tokenizer::make(std::move(vocabulary)));
  return answer_lines([&](const std::string& text) { return tokenizer->encode(text); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tokenizer_driver ids FILE | words PRE_TOKENIZER\n");
    return 2;
  }
  std::ios::sync_with_stdio(false);
  if (const auto done = run(argv[1], argv[2]); !done) {
    std::fprintf(stderr, "tokenizer_driver: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
