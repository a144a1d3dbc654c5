// The speed of llama.cpp (through node-llama-cpp) on a model, measured as `hymt bench` measures ours:
// prefill of one prompt; then decoding B sequences of 64-token prompts side by side, one token a
// sequence a step, 32 steps. One JSON object a line: {"test", "batch", "tok_per_s"}.
//
//   node peer.mjs MODEL.gguf [PREFILL [B...]]
//
// Its best settings are used: flash attention, its own repacked weights, a thread a core. A step's
// tokens are drawn greedily by the engine itself.
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(path.join(import.meta.dirname, '../../tests/conformance/package.json'));
const {getLlama} = await import(pathToFileURL(require.resolve('node-llama-cpp')));

const [modelPath, ...numbers] = process.argv.slice(2);
const [prefill = 512, ...batches] = numbers.map(Number);
const kPrompt = 64;
const kSteps = 32;
const threads = os.availableParallelism();

const llama = await getLlama({gpu: false, build: 'never', logLevel: 'error', maxThreads: threads});
const model = await llama.loadModel({modelPath, useMmap: true});
const n_vocab = 1000;  // any tokens will do

let state = 1;
function random_tokens(n) {
  return Array.from({length: n}, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % n_vocab;
  });
}

async function with_context(sequences, tokens, work) {
  const context = await model.createContext({sequences, contextSize: tokens, batchSize: 512, threads,
    flashAttention: true});
  try {
    return await work(Array.from({length: sequences}, () => context.getSequence()));
  } finally {
    await context.dispose();
  }
}

const ask = (token) => [token, {generateNext: {token: true, options: {temperature: 0}}}];

// Feeds tokens, asking for what follows the last; resolves to that.
async function feed(sequence, tokens) {
  const answers = await sequence.controlledEvaluate(
    tokens.map((token, i) => (i + 1 < tokens.length ? token : ask(token))));
  return answers.at(-1).next.token;
}

async function seconds_of(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

const report = (row) => console.log(JSON.stringify({engine: 'node-llama-cpp', ...row}));

if (prefill > 0) {
  const seconds = await with_context(1, prefill + 8, async ([sequence]) =>
    seconds_of(() => feed(sequence, random_tokens(prefill))));
  report({test: 'prefill', batch: 1, tokens: prefill, tok_per_s: prefill / seconds});
}
for (const batch of batches) {
  const seconds = await with_context(batch, kPrompt + kSteps + 8, async (sequences) => {
    let next = await Promise.all(sequences.map((one) => feed(one, random_tokens(kPrompt))));
    return seconds_of(async () => {
      for (let step = 0; step < kSteps; ++step) {
        next = await Promise.all(sequences.map((one, i) => feed(one, [next[i]])));
      }
    });
  });
  report({test: 'decode', batch, tok_per_s: batch * kSteps / seconds});
}
await llama.dispose();
