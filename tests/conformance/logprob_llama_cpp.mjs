// The numbers of the forward pass against llama.cpp (through node-llama-cpp), on the same files.
//
//   node logprob_llama_cpp.mjs demo|random DRIVER BUILD_FOLDER
//
// demo: the demo model as BF16, and as our own writer makes it Q8_0 and Q4_0. The reference translates
// held-out sentences greedily, both directions; its tokens are forced on us. At each
// position the log-probabilities of its 32 best next tokens agree within a tolerance, and our
// arg-max is its token unless the gap between its two best is below that tolerance.
// HYMT_ALL_SENTENCES=1 takes all 3,000 sentences instead of a few of each direction.
//
// random: small models of odd shapes and random weights, random tokens. Their next token is nearly
// uniform, so only log-probabilities are compared.
//
// The tolerance comes from what a format does to the input of a product (both engines do the same,
// but once an input is a hair different, it is rounded differently):
//   BF16: to 8 significant bits: an error uniform within half a step, which is 2^-8 of the power of
//     two below the value: 2^-8 / sqrt(3) * 0.7 of the value on average, 0.16%;
//   Q8_0, Q4_0: to 255 steps a block of 32, whose absmax is about 2.5 sigma: 0.6% of sigma;
//   F32: none; there the 16-bit K, V, query and weights of attention remain: 2^-11 / sqrt(3) * 0.7.
// A product's output is off by the same share, as errors of its terms are independent. A layer rounds
// the inputs of qkv, o, gate and up together, and down; what gate and up read counts twice, as its
// error is in both factors of silu(gate) * up. Like a random walk that is sqrt(1 + 1 + 4 + 1) a
// layer, and 1 for the last product: sqrt(7 layers + 1) times that, of what a logit is (`spread`:
// their standard deviation at that position). Two engines' errors are at worst independent:
// sqrt(2). Five sigma of that leave one value in two million outside.
//
// The reference runs without flash attention, which on a CPU adds up values in 16 bits; its K and
// V are F16 either way, like ours.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {spawnSync} from 'node:child_process';
import {require_package, shared_folder} from './tokenizer_support.mjs';

const [subject, driver, build] = process.argv.slice(2);
const kTop = 32;
const kLayers = {demo: 6, random: 3};
const kRounding = {bf16: 0.7 * 2 ** -8 / Math.sqrt(3), q8_0: 0.006, q4_0: 0.006,
  f32: 0.7 * 2 ** -11 / Math.sqrt(3)};

function tolerance_of(type, spread) {
  return 5 * Math.SQRT2 * kRounding[type] * Math.sqrt(7 * kLayers[subject] + 1) * spread;
}

function run_driver(args, lines = []) {
  const input = lines.map((line) => JSON.stringify(line) + '\n').join('');
  const run = spawnSync(driver, args, {input, maxBuffer: 1 << 30, encoding: 'utf8'});
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`the driver ended with ${run.status}: ${run.stderr}`);
  return run.stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line));
}

// --- The reference's side ------------------------------------------------------------------------

// What the reference says about the next token: its best tokens, their log-probabilities, and the
// spread of all.
function summary(probabilities) {
  const tokens = [];
  const logprobs = [];
  let sum = 0;
  let squares = 0;
  let count = 0;
  let last = Infinity;
  for (const [token, p] of probabilities) {  // in descending order
    const logprob = Math.log(p);
    if (!Number.isFinite(logprob)) continue;
    if (logprob > last) throw new Error('the reference no longer sorts its probabilities');
    last = logprob;
    if (count < kTop) tokens.push(Number(token)), logprobs.push(logprob);
    sum += logprob;
    squares += logprob * logprob;
    ++count;
  }
  const mean = sum / count;
  return {tokens, logprobs, spread: Math.sqrt(squares / count - mean * mean)};
}

class Reference {
  static async open(file) {
    const {getLlama} = await require_package('node-llama-cpp');
    const reference = new Reference();
    reference.llama = await getLlama({gpu: false, build: 'never', logLevel: 'error', maxThreads: 1});
    reference.model = await reference.llama.loadModel({modelPath: file});
    reference.context = await reference.model.createContext(
      {contextSize: 512, batchSize: 512, threads: 1, flashAttention: false});
    reference.sequence = reference.context.getSequence();
    return reference;
  }

  // Summaries after each of the last `n` tokens.
  async evaluate(tokens, n) {
    const ask = (token) => [token, {generateNext: {probabilities: true}}];
    const first = tokens.length - n;
    const answers = await this.sequence.controlledEvaluate(
      tokens.map((token, i) => (i < first ? token : ask(token))));
    return answers.slice(first).map((answer) => summary(answer.next.probabilities));
  }

  async translate({prompt, stop}) {
    await this.sequence.clearHistory();
    const said = await this.evaluate(prompt, 1);
    const tokens = [...prompt];
    while (said.length < 64 && !stop.includes(said.at(-1).tokens[0])) {
      tokens.push(said.at(-1).tokens[0]);
      said.push(...await this.evaluate(tokens.slice(-1), 1));
    }
    return {tokens, first: prompt.length - 1, said};
  }

  async read(tokens) {
    await this.sequence.clearHistory();
    const first = 4;
    return {tokens, first, said: await this.evaluate(tokens, tokens.length - first)};
  }

  async close() {
    await this.context.dispose();
    await this.model.dispose();
    await this.llama.dispose();
  }
}

