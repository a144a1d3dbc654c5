#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "cpu/kv_cache.h"
#include "cpu/oracle.h"

namespace hymt::cpu::test {
namespace {

// A sequence's K and V in a cache with shuffled blocks, and the same as plain rows of doubles.
class Sequence {
 public:
  Sequence(const Kernels& kernels, KvType type, int d_head, int n_kv_heads, int length,
           uint32_t seed)
      : d_head_(d_head), length_(length) {
    model::Config config;
    config.n_layers = 2;
    config.n_heads = config.n_kv_heads = n_kv_heads;
    config.d_head = d_head;
    const int n_blocks = (length + kBlockTokens - 1) / kBlockTokens;
    cache = std::move(KvCache::allocate(config, type, n_blocks + 3).value());
    poison(n_blocks + 3);
    blocks.resize(static_cast<size_t>(n_blocks + 3));
    std::iota(blocks.begin(), blocks.end(), 0);
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(seed));
    blocks.resize(static_cast<size_t>(n_blocks));
    const auto width = static_cast<size_t>(n_kv_heads * d_head);
    std::vector<uint16_t> scratch(2 * width);
    for (int t = 0; t < length; ++t) {
      const auto row = static_cast<uint32_t>(t) + seed * 1000;
      const auto k = random_floats(width, 2 * row), v = random_floats(width, 2 * row + 1);
      cache.store(kernels, kLayer, blocks[static_cast<size_t>(t / kBlockTokens)], t % kBlockTokens,
                  k.data(), v.data(), scratch.data());
      for (int head = 0; head < n_kv_heads; ++head) {
        keep(type, k.data() + head * d_head, k_);
        keep(type, v.data() + head * d_head, v_);
      }
    }
    width_ = width;
  }

  struct Result {
    std::vector<double> out;
    double largest = 0;  // |V|
  };
  Result attend(const float* q, int kv_head, int n_visible) const {
    std::vector<double> weights;
    const size_t head = static_cast<size_t>(kv_head * d_head_);
    double max = -INFINITY;
    for (int t = 0; t < n_visible; ++t) {
      double score = 0;
      for (size_t d = 0; d < static_cast<size_t>(d_head_); ++d) {
        score += double{q[d]} * k_[static_cast<size_t>(t) * width_ + head + d];
      }
      weights.push_back(score);
      max = std::max(max, score);
    }
    double total = 0;
    for (double& weight : weights) total += weight = std::exp(weight - max);
    Result result{std::vector<double>(static_cast<size_t>(d_head_)), 0};
    for (int t = 0; t < n_visible; ++t) {
      for (size_t d = 0; d < static_cast<size_t>(d_head_); ++d) {
        const double v = v_[static_cast<size_t>(t) * width_ + head + d];
        result.out[d] += weights[static_cast<size_t>(t)] / total * v;
        result.largest = std::max(result.largest, std::fabs(v));
      }
    }
    return result;
  }

  static constexpr int kLayer = 1;
  KvCache cache;
  std::vector<int32_t> blocks;

 private:
  // What a type makes of a head's K or V.
  void keep(KvType type, const float* x, std::vector<double>& kept) const {
    float absmax = 0;
    for (int d = 0; d < d_head_; ++d) absmax = std::max(absmax, std::fabs(x[d]));
    for (int d = 0; d < d_head_; ++d) {
      kept.push_back(type == KvType::f16 ? checkpoint::f16_to_f32(checkpoint::f32_to_f16(x[d]))
                                         : std::nearbyint(x[d] * (127 / absmax)) * (absmax / 127));
    }
  }

  // What a block held before must not matter, were it NaN: as two bytes, or as four.
  void poison(int n_blocks) {
    auto* begin = const_cast<uint8_t*>(cache.head(0, 0));
    std::memset(begin, 0xff, 2 * static_cast<size_t>(n_blocks) * cache.block_stride());
  }

