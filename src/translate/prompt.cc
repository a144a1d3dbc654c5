#include "translate/prompt.h"

#include <string.h>
#include <unicode/unistr.h>

#include <initializer_list>

namespace hymt::translate {
namespace {

using model::Generation;

std::string join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const auto part : parts) text += part;
  return text;
}

std::string folded(std::string_view text) {
  const auto size = static_cast<int32_t>(text.size());
  std::string out;
  return icu::UnicodeString::fromUTF8({text.data(), size}).foldCase().toUTF8String(out);
}

std::vector<const Term*> terms_in(std::string_view text, std::span<const Term> glossary) {
  std::vector<const Term*> found;
  if (glossary.empty()) return found;
  const std::string all = folded(text);
  for (const auto& term : glossary) {
    // Linear, whatever the two hold, which std::string::find is not.
    if (memmem(all.data(), all.size(), term.folded.data(), term.folded.size()) != nullptr) {
      found.push_back(&term);
    }
  }
  return found;
}

// What a generation can be told besides the text.
struct Abilities {
  bool glossary = false;
  bool context = false;
  bool style = false;
};

Abilities abilities(Generation generation) {
  switch (generation) {
    case Generation::hy_mt1_5:
      return {.glossary = true, .context = true};
    case Generation::hy_mt2:
      return {.glossary = true, .context = true, .style = true};
    case Generation::hunyuan_mt:
    case Generation::chimera:
      break;
  }
  return {};
}

// One translation in the words of one language.
class Writer {
 public:
  Writer(Generation generation, const Wishes& wishes, std::string_view text)
      : generation_(generation), wishes_(wishes), text_(text) {
    chinese_ = is_chinese(*wishes.target) || (wishes.source && is_chinese(*wishes.source));
  }

  std::string plain() const {
    if (generation_ == Generation::hy_mt2) {
      return chinese_ ? plain_in_chinese("\n\n")
                      : join({"Translate the following text into ", target(),
                              ". Note that you should only output the translated result without "
                              "any additional explanation:\n\n",
                              text_});
    }
    if (!chinese_) {
      return join({"Translate the following segment into ", target(),
                   ", without additional explanation.\n\n", text_});
    }
    if (generation_ == Generation::hy_mt1_5) return plain_in_chinese("\n\n");
    return join({"把下面的文本翻译成", target(), "，不要额外解释。\n\n", text_});
  }

  std::string with_terms(const std::vector<const Term*>& terms) {
    if (generation_ == Generation::hy_mt1_5) {  // knows these words in Chinese only
      chinese_ = true;
      return join({"参考下面的翻译：\n", listed(terms, " 翻译成 "), "\n", plain_in_chinese("\n")});
    }
    if (chinese_) {
      return join({"参考下面的翻译：\n", listed(terms, " 翻译成 "), plain_in_chinese("\n\n")});
    }
    return join({"Reference the following translations:\n", listed(terms, " translates to "),
                 "\nTranslate the following text into ", target(),
                 ". Note that you must ONLY output the translated result without any additional "
                 "explanation:\n\n",
                 text_});
  }

  std::string with_context() {
    if (generation_ == Generation::hy_mt1_5) {  // knows these words in Chinese only
      chinese_ = true;
      return join({wishes_.context, "\n参考上面的信息，把下面的文本翻译成", target(),
                   "，注意不需要翻译上文，也不要额外解释：\n", text_, "\n"});
    }
    if (chinese_) {
      return join({"【背景信息】\n", wishes_.context, "\n\n请结合背景信息将以下文本翻译为",
                   target(), "。\n\n【待翻译文本】\n", text_});
    }
    return join({"[Background Information]\n", wishes_.context,
                 "\n\nPlease translate the following text into ", target(),
                 ", taking the provided background information into consideration.\n\n"
                 "[Source Text]\n",
                 text_});
  }

