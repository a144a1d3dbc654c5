// Facts: the publisher's model cards, chat templates and configurations.
#include "model/model_card.h"

#include <gmock/gmock.h>

#include "checkpoint/checkpoint.h"
#include "support/small_vocabulary.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tokenizer::Vocabulary;

// Ids 256 to 262.
Vocabulary seven_vocabulary() {
  return test::small_vocabulary({}, {"<|endoftext|>", "<|startoftext|>", "<|eos|>", "<|pad|>",
                                     "<|extra_0|>", "<|extra_4|>", "<|extra_5|>"});
}

// Ids 256 to 262.
Vocabulary dense_vocabulary() {
  return test::small_vocabulary(
      {},
      {"<｜hy_begin▁of▁sentence｜>", "<｜hy_pad▁｜>", "<｜hy_User｜>", "<｜hy_Assistant｜>",
       "<｜hy_place▁holder▁no▁2｜>", "<｜hy_place▁holder▁no▁3｜>", "<｜hy_place▁holder▁no▁8｜>"},
      tokenizer::PreTokenizer::hunyuan_dense);
}

Checkpoint named(const std::string& path, const std::string& name = "") {
  Checkpoint checkpoint{.path = path, .metadata = {}, .tensors = {}, .owners = {}};
  if (!name.empty()) checkpoint.metadata["general.name"] = name;
  return checkpoint;
}

ModelCard card_of(const Checkpoint& checkpoint, const Vocabulary& vocabulary) {
  auto card = read_card(checkpoint, vocabulary);
  EXPECT_TRUE(card) << card.error().message;
  return card ? *std::move(card) : ModelCard();
}

Generation generation_of(const Checkpoint& checkpoint, const Vocabulary& vocabulary) {
  return card_of(checkpoint, vocabulary).generation;
}

TEST(ModelCard, TemplateOfThe7BFamily) {
  const ModelCard card = card_of(named("m.gguf"), seven_vocabulary());
  EXPECT_THAT(card.chat.bos, ElementsAre(257));
  EXPECT_THAT(card.chat.system_end, ElementsAre(261));
  EXPECT_THAT(card.chat.user_start, IsEmpty());
  EXPECT_THAT(card.chat.user_end, ElementsAre(260));
  EXPECT_THAT(card.stop_ids, ElementsAre(258, 256, 262));
}

TEST(ModelCard, TemplateOfThe1_8BFamily) {
  const ModelCard card = card_of(named("m.gguf"), dense_vocabulary());
  EXPECT_THAT(card.chat.bos, ElementsAre(256));
  EXPECT_THAT(card.chat.system_end, ElementsAre(261));
  EXPECT_THAT(card.chat.user_start, ElementsAre(258));
  EXPECT_THAT(card.chat.user_end, ElementsAre(259));
  EXPECT_THAT(card.stop_ids, ElementsAre(260, 262, 258));
}

TEST(ModelCard, RecommendsWhatThePublisherDoes) {
  const Sampling sampling = card_of(named("m.gguf"), seven_vocabulary()).recommended;
  EXPECT_EQ(sampling.top_k, 20);
  EXPECT_FLOAT_EQ(sampling.top_p, 0.6f);
  EXPECT_FLOAT_EQ(sampling.temperature, 0.7f);
  EXPECT_FLOAT_EQ(sampling.repetition_penalty, 1.05f);
}

// The official Hy-MT2-7B files declare the token "$" to be the end.
TEST(ModelCard, DoesNotStopAtADollarBecauseTheFileSaysSo) {
  Checkpoint checkpoint = named("m.gguf");
  checkpoint.metadata["tokenizer.ggml.eos_token_id"] = int64_t{'$'};
  checkpoint.metadata["tokenizer.ggml.eot_token_id"] = int64_t{258};
  const ModelCard card = card_of(checkpoint, seven_vocabulary());
  EXPECT_THAT(card.stop_ids, ElementsAre(258, 256, 262));
  EXPECT_THAT(card.reasons, Contains("tokenizer.ggml.eos_token_id 36 ignored: it is '$', no "
                                     "control token"));
}