  int d_head_;
  int length_;
  size_t width_ = 0;
  std::vector<double> k_;
  std::vector<double> v_;
};

constexpr KvType kTypes[] = {KvType::f16, KvType::q8_0};

// All pairs.
std::vector<std::pair<KvType, int>> each(std::span<const KvType> types,
                                         std::initializer_list<int> numbers) {
  std::vector<std::pair<KvType, int>> pairs;
  for (const KvType type : types) {
    for (const int number : numbers) pairs.emplace_back(type, number);
  }
  return pairs;
}

class Attention : public EachTable {
 protected:
  // Rows [first, first + n) of the query matrix [..][group * d_head].
  void attend(const Sequence& sequence, int d_head, int group, int kv_head, int position,
              int n_rows, const float* q, float* out) {
    auto scratch =
        std::move(Buffer<float>::zeroed(attention_scratch(group, d_head), "test").value());
    const auto stride = static_cast<size_t>(group * d_head);
    AttentionTile tile = {};
    tile.q = q;
    tile.q_stride = stride;
    tile.out = out;
    tile.out_stride = stride;
    tile.n_rows = n_rows;
    tile.group = group;
    tile.n_visible = position + 1;
    tile.d_head = d_head;
    tile.kv = sequence.cache.head(Sequence::kLayer, kv_head);
    tile.block_stride = sequence.cache.block_stride();
    tile.blocks = sequence.blocks.data();
    tile.scratch = scratch.data();
    kernels_.attend[static_cast<int>(sequence.cache.type())](tile);
  }
};
INSTANTIATE_TEST_SUITE_P(Tables, Attention, testing::ValuesIn(table_names()), table_name);

TEST_P(Attention, WeighsValuesBySoftmaxOfScores) {
  for (const auto& [type, d_head] : each(kTypes, {2, 16, 20, 64, 128})) {
    for (const int group : {1, 2, 3, 4, 5, 8, 20}) {
      const Sequence sequence(kernels_, type, d_head, 2, 150, 3);
      const auto width = static_cast<size_t>(group * d_head);
      for (const int position : {0, 1, 14, 15, 16, 62, 63, 64, 65, 127, 149}) {
        const std::vector<float> q = random_floats(width, static_cast<uint32_t>(position),
                                                   2 / std::sqrt(static_cast<float>(d_head)));
        std::vector<float> out(width + 1, 77.0f);
        attend(sequence, d_head, group, 1, position, 1, q.data(), out.data());
        for (int head = 0; head < group; ++head) {
          const auto exact = sequence.attend(q.data() + head * d_head, 1, position + 1);
          for (size_t d = 0; d < static_cast<size_t>(d_head); ++d) {
            // Scores are off by about d eps |q||k|, which moves weights by as much, relatively;
            // the sums of weights and of values by a rounding a token.
            ASSERT_NEAR(out[static_cast<size_t>(head * d_head) + d], exact.out[d],
                        (200 + 8 * d_head) * kEpsilon * exact.largest)
                << "d_head " << d_head << " group " << group << " position " << position;
          }
        }
        ASSERT_EQ(out[width], 77.0f) << "wrote past the end";
      }
    }
  }
}

TEST_P(Attention, GivesARowTheSameBitsAloneAndInATile) {
  for (const auto& [type, d_head] : each(kTypes, {20, 64, 128})) {
    for (const int group : {1, 2, 4, 5}) {
      const Sequence sequence(kernels_, type, d_head, 1, 140, 4);
      const int tile_rows = kMaxTileQueries / group;
      const auto width = static_cast<size_t>(group * d_head);
      for (const int position : {0, 10, 50, 60, 120}) {
        for (int n_rows = 2; n_rows <= tile_rows; ++n_rows) {
          const auto size = width * static_cast<size_t>(n_rows);
          const std::vector<float> q = random_floats(size, 6);
          std::vector<float> together(size), alone(size);
          attend(sequence, d_head, group, 0, position, n_rows, q.data(), together.data());
          for (int row = 0; row < n_rows; ++row) {
            const size_t at = width * static_cast<size_t>(row);
            attend(sequence, d_head, group, 0, position + row, 1, q.data() + at, alone.data() + at);
          }
          ASSERT_EQ(std::memcmp(together.data(), alone.data(), size * sizeof(float)), 0)
              << "d_head " << d_head << " group " << group << " position " << position << " rows "
              << n_rows;
        }
      }
    }
  }
}

TEST_P(Attention, BearsScoresFarApart) {
  for (const KvType type : kTypes) {
    const Sequence sequence(kernels_, type, 64, 1, 150, 5);
    std::vector<float> q = random_floats(64, 9, 60);  // scores of several hundred
    std::vector<float> out(64);
    attend(sequence, 64, 1, 0, 149, 1, q.data(), out.data());
    const auto exact = sequence.attend(q.data(), 0, 150);
    for (size_t d = 0; d < 64; ++d) ASSERT_NEAR(out[d], exact.out[d], 2e-3 * exact.largest);
  }
}

TEST(KvCache, CopiesABlockOfAllLayersAndHeads) {
  const Kernels kernels = find_kernels("scalar").value();
  model::Config config;
  config.n_layers = 3;
  config.n_heads = config.n_kv_heads = 2;
  config.d_head = 20;
  for (const KvType type : kTypes) {
    KvCache cache = std::move(KvCache::allocate(config, type, 4).value());
    std::vector<uint16_t> scratch(2 * 40);
    for (int layer = 0; layer < 3; ++layer) {
      for (int t = 0; t < kBlockTokens; ++t) {
        const auto values = random_floats(80, static_cast<uint32_t>(layer * 100 + t));
        cache.store(kernels, layer, 2, t, values.data(), values.data() + 40, scratch.data());
      }
    }
    cache.copy({2, 1, kBlockTokens});
    for (int layer = 0; layer < 3; ++layer) {
      EXPECT_EQ(std::memcmp(cache.head(layer, 0) + cache.block_stride(),
                            cache.head(layer, 0) + 2 * cache.block_stride(), cache.block_stride()),
                0);
    }
  }
}

}  // namespace
}  // namespace hymt::cpu::test
