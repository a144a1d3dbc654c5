// The 7B family's tokenizer against tiktoken, with the ranks that Tencent publishes: the same ids
// on news in 38 languages and on random text. tiktoken does not normalise, so it is given NFC.
//
//   node tokenizer_tiktoken.mjs DRIVER BUILD_FOLDER
import fs from 'node:fs';
import path from 'node:path';
import {agreed_characters, ask_driver, news_texts, random_texts, report, require_package,
  shared_folder} from './tokenizer_support.mjs';

const driver = process.argv[2];
const ranks = path.join(shared_folder(), 'data/tokenizer/hy.tiktoken');
const {Tiktoken} = await require_package('tiktoken/lite');

const pattern = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|` +
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const encoding = new Tiktoken(fs.readFileSync(ranks, 'utf8'), {}, pattern);
const reference = (text) => Array.from(encoding.encode(text.normalize('NFC'), [], []));

const check = (what, texts) =>
  report(what, texts, ask_driver(driver, ['ids', ranks], texts), texts.map(reference));
// The user's part of a prompt, as a project that ran the published files reported its ids.
const vector = 'Translate the following text into Chinese:\nHello, world.';
const ids = [28573, 279, 2768, 1495, 1139, 8620, 512, 9906, 11, 1917, 13];

const good = [
  report('reported ids', [vector], ask_driver(driver, ['ids', ranks], [vector]), [ids]),
  check('news', news_texts(shared_folder())),
  check('random text', random_texts(20000, 1, agreed_characters(driver))),
];
process.exit(good.every(Boolean) ? 0 : 1);