TEST(ModelCard, AddsDeclaredEndsThatAreControlTokens) {
  Checkpoint checkpoint = named("m.gguf");
  checkpoint.metadata["tokenizer.ggml.eos_token_id"] = int64_t{258};
  checkpoint.metadata["tokenizer.ggml.eot_token_id"] = int64_t{-1};
  checkpoint.metadata["hymt.eos_token_ids"] = std::vector<int64_t>{259, 258, 1 << 20};
  EXPECT_THAT(card_of(checkpoint, seven_vocabulary()).stop_ids, ElementsAre(258, 256, 262, 259));

  checkpoint.metadata["tokenizer.ggml.eos_token_id"] = std::string("258");
  const auto card = read_card(checkpoint, seven_vocabulary());
  ASSERT_FALSE(card);
  EXPECT_EQ(card.error().field, "tokenizer.ggml.eos_token_id");
}

TEST(ModelCard, OnlyControlTokensMakeAFamily) {
  Vocabulary vocabulary = seven_vocabulary();
  vocabulary.kinds[257] = tokenizer::TokenKind::normal;  // <|startoftext|>, as text
  const auto card = read_card(named("llama.gguf"), vocabulary);
  ASSERT_FALSE(card);
  EXPECT_EQ(card.error().code, Code::unsupported);
  EXPECT_THAT(card.error().message, HasSubstr("llama.gguf: "));
  EXPECT_THAT(card.error().message, HasSubstr("<|startoftext|>"));
}

TEST(ModelCard, TheFileTellsTheGeneration) {
  Checkpoint checkpoint = named("m.gguf", "Hunyuan-MT-7B");
  for (const char* name : {"hunyuan-mt", "hy-mt1.5", "hy-mt2", "chimera"}) {
    checkpoint.metadata["hymt.prompts"] = std::string(name);
    EXPECT_EQ(generation_of(checkpoint, seven_vocabulary()), generation_named(name));
  }
  checkpoint.metadata["hymt.prompts"] = std::string("hy-mt9");
  const auto card = read_card(checkpoint, seven_vocabulary());
  ASSERT_FALSE(card);
  EXPECT_EQ(card.error().field, "hymt.prompts");
  EXPECT_THAT(card.error().message, HasSubstr("'hy-mt9', none of hunyuan-mt, hy-mt1.5"));
}

TEST(ModelCard, NamesTellTheGenerationOfOtherFiles) {
  using enum Generation;
  const Vocabulary seven = seven_vocabulary(), dense = dense_vocabulary();
  EXPECT_EQ(generation_of(named("m.gguf", "Hunyuan MT 7B"), seven), hunyuan_mt);
  EXPECT_EQ(generation_of(named("m.gguf", "Hunyuan-MT-Chimera-7B"), seven), chimera);
  EXPECT_EQ(generation_of(named("m.gguf", "HY-MT1.5-7B"), seven), hy_mt1_5);
  EXPECT_EQ(generation_of(named("m.gguf", "Hy MT2 7B"), seven), hy_mt2);
  EXPECT_EQ(generation_of(named("m.gguf", "HY-MT1.5-1.8B"), dense), hy_mt1_5);
  EXPECT_EQ(generation_of(named("m.gguf", "Hy-MT2-1.8B"), dense), hy_mt2);
  EXPECT_EQ(generation_of(named("/models/hy-mt2-1.8b-q4_k_m.gguf"), dense), hy_mt2);
  EXPECT_EQ(generation_of(named("/models/Hunyuan-MT-Chimera-7B/"), seven), chimera);
  EXPECT_EQ(generation_of(named("/hub/models--tencent--HY-MT1.5-7B/snapshots/0a1b2c"), seven),
            hy_mt1_5);
  Checkpoint tuned = named("m.gguf", "my tune");
  tuned.metadata["general.base_model.0.name"] = std::string("Hy MT2 7B");
  EXPECT_EQ(generation_of(tuned, seven), hy_mt2);
}

