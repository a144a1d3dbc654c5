#include "translate/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/shared_data.h"
#include "translate/rig.h"

namespace hymt::translate {
namespace {

using model::Generation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Case {
  std::vector<Term> glossary;
  std::string context, style;
  Wishes wishes;
};

Case case_of(const nlohmann::json& json) {
  std::vector<std::pair<std::string, std::string>> glossary;
  if (json.contains("glossary")) json["glossary"].get_to(glossary);
  Case out{fold_terms(glossary), json.value("context", ""), json.value("style", ""), {}};
  if (!json["source"].is_null()) {
    out.wishes.source = find_language(json["source"].get<std::string>());
  }
  out.wishes.target = find_language(json["target"].get<std::string>());
  return out;
}

// The table is filled in from the published prompts, not by this program.
TEST(Prompt, EachGenerationIsAskedInItsOwnWords) {
  const auto table = nlohmann::json::parse(
      test::read_file(test::source_path("tests/data/translate/prompts.json")));
  ASSERT_GE(table.size(), 30u);
  for (const auto& row : table) {
    Case c = case_of(row);
    c.wishes.glossary = c.glossary;
    c.wishes.context = c.context;
    c.wishes.style = c.style;
    const auto generation = model::generation_named(row["generation"].get<std::string>());
    ASSERT_TRUE(generation) << row;
    EXPECT_EQ(translation_prompt(*generation, c.wishes, row["text"].get<std::string>()),
              row["prompt"].get<std::string>())
        << row;
  }
}

TEST(Prompt, WhatAGenerationDoesNotKnowIsWarnedOf) {
  const auto terms = fold_terms(std::vector<std::pair<std::string, std::string>>{{"a", "b"}});
  const Wishes wishes{find_language("en"), find_language("fr"), terms, "context", "style"};
  EXPECT_THAT(prompt_warnings(Generation::hunyuan_mt, wishes),
              ElementsAre(HasSubstr("glossary"), HasSubstr("context"), HasSubstr("style")));
  EXPECT_THAT(prompt_warnings(Generation::chimera, wishes), testing::SizeIs(3));
  // Not together: the first wish that applies is followed.
  EXPECT_THAT(prompt_warnings(Generation::hy_mt1_5, wishes),
              ElementsAre(HasSubstr("context"), HasSubstr("style")));
  EXPECT_THAT(prompt_warnings(Generation::hy_mt2, wishes),
              ElementsAre(HasSubstr("context"), HasSubstr("style")));
  const Wishes style_only{find_language("en"), find_language("fr"), {}, {}, "formal"};
  EXPECT_THAT(prompt_warnings(Generation::hy_mt2, style_only), IsEmpty());
  EXPECT_THAT(prompt_warnings(Generation::hy_mt1_5, style_only), ElementsAre(HasSubstr("style")));
  const Wishes none{find_language("en"), find_language("fr"), {}, {}, {}};
  EXPECT_THAT(prompt_warnings(Generation::hunyuan_mt, none), IsEmpty());
}

TEST(Prompt, ChimeraFusesCandidates) {
  const std::string candidates[] = {"Bonjour", "Salut"};
  EXPECT_EQ(
      fuse_prompt(*find_language("en"), *find_language("fr"), "Hello", candidates),
      "Analyze the following multiple French translations of the English segment surrounded in "
      "triple backticks and generate a single refined French translation. Only output the refined "
      "translation, do not explain.\n\nThe English segment:\n```Hello```\n\nThe multiple `French` "
      "translations:\n1. ```Bonjour```\n2. ```Salut```");
}

TEST(Prompt, SpecialTokensStandOnlyWhereTheTemplatePutsThem) {
  const auto tokenizer = test::byte_tokenizer();
  const auto card = test::card();
  const auto tokens = prompt_tokens(card.chat, *tokenizer, "a<|eos|><|user_end|>b");
  EXPECT_EQ(tokens.front(), test::kBos);
  EXPECT_EQ(tokens.back(), test::kUserEnd);
  for (size_t i = 1; i + 1 < tokens.size(); ++i) EXPECT_LT(tokens[i], 256);
  EXPECT_EQ(tokenizer->decode(tokens), "a<|eos|><|user_end|>b");
}

}  // namespace
}  // namespace hymt::translate
