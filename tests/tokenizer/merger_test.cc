#include "tokenizer/merger.h"

#include <gmock/gmock.h>

#include <random>

#include "support/small_vocabulary.h"
#include "tokenizer/byte_tokens.h"

namespace hymt::tokenizer {
namespace {

using testing::ElementsAre;

// Merging as it is defined, by looking at every pair each time.
std::vector<Token> merge_slowly(const MergeTable& table, const std::vector<Token>& bytes) {
  std::vector<Token> parts = bytes;
  for (;;) {
    size_t best = parts.size();
    Merge merge;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const Merge here = table.find(parts[i], parts[i + 1]);
      if (here.rank < merge.rank) {
        best = i;
        merge = here;
      }
    }
    if (best == parts.size()) return parts;
    parts[best] = merge.merged;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

struct Subject {
  explicit Subject(Vocabulary with)
      : vocabulary(std::move(with)),
        index(index_tokens(vocabulary)),
        table(*MergeTable::build(vocabulary, index)),
        bytes(*find_byte_tokens(vocabulary, index)) {}

  std::vector<Token> merge(std::string_view word) const {
    std::vector<Token> out;
    Merger(table, bytes).merge(word, out);
    return out;
  }
  std::vector<Token> merge_slowly(std::string_view word) const {
    std::vector<Token> start;
    for (const char byte : word) start.push_back(bytes[static_cast<uint8_t>(byte)]);
    return tokenizer::merge_slowly(table, start);
  }

  Vocabulary vocabulary;
  TokenIndex index;
  MergeTable table;
  std::array<Token, 256> bytes;
};

const std::vector<std::pair<std::string, std::string>> kMerges = {
    {"l", "o"}, {"lo", "w"}, {"e", "r"}, {"a", "a"}, {"aa", "a"}, {"low", "er"}, {"w", "e"}};

TEST(Merger, TheEarlierMergeGoesFirst) {
  const Subject subject(test::small_vocabulary(kMerges));
  EXPECT_THAT(subject.merge("low"), ElementsAre(257));
  EXPECT_THAT(subject.merge("lower"), ElementsAre(261)) << "'er' before 'we'";
  EXPECT_THAT(subject.merge("we"), ElementsAre(262));
  EXPECT_THAT(subject.merge("xyz"), ElementsAre('x', 'y', 'z'));
  EXPECT_THAT(subject.merge(""), ElementsAre());
}

TEST(Merger, TheLeftmostOfEqualPairsGoesFirst) {
  const Subject subject(test::small_vocabulary(kMerges));
  EXPECT_THAT(subject.merge("aaaaa"), ElementsAre(259, 260)) << "aa aa a, then aa aaa";
  EXPECT_THAT(subject.merge("aaa"), ElementsAre(260));
}

TEST(Merger, RanksMergeAnyTwoThatMakeAToken) {
  Vocabulary vocabulary = test::small_vocabulary({{"b", "c"}, {"a", "b"}, {"ab", "c"}});
  // "bc" goes first, and no merge joins "a" and "bc".
  EXPECT_THAT(Subject(vocabulary).merge("abc"), ElementsAre('a', 256));
  vocabulary.merges.clear();
  EXPECT_THAT(Subject(vocabulary).merge("abc"), ElementsAre(258));
}

TEST(Merger, ATokenStopsBelowARankLimit) {
  const Subject subject(test::small_vocabulary(kMerges));
  std::vector<Token> out;
  Merger(subject.table, subject.bytes).merge("lower", out, 5);
  EXPECT_THAT(out, ElementsAre(257, 258));
}

TEST(Merger, EqualsTheDefinitionOnRandomWords) {
  // A vocabulary over three letters, so that pairs overlap and compete as much as they can.
  std::mt19937 random(1);
  std::vector<std::pair<std::string, std::string>> merges;
  std::vector<std::string> tokens = {"a", "b", "c"};
  while (merges.size() < 60) {
    const std::string left = tokens[random() % tokens.size()];
    const std::string right = tokens[random() % tokens.size()];
    if (std::find(tokens.begin(), tokens.end(), left + right) != tokens.end()) continue;
    merges.emplace_back(left, right);
    tokens.push_back(left + right);
  }
  Vocabulary ranked = test::small_vocabulary(merges);
  ranked.merges.clear();
  for (const Subject& subject : {Subject(test::small_vocabulary(merges)), Subject(ranked)}) {
    for (int i = 0; i < 3000; ++i) {
      std::string word;
      for (auto n = random() % 40; n > 0; --n) word += static_cast<char>('a' + random() % 3);
      ASSERT_EQ(subject.merge(word), subject.merge_slowly(word)) << word;
    }
  }
}

TEST(Merger, StepsGrowWithTheWordAndNotWithItsSquare) {
  const Subject subject(test::small_vocabulary(kMerges));
  for (const std::string unit : {"a", "lower", "lo", "we", "x"}) {
    const auto steps = [&](int repeats) {
      std::string word;
      for (int i = 0; i < repeats; ++i) word += unit;
      Merger merger(subject.table, subject.bytes);
      std::vector<Token> out;
      merger.merge(word, out);
      return merger.steps() + 1;
    };
    EXPECT_LE(steps(40000), 8 * steps(10000)) << unit;
  }
}

TEST(MergeTable, RefusesMergesThatMakeNoToken) {
  Vocabulary vocabulary = test::small_vocabulary(kMerges);
  vocabulary.merges.emplace_back('x', 'y');
  const auto table = MergeTable::build(vocabulary, index_tokens(vocabulary));
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message, "small: merge 7: 'xy' is not in the vocabulary");

  vocabulary.merges.back() = {'x', 9999};
  EXPECT_FALSE(MergeTable::build(vocabulary, index_tokens(vocabulary)));
  vocabulary.merges.back() = {-1, 'x'};
  EXPECT_FALSE(MergeTable::build(vocabulary, index_tokens(vocabulary)));
}

TEST(MergeTable, RefusesRankedTokensOfAbsurdLength) {
  Vocabulary vocabulary = test::small_vocabulary({});
  vocabulary.tokens.emplace_back(513, 'a');
  vocabulary.kinds.push_back(TokenKind::normal);
  EXPECT_FALSE(MergeTable::build(vocabulary, index_tokens(vocabulary)));
}

TEST(MergesOfRanks, GiveEachTokenItsLastMerge) {
  Vocabulary vocabulary = test::small_vocabulary(kMerges);
  const auto merges = vocabulary.merges;
  vocabulary.merges.clear();
  const auto found = merges_of_ranks(vocabulary);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, merges);
}

}  // namespace
}  // namespace hymt::tokenizer
