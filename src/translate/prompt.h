// The words that each generation was trained on. They are functional strings (source: the
// publisher's model cards): to any other wording a model answers badly, so nothing here is ours to
// improve.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model_card.h"
#include "tokenizer/tokenizer.h"
#include "translate/language.h"

namespace hymt::translate {

using tokenizer::Token;

struct Term {
  std::string source;
  std::string target;
  std::string folded;  // `source` without regard to case, computed once for all texts
};
std::vector<Term> fold_terms(std::span<const std::pair<std::string, std::string>> glossary);

// What a translation is asked for with, besides its text. Points into the caller's request.
struct Wishes {
  const Language* source = nullptr;  // nullptr: not known
  const Language* target = nullptr;  // never nullptr
  std::span<const Term> glossary = {};
  std::string_view context = {};
  std::string_view style = {};
};

// The user's turn. Of a glossary it names the terms that occur in `text` (in any case of letters).
// The generations have a prompt for a glossary, for a context or for a style, not for several at
// once: the first that applies, in this order, is used.
std::string translation_prompt(model::Generation generation, const Wishes& wishes,
                               std::string_view text);

// One line for each wish that `generation` cannot follow, or not together with the others.
std::vector<std::string> prompt_warnings(model::Generation generation, const Wishes& wishes);

// Chimera: one refined translation out of several (up to 6). `source` must be known.
std::string fuse_prompt(const Language& source, const Language& target, std::string_view text,
                        std::span<const std::string> candidates);

// The user's turn in the chat template. Special tokens stand where the template puts them and
// nowhere else: the text is only ever text.
std::vector<Token> prompt_tokens(const model::ChatTemplate& chat,
                                 const tokenizer::Tokenizer& tokenizer, std::string_view user);

}  // namespace hymt::translate
