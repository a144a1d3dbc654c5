#include "translate/language.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"

namespace hymt::translate {
namespace {

constexpr std::array<Language, 38> kLanguages = {{
    {"zh", "Chinese", "中文", "中文"},
    {"en", "English", "英语", "English"},
    {"fr", "French", "法语", "Français"},
    {"pt", "Portuguese", "葡萄牙语", "Português"},
    {"es", "Spanish", "西班牙语", "Español"},
    {"ja", "Japanese", "日语", "日本語"},
    {"tr", "Turkish", "土耳其语", "Türkçe"},
    {"ru", "Russian", "俄语", "Русский"},
    {"ar", "Arabic", "阿拉伯语", "العربية", true},
    {"ko", "Korean", "韩语", "한국어"},
    {"th", "Thai", "泰语", "ไทย"},
    {"it", "Italian", "意大利语", "Italiano"},
    {"de", "German", "德语", "Deutsch"},
    {"vi", "Vietnamese", "越南语", "Tiếng Việt"},
    {"ms", "Malay", "马来语", "Melayu"},
    {"id", "Indonesian", "印尼语", "Indonesia"},
    {"tl", "Filipino", "菲律宾语", "Filipino"},
    {"hi", "Hindi", "印地语", "हिन्दी"},
    {"zh-Hant", "Traditional Chinese", "繁体中文", "繁體中文"},
    {"pl", "Polish", "波兰语", "Polski"},
    {"cs", "Czech", "捷克语", "Čeština"},
    {"nl", "Dutch", "荷兰语", "Nederlands"},
    {"km", "Khmer", "高棉语", "ខ្មែរ"},
    {"my", "Burmese", "缅甸语", "မြန်မာ"},
    {"fa", "Persian", "波斯语", "فارسی", true},
    {"gu", "Gujarati", "古吉拉特语", "ગુજરાતી"},
    {"ur", "Urdu", "乌尔都语", "اردو", true},
    {"te", "Telugu", "泰卢固语", "తెలుగు"},
    {"mr", "Marathi", "马拉地语", "मराठी"},
    {"he", "Hebrew", "希伯来语", "עברית", true},
    {"bn", "Bengali", "孟加拉语", "বাংলা"},
    {"ta", "Tamil", "泰米尔语", "தமிழ்"},
    {"uk", "Ukrainian", "乌克兰语", "Українська"},
    {"bo", "Tibetan", "藏语", "བོད་སྐད་"},
    {"kk", "Kazakh", "哈萨克语", "Қазақ тілі"},
    {"mn", "Mongolian", "蒙古语", "Монгол"},
    {"ug", "Uyghur", "维吾尔语", "ئۇيغۇرچە", true},
    {"yue", "Cantonese", "粤语", "粵語"},
}};

struct Alias {
  std::string_view alias;  // lower case
  std::string_view code;
};

// Other names of a primary language: superseded codes, ISO 639-2 and -3, and LibreTranslate's.
constexpr auto kAliases = std::to_array<Alias>({
    {"fil", "tl"}, {"iw", "he"},  {"in", "id"},  {"cmn", "zh"}, {"zt", "zh-Hant"}, {"pb", "pt"},
    {"zho", "zh"}, {"chi", "zh"}, {"eng", "en"}, {"fra", "fr"}, {"fre", "fr"},     {"por", "pt"},
    {"spa", "es"}, {"jpn", "ja"}, {"tur", "tr"}, {"rus", "ru"}, {"ara", "ar"},     {"arb", "ar"},
    {"kor", "ko"}, {"tha", "th"}, {"ita", "it"}, {"deu", "de"}, {"ger", "de"},     {"vie", "vi"},
    {"msa", "ms"}, {"may", "ms"}, {"zsm", "ms"}, {"ind", "id"}, {"tgl", "tl"},     {"hin", "hi"},
    {"pol", "pl"}, {"ces", "cs"}, {"cze", "cs"}, {"nld", "nl"}, {"dut", "nl"},     {"khm", "km"},
    {"mya", "my"}, {"bur", "my"}, {"fas", "fa"}, {"per", "fa"}, {"pes", "fa"},     {"guj", "gu"},
    {"urd", "ur"}, {"tel", "te"}, {"mar", "mr"}, {"heb", "he"}, {"ben", "bn"},     {"tam", "ta"},
    {"ukr", "uk"}, {"bod", "bo"}, {"tib", "bo"}, {"kaz", "kk"}, {"mon", "mn"},     {"khk", "mn"},
    {"uig", "ug"},
});

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// "zh_Hant-TW" as {"zh", "hant", "tw"}; empty if it does not have the shape of a language tag
// (RFC 5646: subtags of 1 to 8 letters or digits, the first of 2 or 3 letters).
std::vector<std::string> subtags(std::string_view code) {
  constexpr size_t kLongest = 35;  // what RFC 5646 asks implementations to take
  if (code.empty() || code.size() > kLongest) return {};
  std::vector<std::string> tags(1);
  for (const char c : code) {
    if (c == '-' || c == '_') {
      tags.emplace_back();
    } else if ((lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9')) {
      tags.back() += lower(c);
    } else {
      return {};
    }
  }
  for (const auto& tag : tags) {
    if (tag.empty() || tag.size() > 8) return {};
  }
  return tags;
}

const Language* with_code(std::string_view code) {
  const auto same = [&](const Language& language) { return language.code == code; };
  const auto at = std::find_if(kLanguages.begin(), kLanguages.end(), same);
  return at == kLanguages.end() ? nullptr : &*at;
}

// What a region, script or extended-language subtag makes of "zh".
std::string_view kind_of_chinese(const std::vector<std::string>& tags) {
  const auto has = [&](std::initializer_list<std::string_view> any) {
    return std::find_first_of(tags.begin() + 1, tags.end(), any.begin(), any.end()) != tags.end();
  };
  if (has({"yue"})) return "yue";
  if (has({"hans"})) return "zh";  // the script outranks the region: zh-Hans-HK
  return has({"hant", "tw", "hk", "mo"}) ? "zh-Hant" : "zh";
}

}  // namespace

std::span<const Language> languages() {
  return kLanguages;
}

const Language* find_language(std::string_view code) {
  const auto tags = subtags(code);
  if (tags.empty()) return nullptr;
  std::string_view primary = tags[0];
  for (const auto& [alias, meant] : kAliases) {
    if (alias == primary) primary = meant;
  }
  if (primary == "zh") primary = kind_of_chinese(tags);
  return with_code(primary);
}

Result<const Language*> require_language(std::string_view code, const std::string& field) {
  if (const Language* language = find_language(code)) return language;
  constexpr size_t kShown = 40;
  std::string shown = utf8::repair(code.substr(0, kShown));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';  // a message is one line
  }
  if (code.size() > kShown) shown += "...";
  std::string known;
  for (const auto& language : kLanguages) {
    if (!known.empty()) known += ", ";
    known += language.code;
  }
  return fail(Code::invalid_argument,
              "unknown language \"" + shown + "\" in " + field + ": use one of " + known, field);
}

bool is_chinese(const Language& language) {
  return language.code == "zh" || language.code == "zh-Hant" || language.code == "yue";
}

}  // namespace hymt::translate
