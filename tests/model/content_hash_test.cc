#include "model/content_hash.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;

// Tensors of several pieces, and of a few bytes.
Checkpoint example() {
  static const std::vector<std::byte> large(9 << 20, std::byte{7}), small(64, std::byte{1});
  Checkpoint checkpoint;
  checkpoint.path = "a.gguf";
  checkpoint.metadata = {{"a", int64_t{1}},
                         {"b", std::string("x")},
                         {"c", std::vector<std::string>{"x", "y"}},
                         {"d", std::vector<bool>{true}}};
  checkpoint.tensors = {{"large", checkpoint::DType::f32, {9 << 10, 256}, large},
                        {"small", checkpoint::DType::f32, {16}, small}};
  return checkpoint;
}

std::string hash(const Checkpoint& checkpoint, int threads = 2) {
  ThreadPool pool(threads);
  return content_hash(checkpoint, pool);
}

TEST(ContentHash, IsTheContentsAlone) {
  Checkpoint renamed = example();
  renamed.path = "elsewhere/b.gguf";
  const std::string expected = hash(example());
  EXPECT_EQ(expected.size(), 32u);
  EXPECT_EQ(hash(renamed), expected);
  for (const int threads : {1, 3, 8}) EXPECT_EQ(hash(example(), threads), expected);
}

TEST(ContentHash, EveryChangeChangesIt) {
  static std::vector<std::byte> other(9 << 20, std::byte{7});
  other.back() = std::byte{8};
  static const std::vector<std::byte> longer(65, std::byte{1});
  const std::vector<std::function<void(Checkpoint&)>> changes = {
      [](Checkpoint&) {},
      [](Checkpoint& c) { c.metadata["a"] = int64_t{2}; },
      [](Checkpoint& c) { c.metadata["a"] = uint64_t{1}; },
      [](Checkpoint& c) { c.metadata["a"] = 1.0; },
      [](Checkpoint& c) { c.metadata["b"] = std::string("y"); },
      [](Checkpoint& c) {
        c.metadata["c"] = std::vector<std::string>{"xy", ""};
      },
      [](Checkpoint& c) {
        c.metadata["d"] = std::vector<bool>{true, false};
      },
      [](Checkpoint& c) { c.metadata.erase("d"); },
      [](Checkpoint& c) { c.tensors[0].data = other; },
      [](Checkpoint& c) { c.tensors[1].data = longer; },
      [](Checkpoint& c) { c.tensors[0].name = "larger"; },
      [](Checkpoint& c) { c.tensors[1].type = checkpoint::DType::f16; },
      [](Checkpoint& c) {
        c.tensors[1].shape = {4, 4};
      },
      [](Checkpoint& c) { std::swap(c.tensors[0], c.tensors[1]); },
  };
  std::set<std::string> hashes;
  for (const auto& change : changes) {
    Checkpoint checkpoint = example();
    change(checkpoint);
    hashes.insert(hash(checkpoint));
  }
  EXPECT_EQ(hashes.size(), changes.size());
}

}  // namespace
}  // namespace hymt::model
