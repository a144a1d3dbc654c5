// Both pre-tokenizers against V8's regular expressions, which run the published patterns as they
// are written. (Only \s is spelt out: JavaScript's is not the property White_Space.)
//
//   node tokenizer_patterns.mjs DRIVER BUILD_FOLDER
import {agreed_characters, ask_driver, news_texts, random_texts, report, shared_folder}
  from './tokenizer_support.mjs';

const driver = process.argv[2];

const unicode = (pattern) =>
  new RegExp(pattern.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}'),
    'gu');
const blanks = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`;
const hunyuan = unicode(
  String.raw`'[sS\u017ftTmMdD]|'[rR][eE]|'[vV][eE]|'[lL][lL]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|` +
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|` + blanks);
const dense = [
  unicode(String.raw`\p{N}{1,3}`),
  unicode('[一-龥\u3040-ゟ゠-ヿ]+'),
  unicode(String.raw`[!"#$%&'()*+,\-.\/:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+|` +
    String.raw`[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|` + blanks),
];

// The matches, and what lies between them.
function isolate(pattern, text) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(match[0]);
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}
const dense_words = (text) =>
  dense.reduce((pieces, pattern) => pieces.flatMap((piece) => isolate(pattern, piece)), [text]);

const check = (what, pre, texts, reference) =>
  report(what, texts, ask_driver(driver, ['words', pre], texts), texts.map(reference));
const random = random_texts(20000, 2, agreed_characters(driver));
const news = news_texts(shared_folder());
const good = [
  check('hunyuan, random text', 'hunyuan', random, (text) => isolate(hunyuan, text)),
  check('hunyuan, news', 'hunyuan', news, (text) => isolate(hunyuan, text)),
  check('hunyuan-dense, random text', 'hunyuan-dense', random, dense_words),
  check('hunyuan-dense, news', 'hunyuan-dense', news, dense_words),
];
process.exit(good.every(Boolean) ? 0 : 1);
