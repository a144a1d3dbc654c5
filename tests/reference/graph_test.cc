// The forward pass against the float64 reference (hunyuan_dense.py), value by value and layer by
// layer: rotation before norm, the scaled base and grouped heads cannot silently be wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "checkpoint/gguf.h"
#include "cpu/kernels/dispatch.h"
#include "reference/traced_model.h"
#include "support/random_model.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace hymt::cpu::test {
namespace {

using checkpoint::DType;
using tokenizer::Token;

bool have_numpy() {
  return std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0;
}

// The reference's values of a file, computed on construction.
class Reference {
 public:
  Reference(const std::string& gguf, const std::vector<Token>& tokens) {
    std::string list;
    for (const Token token : tokens) list += (list.empty() ? "" : ",") + std::to_string(token);
    const std::string command = "/usr/bin/python3 " +
                                hymt::test::source_path("tests/reference/hunyuan_dense.py") + " " +
                                gguf + " " + list + " " + folder_.path();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

  std::vector<double> get(const std::string& name) const {
    const std::string bytes = hymt::test::read_file(folder_ / name);
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

 private:
  hymt::test::TempFolder folder_;
};

// |got - expected| / |expected|, as vectors.
double relative_error(const std::vector<float>& got, const std::vector<double>& expected) {
  EXPECT_EQ(got.size(), expected.size());
  double difference = 0, size = 0;
  for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    difference += (got[i] - expected[i]) * (got[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(difference / size);
}

// What a format's rounding of a product's input may do to its output, relatively. Errors of a
// sum's terms are independent, so that the sum is off by what one term is off:
//   bf16: uniform within half a step, 2^-8 of the power of two below: about 0.16%
//   int8 by blocks of 32: a step is absmax / 127, absmax about 2.5 sigma: 0.6%
// A layer has four products in a row and a gate that doubles the error of two; errors of layers
// add up in the residual like random walks. Ten times the single error leaves room for that and
// for one value's bad luck; what is structurally wrong is off by 30% and more.
// F32 has its own rounding (1e-7) and K and V that fall on the other side of a border of f16.
double tolerance(DType type) {
  switch (type) {
    case DType::bf16:
      return 0.016;
    case DType::q8_0:
    case DType::q4_0:
      return 0.06;
    default:
      return 2e-4;
  }
}

void expect_agreement(const std::string& gguf, int n_layers, const std::vector<Token>& tokens,
                      double tolerance) {
  const Reference reference(gguf, tokens);
  for (const std::string& kernels : kernel_names()) {
    const TracedValues traced = trace_model(gguf, tokens, kernels);
    double largest = 0;
    const auto compare = [&](const std::string& name) {
      const double error = relative_error(traced.at(name).numbers, reference.get(name));
      EXPECT_LT(error, tolerance) << kernels << ", " << name;
      largest = std::max(largest, error);
    };
    for (int layer = 0; layer < n_layers; ++layer) {
      for (const char* name : {"q_projected", "k_projected", "v_projected", "q", "k", "attended",
                               "after_attention", "hidden", "after_layer"}) {
        compare(std::string(name) + "." + std::to_string(layer));
      }
    }
    compare("logits.0");
    std::printf("%-8s largest relative error %.2e (tolerance %.1e)\n", kernels.c_str(), largest,
                tolerance);
  }
}

std::vector<Token> some_tokens(int n, int n_vocab) {
  std::mt19937 random(17);
  std::vector<Token> tokens(static_cast<size_t>(n));
  for (Token& token : tokens) token = static_cast<Token>(random() % static_cast<uint32_t>(n_vocab));
  return tokens;
}

struct Shape {
  const char* name;
  int d_model, n_heads, n_kv_heads, d_head, d_ff, n_vocab;
  bool tied;
};
constexpr Shape kShapes[] = {
    {"HeadsOf128", 128, 4, 2, 128, 192, 500, true},  // 4 x 128 is not d_model
    {"OneKvHead", 64, 5, 1, 32, 96, 333, true},      // nor a power of two
    {"AsManyKvHeads", 96, 3, 3, 32, 160, 17, false},
    {"GroupsOfFour", 64, 8, 2, 16, 64, 1001, false},
    {"NarrowHeads", 64, 4, 2, 24, 96, 100, true},  // 24 is no multiple of the vector width
};

model::Config config_of(const Shape& shape) {
  model::Config config = hymt::test::tiny_config();
  config.d_model = shape.d_model;
  config.n_heads = shape.n_heads;
  config.n_kv_heads = shape.n_kv_heads;
  config.d_head = shape.d_head;
  config.d_ff = shape.d_ff;
  config.n_vocab = shape.n_vocab;
  config.rope_base = model::scaled_rope_base(10000, 1000, shape.d_head);
  return config;
}

class Graph : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (!have_numpy()) GTEST_SKIP() << "needs /usr/bin/python3 with NumPy (python3-numpy)";
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Graph, testing::ValuesIn(kShapes),
                         [](const auto& c) { return std::string(c.param.name); });

TEST_P(Graph, AgreesWithTheReferenceInEveryValue) {
  for (const DType type : {DType::f32, DType::bf16, DType::q8_0, DType::q4_0}) {
    hymt::test::RandomModel recipe;
    recipe.config = config_of(GetParam());
    recipe.type = type;
    recipe.tied = GetParam().tied;
    const hymt::test::TempFolder folder;
    const std::string gguf = folder / "model.gguf";
    const auto written =
        checkpoint::write_gguf(*hymt::test::make_random_model(recipe).checkpoint, gguf);
    ASSERT_TRUE(written) << written.error().message;
    SCOPED_TRACE(std::string(checkpoint::name(type)));
    expect_agreement(gguf, recipe.config.n_layers, some_tokens(100, recipe.config.n_vocab),
                     tolerance(type));
  }
}

TEST_F(Graph, ScalesTheBaseOfAFileThatCarriesAlpha) {
  hymt::test::RandomModel recipe;
  recipe.config = hymt::test::tiny_config();
  recipe.type = DType::f32;
  const hymt::test::TempFolder folder;
  model::Model model = hymt::test::make_random_model(recipe);
  checkpoint::Checkpoint checkpoint = *model.checkpoint;
  checkpoint.metadata["hunyuan-dense.rope.freq_base"] = 10000.0;
  checkpoint.metadata["hunyuan-dense.rope.scaling.alpha"] = 1000.0;
  ASSERT_TRUE(checkpoint::write_gguf(checkpoint, folder / "model.gguf"));
  expect_agreement(folder / "model.gguf", recipe.config.n_layers,
                   some_tokens(100, recipe.config.n_vocab), tolerance(DType::f32));
}

TEST_F(Graph, OfTheDemoModelAgreesToo) {
  expect_agreement(hymt::test::source_path("models/demo.gguf"), 6, some_tokens(60, 8000),
                   tolerance(DType::bf16));
}

// The value between the rotation and the norm is in no buffer: the kernel does both at once. With a
// weight of ones it gives the rotated vector over its root mean square.
TEST_F(Graph, RotatesBeforeItNorms) {
  hymt::test::RandomModel recipe;
  recipe.config = hymt::test::tiny_config();
  recipe.type = DType::f32;
  const hymt::test::TempFolder folder;
  const std::string gguf = folder / "model.gguf";
  ASSERT_TRUE(checkpoint::write_gguf(*hymt::test::make_random_model(recipe).checkpoint, gguf));
  const auto tokens = some_tokens(40, recipe.config.n_vocab);
  const Reference reference(gguf, tokens);
  const auto d = static_cast<size_t>(recipe.config.d_head);
  const std::vector<float> ones(d, 1.0f);
  for (const std::string& name : kernel_names()) {
    const Kernels kernels = find_kernels(name).value();
    const TracedValues traced = trace_model(gguf, tokens, name);
    const std::vector<float>& rotation = traced.at("rotation.0").numbers;
    for (const char* side : {"q", "k"}) {
      const Values& projected = traced.at(std::string(side) + "_projected.0");
      const auto columns = static_cast<size_t>(projected.n_columns);
      std::vector<float> rotated = projected.numbers;
      for (size_t at = 0; at < rotated.size(); at += d) {
        double squares = 0;
        for (size_t i = 0; i < d; ++i) squares += double{rotated[at + i]} * double{rotated[at + i]};
        kernels.rotate_and_norm(rotated.data() + at, rotation.data() + at / columns * d,
                                ones.data(), recipe.config.d_head, 0,
                                static_cast<float>(std::sqrt(squares / static_cast<double>(d))),
                                rotated.data() + at);
      }
      EXPECT_LT(relative_error(rotated, reference.get(std::string(side) + "_rotated.0")), 1e-5)
          << name << " " << side;
    }
  }
}

}  // namespace
}  // namespace hymt::cpu::test
