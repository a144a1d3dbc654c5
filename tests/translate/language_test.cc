#include "translate/language.h"

#include <gtest/gtest.h>
#include <unicode/locid.h>
#include <unicode/uloc.h>
#include <unicode/unistr.h>

#include <sstream>

#include "support/shared_data.h"

namespace hymt::translate {
namespace {

std::string_view code_of(std::string_view name) {
  const Language* language = find_language(name);
  return language ? language->code : "none";
}

TEST(Language, NamesAreThoseOfTheModelCards) {
  std::istringstream file(test::read_file(test::source_path("tests/data/translate/languages.tsv")));
  size_t n = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream fields(line);
    std::string code, english, chinese;
    std::getline(fields, code, '\t');
    std::getline(fields, english, '\t');
    std::getline(fields, chinese, '\t');
    const Language& language = languages()[n++];
    EXPECT_EQ(language.code, code);
    EXPECT_EQ(language.english, english);
    EXPECT_EQ(language.chinese, chinese);
  }
  EXPECT_EQ(n, 38u);
  EXPECT_EQ(languages().size(), n);
}

// CLDR's names, as ICU carries them, without regard to case.
TEST(Language, NativeNamesAreThoseOfCldr) {
  for (const auto& language : languages()) {
    UErrorCode status = U_ZERO_ERROR;
    const std::string code = language.code == "tl" ? "fil" : std::string(language.code);
    const auto locale = icu::Locale::forLanguageTag(code, status);
    icu::UnicodeString name;
    locale.getDisplayName(locale, name);
    if (language.code == "zh-Hant") name = icu::UnicodeString::fromUTF8("繁體中文");
    const auto ours = icu::UnicodeString::fromUTF8(std::string(language.native));
    std::string expected;
    EXPECT_EQ(icu::UnicodeString(ours).toLower(locale), icu::UnicodeString(name).toLower(locale))
        << language.code << " is " << name.toUTF8String(expected);
  }
}

TEST(Language, WritingDirectionIsThatOfTheScript) {
  for (const auto& language : languages()) {
    const auto right_to_left = uloc_isRightToLeft(std::string(language.code).c_str());
    EXPECT_EQ(language.right_to_left, static_cast<bool>(right_to_left)) << language.code;
  }
}

TEST(Language, IsFoundByItsCodeInAnyCase) {
  for (const auto& language : languages()) EXPECT_EQ(find_language(language.code), &language);
  EXPECT_EQ(code_of("EN"), "en");
  EXPECT_EQ(code_of("ZH-hant"), "zh-Hant");
  EXPECT_EQ(code_of("zh_Hant"), "zh-Hant");
}

TEST(Language, UsualAliasesMeanTheSameLanguage) {
  const std::pair<const char*, const char*> kAliases[] = {
      {"zh-CN", "zh"},       {"zh-Hans", "zh"},    {"zh-SG", "zh"},      {"cmn", "zh"},
      {"cmn-Hans-CN", "zh"}, {"zh-TW", "zh-Hant"}, {"zh_TW", "zh-Hant"}, {"zh-HK", "zh-Hant"},
      {"zh-MO", "zh-Hant"},  {"zt", "zh-Hant"},    {"zh-Hans-HK", "zh"}, {"zh-Hant-HK", "zh-Hant"},
      {"yue", "yue"},        {"zh-yue", "yue"},    {"yue-Hant", "yue"},  {"zh-yue-HK", "yue"},
      {"pt-BR", "pt"},       {"pt-PT", "pt"},      {"pb", "pt"},         {"fil", "tl"},
      {"fil-PH", "tl"},      {"iw", "he"},         {"in", "id"},         {"kk-Cyrl", "kk"},
      {"kk-Cyrl-KZ", "kk"},  {"en-US", "en"},      {"en_GB", "en"},      {"es-419", "es"},
      {"mn-Cyrl", "mn"},     {"fa-IR", "fa"},      {"arb", "ar"},        {"deu", "de"},
      {"zho", "zh"},
  };
  for (const auto& [alias, code] : kAliases) EXPECT_EQ(code_of(alias), code) << alias;
}

TEST(Language, WhatIsNoCodeOfOursIsNotFound) {
  for (const std::string_view code : {"", "xx", "auto", "english", "e", "en-", "-en", "en--US",
                                      "en US", "zh-Hant\n", "sv", "sr-Latn", "zh-toolongsubtag"}) {
    EXPECT_EQ(find_language(code), nullptr) << code;
  }
  EXPECT_EQ(find_language(std::string(1'000'000, 'z')), nullptr);
}

TEST(Language, AnUnknownCodeIsRefusedByFieldWithTheListOfCodes) {
  const auto refused = require_language("tlh", "target");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
  EXPECT_EQ(refused.error().field, "target");
  EXPECT_NE(refused.error().message.find("\"tlh\""), std::string::npos);
  for (const auto& language : languages()) {
    EXPECT_NE(refused.error().message.find(language.code), std::string::npos) << language.code;
  }
}

TEST(Language, AHugeOrHostileCodeMakesAShortMessageOfOneLine) {
  const auto refused = require_language("\n\r\xFF" + std::string(1'000'000, 'z'), "source");
  ASSERT_FALSE(refused);
  EXPECT_LT(refused.error().message.size(), 500u);
  EXPECT_EQ(refused.error().message.find_first_of("\r\n\xFF"), std::string::npos);
}

}  // namespace
}  // namespace hymt::translate
