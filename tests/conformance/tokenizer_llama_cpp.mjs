// Both tokenizers against llama.cpp (through node-llama-cpp): the same ids on news in 38 languages and
// on random text. For the 1.8B family with a vocabulary learnt here, as theirs is not at hand; for
// the 7B family with the demo model's. llama.cpp does not normalise, so there it is given NFC.
//
//   node tokenizer_llama_cpp.mjs DRIVER BUILD_FOLDER
import fs from 'node:fs';
import path from 'node:path';
import {spawnSync} from 'node:child_process';
import {agreed_characters, ask_driver, news_texts, random_texts, report, require_package,
  shared_folder} from './tokenizer_support.mjs';

const [driver, build] = process.argv.slice(2);
const shared = shared_folder();
const {getLlama} = await require_package('node-llama-cpp');

// Learns the vocabulary from a fifth of the news.
function make_dense_model() {
  const model = path.join(build, 'tokenizer_hunyuan_dense.gguf');
  const maker = path.join(import.meta.dirname, 'tokenizer_make_model.py');
  if (fs.existsSync(model) && fs.statSync(model).mtimeMs > fs.statSync(maker).mtimeMs) return model;
  const sample = news.filter((_, i) => i % 5 === 1);
  const words = ask_driver(driver, ['words', 'hunyuan-dense'], sample);
  const made = spawnSync('/usr/bin/python3', [maker, model],
    {input: words.map((one) => JSON.stringify(one) + '\n').join(''), encoding: 'utf8'});
  if (made.status !== 0) throw new Error(`tokenizer_make_model.py: ${made.stderr}`);
  return model;
}

const news = news_texts(shared);
const random = random_texts(20000, 3, agreed_characters(driver));
const llama = await getLlama({gpu: false, build: 'never', logLevel: 'error'});
let good = true;

async function check(what, file, form) {
  const model = await llama.loadModel({modelPath: file});
  for (const [kind, texts] of [['news', news], ['random text', random]]) {
    const ours = ask_driver(driver, ['ids', file], texts);
    const theirs = texts.map((text) => Array.from(model.tokenize(form(text), false)));
    good = report(`${what}, ${kind}`, texts, ours, theirs) && good;
  }
  await model.dispose();
}

await check('hunyuan-dense', make_dense_model(), (text) => text);
await check('hunyuan', path.join(import.meta.dirname, '../../models/demo.gguf'),
  (text) => text.normalize('NFC'));
process.exit(good ? 0 : 1);
