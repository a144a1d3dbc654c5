#include "model/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checkpoint/gguf.h"
#include "support/gguf_builder.h"
#include "support/shared_data.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;
using testing::ElementsAre;
using testing::HasSubstr;

Checkpoint small_model(const test::TinyShape& shape = {}) {
  auto bytes = std::make_shared<const std::string>(test::tiny_model(shape).bytes());
  auto checkpoint = checkpoint::read_gguf(std::as_bytes(std::span(*bytes)), "m.gguf");
  EXPECT_TRUE(checkpoint);
  checkpoint->owners.push_back(bytes);
  return *std::move(checkpoint);
}

Result<Weights> find(const Checkpoint& checkpoint) {
  return find_weights(checkpoint, HYMT_TRY(read_config(checkpoint)));
}

Tensor& tensor(Checkpoint& checkpoint, const std::string& name) {
  return *std::find_if(checkpoint.tensors.begin(), checkpoint.tensors.end(),
                       [&](const Tensor& one) { return one.name == name; });
}

TEST(Weights, GivesEachRoleItsTensor) {
  const Checkpoint checkpoint = small_model();
  const auto weights = find(checkpoint);
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->embedding->name, "token_embd.weight");
  EXPECT_EQ(weights->output_norm->name, "output_norm.weight");
  ASSERT_EQ(weights->layers.size(), 2u);
  const LayerWeights& last = weights->layers[1];
  EXPECT_EQ(last.attn_norm->name, "blk.1.attn_norm.weight");
  EXPECT_EQ(last.q->name, "blk.1.attn_q.weight");
  EXPECT_THAT(last.q->shape, ElementsAre(128, 64));
  EXPECT_EQ(last.k->name, "blk.1.attn_k.weight");
  EXPECT_EQ(last.v->name, "blk.1.attn_v.weight");
  EXPECT_EQ(last.o->name, "blk.1.attn_output.weight");
  EXPECT_THAT(last.o->shape, ElementsAre(64, 128));
  EXPECT_EQ(last.q_norm->name, "blk.1.attn_q_norm.weight");
  EXPECT_EQ(last.k_norm->name, "blk.1.attn_k_norm.weight");
  EXPECT_EQ(last.ffn_norm->name, "blk.1.ffn_norm.weight");
  EXPECT_EQ(last.gate->name, "blk.1.ffn_gate.weight");
  EXPECT_EQ(last.up->name, "blk.1.ffn_up.weight");
  EXPECT_EQ(last.down->name, "blk.1.ffn_down.weight");
  EXPECT_THAT(last.down->shape, ElementsAre(64, 96));
}

TEST(Weights, ATiedModelProjectsWithItsEmbedding) {
  const Checkpoint tied = small_model();
  EXPECT_EQ(find(tied)->output, find(tied)->embedding);
  const Checkpoint untied = small_model({.tied = false});
  EXPECT_EQ(find(untied)->output->name, "output.weight");
}

TEST(Weights, FindsAllOfTheDemoModel) {
  const auto checkpoint = checkpoint::read_gguf(test::source_path("models/demo.gguf"));
  ASSERT_TRUE(checkpoint);
  const auto weights = find(*checkpoint);
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->layers.size(), 6u);
}

TEST(Weights, EveryTensorIsNeededAndNamedWhenItIsMissing) {
  const Checkpoint whole = small_model();
  for (const Tensor& one : whole.tensors) {
    Checkpoint checkpoint = whole;
    std::erase_if(checkpoint.tensors, [&](const Tensor& t) { return t.name == one.name; });
    const auto weights = find(checkpoint);
    ASSERT_FALSE(weights) << one.name;
    EXPECT_THAT(weights.error().message, HasSubstr(one.name));
    EXPECT_THAT(weights.error().message, HasSubstr("missing"));
  }
}

TEST(Weights, EveryShapeIsCheckedAndShown) {
  const Checkpoint whole = small_model({.tied = false});
  for (const Tensor& one : whole.tensors) {
    if (one.name == "token_embd.weight") continue;  // its rows are the vocabulary
    Checkpoint checkpoint = whole;
    tensor(checkpoint, one.name).shape.back() += 32;
    const auto weights = find(checkpoint);
    ASSERT_FALSE(weights) << one.name;
    EXPECT_EQ(weights.error().field, one.name);
    EXPECT_THAT(weights.error().message, HasSubstr("has shape ["));
  }
  Checkpoint checkpoint = whole;
  tensor(checkpoint, "token_embd.weight").shape = {300, 32};
  EXPECT_THAT(find(checkpoint).error().message, HasSubstr("has shape [300, 32], not [300, 64]"));
}

TEST(Weights, ATensorThatTheGraphDoesNotKnowIsRefused) {
  Checkpoint checkpoint = small_model();
  checkpoint.tensors.push_back({.name = "blk.0.attn_q.bias", .shape = {128}, .data = {}});
  const auto weights = find(checkpoint);
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().code, Code::unsupported);
  EXPECT_THAT(weights.error().message, HasSubstr("'blk.0.attn_q.bias'"));
}

}  // namespace
}  // namespace hymt::model
