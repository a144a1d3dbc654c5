// What the tokenizer's conformance tests share: texts to compare on, the driver, skipping.
import fs from 'node:fs';
import path from 'node:path';
import {spawnSync} from 'node:child_process';

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

export async function require_package(name) {
  try {
    return await import(name);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    skip(`needs the npm package ${name}: npm ci in tests/conformance`);
  }
}

export function shared_folder() {
  const source = process.env.HYMT_SOURCE ?? path.resolve(import.meta.dirname, '../..');
  const folder = process.env.HYMT_SHARED ?? path.join(source, '../shared');
  if (!fs.existsSync(folder)) skip('needs the shared data folder: set HYMT_SHARED');
  return folder;
}

// News in every language that the models speak: each file as a whole, and each line.
export function news_texts(shared) {
  const folder = path.join(shared, 'data/ntrex');
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.txt')).sort();
  const files = names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
  return [...files, ...files.flatMap((text) => text.split('\n'))];
}

// mulberry32: the same texts in every run.
function random_source(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const kSpaces = [' ', ' ', ' ', '  ', '\t', '\n', '\r\n', '\r', '\n\n', '\u00a0', '\u0085',
  '\u2003', '\u2028', '\u3000', '\u000b', '\u000c', '\u200b', '\ufeff'];
const kBits = ["'s", "'T", "'re", "'VE", "'ll", "'M", "'d", "'\u017f", "'", "''", '\u2019s',
  'don\'t', 'ICH', 'stra\u00dfe', '\u0130', 'e\u0301', '\u1100\u1161\u11a8', '\ud55c\uae00',
  '<|eos|>', '<|extra_0|>', '<|startoftext|>', '<\uff5chy_User\uff5c>', '...', '!!', '?!', '\u3002',
  '\uff0c', '\u30fb', '\u30fc', '\u309b', '\u4e00\u4e8c', '\u3007', '\u2167', '\u00bd', '\u0661',
  '12345', '007', '$', '~', '`', '_', '^', '|', '+', '\\n', '\u{1f600}', '\u{1f468}\u200d\u{1f469}',
  '\u{1f1e9}\u{1f1ea}', '\u2764\ufe0f', '\u{e0041}', '\u{1d400}', '\u{20000}', '\u{f0000}'];
// First and last of ranges that hold scripts, marks, symbols and controls.
const kRanges = [[0, 0x7f], [0x20, 0x7e], [0x61, 0x7a], [0x30, 0x39], [0x80, 0xff], [0x100, 0x24f],
  [0x250, 0x2ff], [0x300, 0x36f], [0x370, 0x3ff], [0x400, 0x52f], [0x590, 0x5ff], [0x600, 0x6ff],
  [0x900, 0x97f], [0x980, 0x9ff], [0xa80, 0xaff], [0xb80, 0xbff], [0xc00, 0xc7f], [0xe00, 0xe7f],
  [0xf00, 0xfff], [0x1000, 0x109f], [0x1100, 0x11ff], [0x1780, 0x17ff], [0x1800, 0x18af],
  [0x1e00, 0x1eff], [0x2000, 0x206f], [0x2070, 0x20cf], [0x20d0, 0x20ff], [0x2100, 0x218f],
  [0x2190, 0x23ff], [0x2460, 0x24ff], [0x2500, 0x27bf], [0x3000, 0x303f], [0x3040, 0x30ff],
  [0x3400, 0x3420], [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0xe000, 0xe010], [0xf900, 0xfaff],
  [0xfb50, 0xfdff], [0xfe00, 0xfe0f], [0xff00, 0xffef], [0x10000, 0x100ff], [0x1d100, 0x1d1ff],
  [0x1d400, 0x1d7ff], [0x1f300, 0x1f64f], [0x1f900, 0x1f9ff], [0x20000, 0x200ff],
  [0xe0000, 0xe01ef], [0, 0x10ffff]];

// `known` says which code points may occur: engines carry different versions of Unicode.
export function random_texts(count, seed, known = () => true) {
  const random = random_source(seed);
  const below = (n) => Math.floor(random() * n);
  const one_of = (list) => list[below(list.length)];
  const character = ([first, last]) => {
    for (;;) {
      const code = first + below(last - first + 1);
      if ((code < 0xd800 || code > 0xdfff) && known(code)) return String.fromCodePoint(code);
    }
  };
  const piece = () => {
    const kind = random();
    if (kind < 0.2) return one_of(kSpaces).repeat(random() < 0.8 ? 1 : 1 + below(6));
    if (kind < 0.4) return one_of(kBits);
    const range = one_of(kRanges);
    let text = '';
    for (let n = 1 + below(kind < 0.7 ? 3 : 10); n > 0; --n) text += character(range);
    return text;
  };
  return Array.from({length: count}, () => {
    let text = '';
    for (let n = 1 + below(random() < 0.9 ? 12 : 80); n > 0; --n) text += piece();
    return text;
  });
}

// Whether the driver's version of Unicode and Node's agree on a code point: assigned in both or in
// neither. Categories of assigned characters have not changed between them.
export function agreed_characters(driver) {
  const assigned = new Uint8Array(0x110000);
  const [ranges] = ask_driver(driver, ['assigned', 'unicode'], [], 1);
  for (const [first, last] of ranges) assigned.fill(1, first, last + 1);
  let newer = 0;
  for (let code = 0; code <= 0x10ffff; ++code) {
    const known = /\P{Cn}/u.test(String.fromCodePoint(code));
    if (known && !assigned[code]) ++newer;
    if (!known && assigned[code]) throw new Error(`Node does not know U+${code.toString(16)}`);
    assigned[code] = known === Boolean(assigned[code]);
  }
  if (newer > 20000) throw new Error(`${newer} code points are left out: more than new versions add`);
  return (code) => assigned[code] === 1;
}

// One answer for each text.
export function ask_driver(driver, args, texts, expected = texts.length) {
  const run = spawnSync(driver, args, {
    input: texts.map((text) => JSON.stringify(text) + '\n').join(''),
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`the driver ended with ${run.status}: ${run.stderr}`);
  const answers = run.stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line));
  if (answers.length !== expected) throw new Error(`${answers.length} of ${expected} answers`);
  return answers;
}

// Compares the driver's answers with the reference's, text by text; prints the first few that
// differ and the figures, and ends the process.
export function report(what, texts, ours, reference) {
  let different = 0;
  let items = 0;
  texts.forEach((text, i) => {
    items += reference[i].length;
    const a = JSON.stringify(ours[i]);
    const b = JSON.stringify(reference[i]);
    if (a === b || ++different > 5) return;
    console.log(`differs: ${JSON.stringify(text.slice(0, 400))}\n  hymt      ${a.slice(0, 800)}\n` +
      `  reference ${b.slice(0, 800)}`);
  });
  console.log(`${what}: ${texts.length} texts, ${items} compared, ${different} texts differ`);
  return different === 0;
}
