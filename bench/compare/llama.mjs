// llama.cpp (through node-llama-cpp, as tests/conformance installs it) at its best settings: flash
// attention, its own repacked weights, a thread a core. What peer.mjs and callers.mjs measure.
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(path.join(import.meta.dirname, '../../tests/conformance/package.json'));
const {getLlama} = await import(pathToFileURL(require.resolve('node-llama-cpp')));
const threads = os.availableParallelism();

export async function load(modelPath) {
  const llama = await getLlama({gpu: false, build: 'never', logLevel: 'error', maxThreads: threads});
  const model = await llama.loadModel({modelPath, useMmap: true});
  return {
    // Calls work with so many sequences, each with room for so many tokens.
    async with_sequences(sequences, tokens, work) {
      const context = await model.createContext({sequences, contextSize: tokens, batchSize: 512,
        threads, flashAttention: true});
      try {
        return await work(Array.from({length: sequences}, () => context.getSequence()));
      } finally {
        await context.dispose();
      }
    },
    dispose: () => llama.dispose(),
  };
}

let state = 1;
export function random_tokens(n) {
  const n_vocab = 1000;  // any tokens will do
  return Array.from({length: n}, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % n_vocab;
  });
}

const ask = (token) => [token, {generateNext: {token: true, options: {temperature: 0}}}];

// Feeds tokens, asking for what follows the last; resolves to that.
export async function feed(sequence, tokens) {
  const answers = await sequence.controlledEvaluate(
    tokens.map((token, i) => (i + 1 < tokens.length ? token : ask(token))));
  return answers.at(-1).next.token;
}

export async function seconds_of(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

export const report = (row) => console.log(JSON.stringify({engine: 'node-llama-cpp', ...row}));
