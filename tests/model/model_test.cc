// Loading whole models: the demo model, whose ids its publisher's files state.
#include "model/model.h"

#include <gmock/gmock.h>

#include "support/shared_data.h"
#include "tokenizer/tokenizer.h"

namespace hymt::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Model> load_demo(std::optional<Generation> prompts = std::nullopt) {
  return load(HYMT_TRY(open_checkpoint(test::source_path("models/demo.gguf"))), prompts);
}

TEST(Model, LoadsTheDemoModel) {
  const auto model = load_demo();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->config.d_model, 256);
  EXPECT_EQ(model->weights.layers.size(), 6u);
  EXPECT_EQ(model->vocabulary.tokens.size(), 8192u);
  EXPECT_EQ(model->vocabulary.merges.size(), 7928u);
  EXPECT_EQ(model->vocabulary.pre, tokenizer::PreTokenizer::hunyuan);

  // Ids: tokenizer.json of the model.
  const ModelCard& card = model->card;
  EXPECT_EQ(card.name, "hymt demo");
  EXPECT_EQ(card.generation, Generation::hunyuan_mt);
  EXPECT_THAT(card.chat.bos, ElementsAre(8185));
  EXPECT_THAT(card.chat.system_end, ElementsAre(8190));
  EXPECT_THAT(card.chat.user_start, IsEmpty());
  EXPECT_THAT(card.chat.user_end, ElementsAre(8189));
  EXPECT_THAT(card.stop_ids, ElementsAre(8187, 8184, 8191));
  EXPECT_THAT(card.languages, ElementsAre("zh", "en", "fr", "de", "es", "ja"));
}

TEST(Model, TakesTheGenerationItIsAskedToTake) {
  const auto model = load_demo(Generation::hy_mt2);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->card.generation, Generation::hy_mt2);
  EXPECT_THAT(model->card.reasons, testing::Contains(HasSubstr("asked for")));
}

TEST(Model, TokenizesWithTheDemoModelsVocabulary) {
  auto model = load_demo();
  ASSERT_TRUE(model);
  const auto tokenizer = tokenizer::Tokenizer::make(std::move(model->vocabulary));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const std::string text =
      "把下面的文本翻译成英语，不要额外解释。\n\nPas 12 <|eos|> \xF0\x9F\x98\x80!";
  const auto tokens = (*tokenizer)->encode(text);
  EXPECT_EQ((*tokenizer)->decode(tokens), text);
  for (const Token token : tokens) EXPECT_LT(token, 8184) << "a special token";
}

TEST(Model, SaysWhatToDoAboutAPathThatIsNoModel) {
  const auto missing = open_checkpoint("/no/such/model.gguf");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("/no/such/model.gguf"));

  const auto text = open_checkpoint(test::source_path("LICENSE"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::invalid_argument);
  EXPECT_THAT(text.error().message, HasSubstr("LICENSE"));
}

}  // namespace
}  // namespace hymt::model
