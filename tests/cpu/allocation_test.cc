// After start the runner lives in the memory it has: a step allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "cpu/runner_fixture.h"

// The sanitizers have an operator new of their own, which checks what this one would not.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HYMT_COUNTS_ALLOCATIONS 0
#else
#define HYMT_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<int> allocations{0};
}  // namespace

#if HYMT_COUNTS_ALLOCATIONS
namespace {

void* counted(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(size ? size : 1);
  if (!memory) std::abort();
  return memory;
}
}  // namespace

void* operator new(size_t size) {
  return counted(size);
}
void* operator new[](size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}
#endif

namespace hymt::cpu::test {
namespace {

TEST(Runner, AllocatesNothingInAStep) {
  if (!HYMT_COUNTS_ALLOCATIONS) GTEST_SKIP() << "needs operator new, which a sanitizer has taken";
  hymt::test::RandomModel recipe;
  recipe.config = hymt::test::tiny_config();
  const model::Model model = hymt::test::make_random_model(recipe);
  Machine machine(model, "auto", 2);
  const std::vector<Token> tokens = random_tokens(200, recipe.config.n_vocab, 1);
  std::vector<Ask> asks(200);
  for (int i = 0; i < 60; ++i) {
    asks[static_cast<size_t>(3 * i)] = i % 3 == 0   ? ask_for(Ask::Kind::arg_max)
                                       : i % 3 == 1 ? ask_for(Ask::Kind::top_k, 20)
                                                    : ask_for(Ask::Kind::logits);
  }
  const std::vector<int32_t> a = block_range(0, 10), b = block_range(20, 10);
  const std::vector<model::Slice> slices = {{120, 0, a}, {80, 0, b}};
  const model::Batch batch{tokens, asks, slices};
  const int before = allocations.load();
  const bool ran = machine.runner->forward(batch).has_value();
  const int during = allocations.load() - before;
  EXPECT_TRUE(ran);
  EXPECT_EQ(during, 0);
}

}  // namespace
}  // namespace hymt::cpu::test
