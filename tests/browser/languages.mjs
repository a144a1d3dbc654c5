// The 38 languages as GET /v1/languages lists them: code, English, Chinese and native name.
const kTable = `
zh|Chinese|中文|中文
en|English|英语|English
fr|French|法语|Français
pt|Portuguese|葡萄牙语|Português
es|Spanish|西班牙语|Español
ja|Japanese|日语|日本語
tr|Turkish|土耳其语|Türkçe
ru|Russian|俄语|Русский
ar|Arabic|阿拉伯语|العربية
ko|Korean|韩语|한국어
th|Thai|泰语|ไทย
it|Italian|意大利语|Italiano
de|German|德语|Deutsch
vi|Vietnamese|越南语|Tiếng Việt
ms|Malay|马来语|Bahasa Melayu
id|Indonesian|印尼语|Bahasa Indonesia
tl|Filipino|菲律宾语|Filipino
hi|Hindi|印地语|हिन्दी
zh-Hant|Traditional Chinese|繁体中文|繁體中文
pl|Polish|波兰语|Polski
cs|Czech|捷克语|Čeština
nl|Dutch|荷兰语|Nederlands
km|Khmer|高棉语|ខ្មែរ
my|Burmese|缅甸语|မြန်မာဘာသာ
fa|Persian|波斯语|فارسی
gu|Gujarati|古吉拉特语|ગુજરાતી
ur|Urdu|乌尔都语|اردو
te|Telugu|泰卢固语|తెలుగు
mr|Marathi|马拉地语|मराठी
he|Hebrew|希伯来语|עברית
bn|Bengali|孟加拉语|বাংলা
ta|Tamil|泰米尔语|தமிழ்
uk|Ukrainian|乌克兰语|Українська
bo|Tibetan|藏语|བོད་སྐད།
kk|Kazakh|哈萨克语|Қазақ тілі
mn|Mongolian|蒙古语|Монгол хэл
ug|Uyghur|维吾尔语|ئۇيغۇرچە
yue|Cantonese|粤语|粵語`;

const kRightToLeft = ['ar', 'fa', 'ur', 'he', 'ug'];

export const kLanguages = kTable.trim().split('\n').map((line) => {
  const [code, english, chinese, native] = line.split('|');
  return {code, english, chinese, native, rtl: kRightToLeft.includes(code)};
});

export const kDemoLanguages = ['zh', 'en', 'fr', 'de', 'es', 'ja'];
