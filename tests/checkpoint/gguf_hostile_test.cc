// Malformed files: each gives one error that names the file, the field and the value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "checkpoint/allocation_meter.h"
#include "checkpoint/gguf.h"
#include "support/gguf_builder.h"

namespace hymt::checkpoint {
namespace {

using test::gguf_string;
using test::GgufBuilder;
using test::little_endian;
using testing::HasSubstr;

// Exactly as many bytes as the file has, so that a sanitizer sees a read past the end.
Result<Checkpoint> read(const std::string& bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  return read_gguf(std::as_bytes(std::span(exact)), "m.gguf");
}

// A file with metadata of several kinds and tensors, ending with its last tensor's last byte.
GgufBuilder small_file() {
  GgufBuilder out;
  out.u32("general.alignment", 32)
      .text("general.name", "small")
      .texts("words", {"a", "bc"})
      .raw("truth", 7, "\1")
      .tensor("w", {2, 32}, 8, std::string(68, 'w'))
      .tensor("v", {3}, 0, std::string(12, 'v'));
  return out;
}

// An array value: element type, claimed count, bytes.
std::string array(uint32_t type, uint64_t count, const std::string& bytes) {
  return little_endian(type) + little_endian(count) + bytes;
}

// A string value that claims more bytes than it brings.
std::string long_string(uint64_t claimed) {
  return little_endian(claimed) + "abc";
}

struct Case {
  const char* what;
  std::function<std::string()> bytes;
  std::vector<const char*> message;  // pieces of it
};

constexpr uint64_t k2To60 = uint64_t{1} << 60;
constexpr uint64_t k2To42 = uint64_t{1} << 42;
constexpr uint64_t k2To63 = uint64_t{1} << 63;

std::string with(const std::function<void(GgufBuilder&)>& change) {
  GgufBuilder builder = small_file();
  change(builder);
  return builder.bytes();
}

// The small file with one more entry of F32.
std::string with_entry(std::string_view name, const std::vector<uint64_t>& shape,
                       uint64_t offset = 128) {
  return with([&](GgufBuilder& b) { b.entry(name, shape, 0, offset); });
}

std::string with_alignment(uint32_t type, const std::string& value) {
  return GgufBuilder().raw("general.alignment", type, value).bytes();
}

std::string replaced(std::string bytes, size_t at, const std::string& by) {
  return bytes.replace(at, by.size(), by);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"another format",
       [] { return std::string("PK\3\4 and more of a zip file"); },
       {"not a GGUF file", "PK"}},
      {"version 0", [] { return with([](GgufBuilder& b) { b.version = 0; }); }, {"version 0"}},
      {"version 1", [] { return with([](GgufBuilder& b) { b.version = 1; }); }, {"version 1"}},
      {"version 4", [] { return with([](GgufBuilder& b) { b.version = 4; }); }, {"version 4"}},
      {"big-endian",
       [] { return replaced(small_file().bytes(), 4, std::string("\0\0\0\3", 4)); },
       {"big-endian"}},

      {"2^60 tensors",
       [] { return with([](GgufBuilder& b) { b.extra_tensors = k2To60 - 2; }); },
       {"tensor count", "1152921504606846976"}},
      {"-1 tensors",
       [] { return with([](GgufBuilder& b) { b.extra_tensors = -3; }); },
       {"tensor count", "18446744073709551615"}},
      {"2^60 pairs",
       [] { return with([](GgufBuilder& b) { b.extra_pairs = k2To60 - 4; }); },
       {"metadata count", "1152921504606846976"}},
      {"a pair too many",
       [] { return with([](GgufBuilder& b) { b.extra_pairs = 1; }); },
       {"tensor's name", "562949953421312"}},  // its first bytes went to the pair
      {"a tensor too many",
       [] {
         return replaced(GgufBuilder().text("k", std::string(99, '\0')).bytes(), 8,
                         std::string("\1"));
       },
       {"tensor's name is empty"}},

