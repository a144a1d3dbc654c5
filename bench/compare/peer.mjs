// The speed of llama.cpp on a model, measured as `hymt bench` measures ours: prefill of one prompt;
// then decoding B sequences of 64-token prompts side by side, one token a sequence a step, 32 steps.
// One JSON object a line: {"test", "batch", "tok_per_s"}. A step's tokens are drawn greedily by the
// engine itself.
//
//   node peer.mjs MODEL.gguf [PREFILL [B...]]
import {feed, load, random_tokens, report, seconds_of} from './llama.mjs';

const [modelPath, ...numbers] = process.argv.slice(2);
const [prefill = 512, ...batches] = numbers.map(Number);
const kPrompt = 64;
const kSteps = 32;

const llama = await load(modelPath);
if (prefill > 0) {
  const seconds = await llama.with_sequences(1, prefill + 8, async ([sequence]) =>
    seconds_of(() => feed(sequence, random_tokens(prefill))));
  report({test: 'prefill', batch: 1, tokens: prefill, tok_per_s: prefill / seconds});
}
for (const batch of batches) {
  const seconds = await llama.with_sequences(batch, kPrompt + kSteps + 8, async (sequences) => {
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