TEST(ModelCard, SpecialTokensTellTheGenerationWhereNoNameDoes) {
  EXPECT_EQ(generation_of(named("model.gguf"), seven_vocabulary()), Generation::hunyuan_mt);
  EXPECT_EQ(generation_of(named("model.gguf"), dense_vocabulary()), Generation::hy_mt1_5);
  EXPECT_EQ(generation_of(named("chimera.gguf"), dense_vocabulary()), Generation::hy_mt1_5)
      << "there is no Chimera in that family";
}

TEST(ModelCard, WhatIsAskedForGoesBeforeAllElse) {
  Checkpoint checkpoint = named("m.gguf", "Hunyuan-MT-7B");
  checkpoint.metadata["hymt.prompts"] = std::string("hunyuan-mt");
  const auto card = read_card(checkpoint, seven_vocabulary(), Generation::chimera);
  ASSERT_TRUE(card);
  EXPECT_EQ(card->generation, Generation::chimera);
}

TEST(ModelCard, IsCalledAsTheFileSaysElseAsTheFile) {
  EXPECT_EQ(card_of(named("a/m.gguf", "Hunyuan MT"), seven_vocabulary()).name, "Hunyuan MT");
  EXPECT_EQ(card_of(named("a/m-q4.gguf"), seven_vocabulary()).name, "m-q4");
  EXPECT_EQ(card_of(named("a/HY-MT1.5-7B/"), seven_vocabulary()).name, "HY-MT1.5-7B");
}

TEST(ModelCard, HasANameThatIsOneLineOfText) {
  EXPECT_EQ(card_of(named("m.gguf", "a\nb\xFF"), seven_vocabulary()).name, "a?b\uFFFD");
  EXPECT_LT(card_of(named("m.gguf", std::string(1 << 20, 'x')), seven_vocabulary()).name.size(),
            300u);
}

TEST(ModelCard, NamesLanguagesIfTheFileDoes) {
  Checkpoint checkpoint = named("m.gguf");
  EXPECT_THAT(card_of(checkpoint, seven_vocabulary()).languages, IsEmpty());
  checkpoint.metadata["hymt.languages"] = std::vector<std::string>{"zh", "zh-Hant"};
  EXPECT_THAT(card_of(checkpoint, seven_vocabulary()).languages, ElementsAre("zh", "zh-Hant"));
  for (const checkpoint::Value& wrong :
       {checkpoint::Value(std::string("zh")), checkpoint::Value(std::vector<std::string>{}),
        checkpoint::Value(std::vector<std::string>{""}),
        checkpoint::Value(std::vector<std::string>{"zh", "e\nn"}),
        checkpoint::Value(std::vector<std::string>{std::string(1000, 'x')})}) {
    checkpoint.metadata["hymt.languages"] = wrong;
    const auto card = read_card(checkpoint, seven_vocabulary());
    ASSERT_FALSE(card);
    EXPECT_EQ(card.error().field, "hymt.languages");
  }
}

TEST(ModelCard, GivesAReasonForEachDecisionInOneLine) {
  Checkpoint checkpoint = named("m.gguf", "Hunyuan\nMT");
  checkpoint.metadata["tokenizer.chat_template"] = std::string("onse }");
  const ModelCard card = card_of(checkpoint, seven_vocabulary());
  EXPECT_THAT(card.reasons, Contains("prompts of hunyuan-mt: general.name is 'Hunyuan?MT'"));
  EXPECT_THAT(card.reasons,
              Contains("template of the 7B family: <|startoftext|> (257) [system <|extra_4|> "
                       "(261)] text <|extra_0|> (260)"));
  EXPECT_THAT(card.reasons, Contains("stops at the family's <|eos|> (258) <|endoftext|> (256) "
                                     "<|extra_5|> (262)"));
  EXPECT_THAT(card.reasons, Contains(HasSubstr("template of the file not used")));
  EXPECT_THAT(card.reasons, Contains(HasSubstr("languages: all")));
  for (const std::string& reason : card.reasons) EXPECT_THAT(reason, Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace hymt::model