      {"an empty key", [] { return GgufBuilder().u32("", 1).bytes(); }, {"key is empty"}},
      {"a key of 70000 bytes",
       [] { return GgufBuilder().u32(std::string(70000, 'k'), 1).bytes(); },
       {"70000"}},
      {"a key longer than the file",
       [] { return replaced(GgufBuilder().u32("abcd", 1).bytes(), 24, little_endian(k2To60)); },
       {"metadata key", "1152921504606846976"}},
      {"a key whose length wraps around",
       [] { return replaced(GgufBuilder().u32("abcd", 1).bytes(), 24, little_endian(UINT64_MAX)); },
       {"metadata key", "18446744073709551615"}},
      {"a key twice",
       [] { return GgufBuilder().u32("a", 1).u32("a", 1).bytes(); },
       {"'a' appears twice"}},
      {"an unknown value type",
       [] { return GgufBuilder().raw("a", 13, "xxxxxxxx").bytes(); },
       {"'a'", "value type 13"}},
      {"a truth value of 2",
       [] { return GgufBuilder().raw("a", 7, "\2").bytes(); },
       {"'a'", "truth value 2"}},
      {"a truth value of 3 in an array",
       [] { return GgufBuilder().raw("a", 9, array(7, 2, "\1\3")).bytes(); },
       {"'a'", "truth value 3"}},
      {"a string longer than the file",
       [] { return GgufBuilder().raw("a", 8, long_string(k2To60)).bytes(); },
       {"'a'", "1152921504606846976"}},
      {"a string longer than the file in an array",
       [] { return GgufBuilder().raw("a", 9, array(8, 1, long_string(1000))).bytes(); },
       {"'a'", "1000"}},
      {"an array of arrays",
       [] { return GgufBuilder().raw("a", 9, array(9, 1, array(4, 1, "xxxx"))).bytes(); },
       {"'a'", "array of arrays"}},
      {"an array of an unknown type",
       [] { return GgufBuilder().raw("a", 9, array(77, 1, "xxxx")).bytes(); },
       {"'a'", "value type 77"}},
      {"an array of 2^60 strings",
       [] { return GgufBuilder().raw("a", 9, array(8, k2To60, gguf_string("x"))).bytes(); },
       {"'a'", "1152921504606846976"}},
      {"an array of 2^63 numbers, whose bytes wrap around",
       [] { return GgufBuilder().raw("a", 9, array(10, k2To63, "xxxxxxxx")).bytes(); },
       {"'a'", "9223372036854775808"}},
      {"an array with a number past 2^63",
       [] { return GgufBuilder().raw("a", 9, array(10, 1, little_endian(k2To63))).bytes(); },
       {"'a'", "9223372036854775808"}},

      {"alignment 0",
       [] { return with_alignment(4, little_endian(0u)); },
       {"general.alignment is 0"}},
      {"alignment 4",
       [] { return with_alignment(4, little_endian(4u)); },
       {"general.alignment is 4"}},
      {"alignment 48",
       [] { return with_alignment(4, little_endian(48u)); },
       {"general.alignment is 48"}},
      {"alignment as a string",
       [] { return with_alignment(8, gguf_string("32")); },
       {"general.alignment has value type 8"}},
      {"alignment as an array",
       [] { return with_alignment(9, array(4, 1, "\x20\0\0\0")); },
       {"general.alignment has value type 9"}},
      {"alignment past the file",
       [] {
         return GgufBuilder()
             .u32("general.alignment", 1u << 31)
             .tensor("v", {1}, 0, "vvvv")
             .bytes();
       },
       {"'v'", "past the file"}},

