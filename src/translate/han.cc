#include "translate/han.h"

#include <unicode/translit.h>
#include <unicode/unistr.h>

#include <bitset>

#include "base/utf8.h"

namespace hymt::translate {
namespace {

// Forms of Japan's reform of 1946 that China does not share, and characters made in Japan.
constexpr std::string_view kJapaneseForms =
    "対発検駅図売読円応働込畑峠枠沢択駆験険剣圏単戦弾獣厳気経軽続総縁鉄転団伝仏払拝拡鉱権勧歓"
    "観覚栄営労蛍桜楽薬黒徳恵穂渋歩毎価仮両児倹剤勲庁帯広徴恋悪悩戯抜拠挿斉桟様歯残県窯竜粋"
    "糸絵緑縄縦繊臓舗艶芸荘蔵薫虚訳証譲豊賛辺逓遅郷酔醸釈銭鋳録錬鎮関闘陥隠雑霊頼顕騒髪鶏"
    "麺黙齢焼塩囲壊壱変実専屡巌弐従摂暁曽枢歳涙渓満滝瀬犠猟瓶畳砕稲穏粛継聴脳脱蔭褒覧触"
    "頬駄黄匂喰嬉嶋栃榊笹腺辻雫噂樫凪俣";

// Forms that both reforms chose: they speak against traditional Chinese, not for China.
constexpr std::string_view kSharedForms =
    "国会学体区来点医号万与当参台旧虫双乱争余党写励声宝属嘱弥担断条枢欧殴湾灯炉献痴盗礼称窃"
    "胆蚕触誉辞随静麦黄径恋寿将峡昼楼残浅湿滞狭独状禅缶蛮践遥欠糸芸予尽奥庄惨恒挟"
    "携潜猫脚翻群";

// Words of any Chinese that Japanese writes with kana or other characters.
constexpr std::string_view kChineseWords =
    "的了是们這这嗎吗您你她吧呢很都沒没還还個个說说們在我有他";

// Characters of written Cantonese that no other written Chinese uses (now).
constexpr std::string_view kCantonese =
    "嘅咗喺冇佢哋啲嗰嘢噉嚟咁乜嘥揾搵攞啱嘞咩㗎嗮唔睇冚孭瞓攰嚿";

constexpr char32_t kFirst = 0x4E00;  // the basic block of ideographs
constexpr char32_t kLast = 0x9FFF;

class Set {
 public:
  bool has(char32_t c) const { return c >= kFirst && c <= kLast && bits_[c - kFirst]; }
  void set(char32_t c, bool value = true) {
    if (c >= kFirst && c <= kLast) bits_[c - kFirst] = value;
  }

 private:
  std::bitset<kLast - kFirst + 1> bits_;
};

template <class F>
void each_character(std::string_view text, F f) {
  for (size_t at = 0; at < text.size();) f(utf8::next(text, at));
}

Set set_of(std::string_view characters) {
  Set set;
  each_character(characters, [&](char32_t c) { set.set(c); });
  return set;
}

// Every character of the block, converted; empty if this ICU lacks the table.
icu::UnicodeString converted(const char* id) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::Transliterator> transliterator(
      icu::Transliterator::createInstance(id, UTRANS_FORWARD, status));
  if (U_FAILURE(status) || !transliterator) return {};
  icu::UnicodeString block;
  for (char32_t c = kFirst; c <= kLast; ++c) block.append(static_cast<UChar32>(c));
  transliterator->transliterate(block);
  return block.length() == static_cast<int32_t>(kLast - kFirst + 1) ? block : icu::UnicodeString();
}

}  // namespace

struct HanDetector::Tables {
  Set simplified;   // in simplified Chinese only
  Set traditional;  // in traditional Chinese only
  Set japanese;     // in neither: Japan's own forms
  Set chinese;      // frequent in any Chinese, rare in Japanese
  Set cantonese;

  Tables()
      : japanese(set_of(kJapaneseForms)),
        chinese(set_of(kChineseWords)),
        cantonese(set_of(kCantonese)) {
    const Set shared = set_of(kSharedForms);
    const auto to_simplified = converted("Traditional-Simplified");
    const auto to_traditional = converted("Simplified-Traditional");
    for (char32_t c = kFirst; c <= kLast; ++c) {
      const auto i = static_cast<int32_t>(c - kFirst);
      const auto same = static_cast<char16_t>(c);
      const bool shrinks = i < to_simplified.length() && to_simplified[i] != same;
      const bool grows = i < to_traditional.length() && to_traditional[i] != same;
      traditional.set(c, shrinks && !grows);
      simplified.set(c, grows && !shrinks);
      if (simplified.has(c) && !shared.has(c) && !japanese.has(c)) chinese.set(c);
    }
  }
};

HanDetector::HanDetector() = default;
HanDetector::~HanDetector() = default;

const HanDetector::Tables& HanDetector::tables() const {
  std::call_once(once_, [this] { tables_ = std::make_unique<const Tables>(); });
  return *tables_;
}

std::string_view HanDetector::detect(std::string_view text, const ScriptCounts& counts) const {
  const Tables& of = tables();
  int simplified = 0, traditional = 0, japanese = 0, chinese = 0, cantonese = 0;
  each_character(text, [&](char32_t c) {
    simplified += of.simplified.has(c);
    traditional += of.traditional.has(c);
    japanese += of.japanese.has(c);
    chinese += of.chinese.has(c);
    cantonese += of.cantonese.has(c);
  });
  // Japanese has hiragana in every sentence; Chinese may quote a word in kana, and decorates
  // itself with a lone の. A title without kana is told by the forms of its characters.
  const int hiragana = counts[Script::hiragana];
  const int for_japanese = 2 * hiragana + counts[Script::katakana] + 2 * japanese;
  const bool kana = hiragana + counts[Script::katakana] > 0;
  if (for_japanese > 2 * chinese && (japanese > 0 || kana)) return "ja";

  constexpr int kCantoneseShare = 40;  // a marker in so many characters: more than a quotation
  if (cantonese * kCantoneseShare >= counts[Script::han] && cantonese > 0) return "yue";
  return traditional > simplified ? "zh-Hant" : "zh";
}

}  // namespace hymt::translate