// The reference's answers, from the cache where this file has been asked the same before.
async function reference_answers(file, inputs, method) {
  const hash = crypto.createHash('sha256').update(fs.readFileSync(file))
    .update(JSON.stringify(inputs)).update(`${summary} ${Reference}`).digest('hex');
  const cache = path.join(build, 'logprob_cache', hash.slice(0, 24) + '.json');
  if (fs.existsSync(cache)) return JSON.parse(fs.readFileSync(cache, 'utf8'));
  const reference = await Reference.open(file);
  const answers = [];
  for (const input of inputs) answers.push(await reference[method](input));
  await reference.close();
  fs.mkdirSync(path.dirname(cache), {recursive: true});
  fs.writeFileSync(cache + '.part', JSON.stringify(answers));
  fs.renameSync(cache + '.part', cache);
  return answers;
}

// --- The comparison ------------------------------------------------------------------------------

class Figures {
  positions = 0;
  within = 0;
  largest = 0;
  share = 0;  // largest difference as a share of its tolerance
  disagreements = 0;
  unexplained = 0;

  add(said, type, best, logprobs) {
    const tolerance = tolerance_of(type, said.spread);
    const difference = Math.max(...said.logprobs.map((x, i) => Math.abs(x - logprobs[i])));
    this.positions += 1;
    this.within += difference <= tolerance ? 1 : 0;
    this.largest = Math.max(this.largest, difference);
    this.share = Math.max(this.share, difference / tolerance);
    if (best !== said.tokens[0]) {
      this.disagreements += 1;
      this.unexplained += said.logprobs[0] - said.logprobs[1] < tolerance ? 0 : 1;
    }
  }

  get good() {
    return this.positions > 0 && this.within === this.positions && this.unexplained === 0;
  }

  print(what, with_arg_max) {
    console.log(`${what}: ${this.positions} positions, ${this.within} within the tolerance, ` +
      `largest difference ${this.largest.toFixed(4)} (${this.share.toFixed(2)} of its tolerance)` +
      (with_arg_max ? `, arg-max differs at ${this.disagreements}, at ${this.unexplained} of them ` +
        'beyond the tolerance' : ''));
  }
}

function compare(what, file, type, answers, with_arg_max) {
  let good = true;
  for (const kernels of run_driver(['kernels'])[0]) {
    const ours = run_driver(['logprobs', file, kernels], answers.map(({tokens, first, said}) =>
      ({tokens, first, wanted: said.map((one) => one.tokens)})));
    const figures = new Figures();
    answers.forEach(({said}, i) => said.forEach((one, j) => {
      const best = with_arg_max ? ours[i].best[j] : one.tokens[0];
      figures.add(one, type, best, ours[i].logprobs[j]);
    }));
    figures.print(`${what} ${type} ${kernels}`, with_arg_max);
    good = figures.good && good;
  }
  return good;
}

// --- The subjects --------------------------------------------------------------------------------

function held_out_sentences(shared) {
  const asked = [];
  const count = process.env.HYMT_ALL_SENTENCES ? Infinity : 6;
  for (const language of ['zh', 'es', 'fr', 'de', 'ja']) {
    const text = fs.readFileSync(path.join(shared, `data/corpus/test.en-${language}.tsv`), 'utf8');
    const pairs = text.trimEnd().split('\n').slice(0, count).map((line) => line.split('\t'));
    for (const [english, other] of pairs) {
      asked.push(['en', language, english], [language, 'en', other]);
    }
  }
  return asked;
}

async function check_demo() {
  const sentences = held_out_sentences(shared_folder());
  const demo = path.join(import.meta.dirname, '../../models/demo.gguf');
  const prompts = run_driver(['prompts', demo], sentences);
  let good = true;
  for (const type of ['bf16', 'q8_0', 'q4_0']) {
    let file = demo;
    if (type !== 'bf16') {
      file = path.join(build, `logprob_demo_${type}.gguf`);
      run_driver(['quantize', demo, file, type]);
    }
    const answers = await reference_answers(file, prompts, 'translate');
    good = compare('demo', file, type, answers, true) && good;
  }
  return good;
}

async function check_random() {
  // d_model, n_heads, n_kv_heads, d_head, d_ff, n_vocab, tied
  const shapes = {
    'heads of 128': [128, 4, 2, 128, 192, 500, 1],  // 4 x 128 is not d_model
    'one kv head': [64, 4, 1, 32, 96, 333, 1],
    'as many kv heads': [96, 3, 3, 32, 160, 203, 0],
    'groups of four': [256, 8, 2, 64, 512, 1001, 0],
  };
  let good = true;
  let seed = 1;
  for (const [name, shape] of Object.entries(shapes)) {
    for (const type of ['f32', 'bf16', 'q8_0', 'q4_0']) {
      const file = path.join(build, `logprob_random_${seed}_${type}.gguf`);
      run_driver(['random', file, type, seed, ...shape].map(String));
      const tokens = Array.from({length: 100}, (_, i) => 2 + (i * i * 7919 + i * 31) % (shape[5] - 2));
      const answers = await reference_answers(file, [tokens], 'read');
      good = compare(name, file, type, answers, false) && good;
    }
    ++seed;
  }
  return good;
}

await require_package('node-llama-cpp');
const good = await (subject === 'demo' ? check_demo() : check_random());
process.exit(good ? 0 : 1);