  std::string with_style() const {
    if (chinese_) {
      return join({"请将以下文本翻译为", target(), "。\n注意翻译的风格要严格符合【", wishes_.style,
                   "】\n\n", text_});
    }
    return join({"Please translate the following text into ", target(),
                 ". Note that the translation style must strictly conform to [", wishes_.style,
                 "]:\n\n", text_});
  }

 private:
  std::string_view target() const {
    return chinese_ ? wishes_.target->chinese : wishes_.target->english;
  }

  std::string plain_in_chinese(std::string_view gap) const {
    return join(
        {"将以下文本翻译为", target(), "，注意只需要输出翻译后的结果，不要额外解释：", gap, text_});
  }

  // "A translates to B", a line each.
  std::string listed(const std::vector<const Term*>& terms, std::string_view verb) const {
    std::string lines;
    for (const Term* term : terms) lines += join({term->source, verb, term->target, "\n"});
    return lines;
  }

  Generation generation_;
  const Wishes& wishes_;
  std::string_view text_;
  bool chinese_;  // the prompt is worded in Chinese
};

}  // namespace

std::vector<Term> fold_terms(std::span<const std::pair<std::string, std::string>> glossary) {
  std::vector<Term> terms;
  terms.reserve(glossary.size());
  for (const auto& [source, target] : glossary) terms.push_back({source, target, folded(source)});
  return terms;
}

std::string translation_prompt(Generation generation, const Wishes& wishes, std::string_view text) {
  const Abilities can = abilities(generation);
  Writer writer(generation, wishes, text);
  if (can.glossary) {
    const auto terms = terms_in(text, wishes.glossary);
    if (!terms.empty()) return writer.with_terms(terms);
  }
  if (can.context && !wishes.context.empty()) return writer.with_context();
  if (can.style && !wishes.style.empty()) return writer.with_style();
  return writer.plain();
}

std::vector<std::string> prompt_warnings(Generation generation, const Wishes& wishes) {
  const Abilities can = abilities(generation);
  std::vector<std::string> warnings;
  std::string_view used;  // by an earlier wish
  const auto consider = [&](std::string_view wish, bool wished, bool able) {
    if (!wished) return;
    if (!able) {
      warnings.push_back(
          join({wish, " was ignored: models of the generation ", name(generation), " know none"}));
    } else if (!used.empty()) {
      warnings.push_back(join(
          {wish, " was ignored where ", used, " applies: the model takes one of them at a time"}));
    } else {
      used = wish;
    }
  };
  consider("glossary", !wishes.glossary.empty(), can.glossary);
  consider("context", !wishes.context.empty(), can.context);
  consider("style", !wishes.style.empty(), can.style);
  return warnings;
}

std::string fuse_prompt(const Language& source, const Language& target, std::string_view text,
                        std::span<const std::string> candidates) {
  constexpr std::string_view kFence = "```";
  std::string prompt = join(
      {"Analyze the following multiple ", target.english, " translations of the ", source.english,
       " segment surrounded in triple backticks and generate a single refined ", target.english,
       " translation. Only output the refined translation, do not explain.\n\nThe ", source.english,
       " segment:\n", kFence, text, kFence, "\n\nThe multiple `", target.english,
       "` translations:"});
  for (size_t i = 0; i < candidates.size(); ++i) {
    prompt += join({"\n", std::to_string(i + 1), ". ", kFence, candidates[i], kFence});
  }
  return prompt;
}

std::vector<Token> prompt_tokens(const model::ChatTemplate& chat,
                                 const tokenizer::Tokenizer& tokenizer, std::string_view user) {
  std::vector<Token> tokens = chat.bos;
  const auto append = [&](const std::vector<Token>& more) {
    tokens.insert(tokens.end(), more.begin(), more.end());
  };
  append(chat.user_start);
  append(tokenizer.encode(user));
  append(chat.user_end);
  return tokens;
}

}  // namespace hymt::translate