      {"an empty name", [] { return with_entry("", {1}); }, {"name is empty"}},
      {"a name twice", [] { return with_entry("w", {1}); }, {"'w' appears twice"}},
      {"no dimension", [] { return with_entry("t", {}); }, {"'t'", "0 dimensions"}},
      {"five dimensions",
       [] {
         return with_entry("t", {1, 1, 1, 1, 1});
       },
       {"'t'", "5 dimensions"}},
      {"a dimension 0",
       [] {
         return with_entry("t", {4, 0});
       },
       {"'t'", "dimension is 0"}},
      {"a negative dimension",
       [] { return with_entry("t", {UINT64_MAX}); },
       {"'t'", "dimension is 18446744073709551615"}},
      {"a dimension 2^42 + 1",
       [] { return with_entry("t", {k2To42 + 1}); },
       {"'t'", "17592186044420 bytes"}},
      {"dimensions whose product wraps around",
       [] {
         return with_entry("t", {k2To42, k2To42});
       },
       {"'t'", "passes 2^64"}},
      {"dimensions whose product wraps around to 4",
       [] {
         return with_entry("t", {k2To60, 16, 1});
       },
       {"'t'", "passes 2^64"}},
      {"a row that is no multiple of the block",
       [] { return with([](GgufBuilder& b) {
              b.entry("t", {2, 33}, 2, 128);
            }); },
       {"'t'", "33", "Q4_0"}},
      {"an offset past the end",
       [] { return with_entry("t", {1}, 1 << 20); },
       {"'t'", "1048576", "past the file"}},
      {"an offset whose sum with the size wraps around",
       [] { return with_entry("t", {64}, UINT64_MAX - 31); },
       {"'t'", "18446744073709551584", "past the file"}},
      {"an offset off the alignment",
       [] { return with_entry("t", {1}, 33); },
       {"'t'", "offset 33", "alignment 32"}},
      {"data inside another tensor's",
       [] { return with_entry("t", {1}, 32); },
       {"'t'", "offset 32", "inside tensor 'w'"}},
      {"data shared with another tensor",
       [] { return with_entry("t", {3}, 96); },
       {"offset 96", "inside tensor"}},
      {"a name with a line break, which a message does not repeat",
       [] { return with_entry("a\nb", {0}); },
       {"'a?b'"}},
  };
  return all;
}

TEST(HostileGguf, EachFaultIsOneErrorThatNamesFileFieldAndValue) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.what);
    const auto checkpoint = read(one.bytes());
    ASSERT_FALSE(checkpoint);
    const std::string& message = checkpoint.error().message;
    EXPECT_EQ(checkpoint.error().code, Code::invalid_argument);
    EXPECT_THAT(message, HasSubstr("m.gguf: "));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_LT(message.size(), 400u);
    for (const char* piece : one.message) EXPECT_THAT(message, HasSubstr(piece));
  }
}

TEST(HostileGguf, NothingIsAllocatedForWhatTheFileOnlyClaims) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.what);
    const std::string bytes = one.bytes();
    const test::AllocationMeter meter;
    (void)read_gguf(std::as_bytes(std::span(bytes)), "m.gguf");
    EXPECT_LT(meter.largest(), 16 * bytes.size() + 4096);
  }
}

TEST(HostileGguf, AFileCutAtAnyByteIsRefused) {
  const std::string whole = small_file().bytes();
  ASSERT_TRUE(read(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto checkpoint = read(whole.substr(0, size));
    ASSERT_FALSE(checkpoint) << size;
    EXPECT_EQ(checkpoint.error().code, Code::invalid_argument);
    EXPECT_THAT(checkpoint.error().message, HasSubstr("m.gguf: "));
  }
}

TEST(HostileGguf, AnyByteChangedGivesAFileOrAnError) {
  const std::string whole = small_file().bytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 0x7F, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      if (const auto checkpoint = read(bytes)) {
        for (const Tensor& tensor : checkpoint->tensors) EXPECT_LE(tensor.data.size(), 96u);
      }
    }
  }
}

}  // namespace
}  // namespace hymt::checkpoint
