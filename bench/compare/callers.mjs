// Requests a second of llama.cpp with so many callers at once, each with a sequence of its own that
// takes one prompt after the other: what bench/serving.py measures of `hymt serve`, without the HTTP.
//
//   node callers.mjs MODEL.gguf [CALLERS [PROMPT_TOKENS [ANSWER_TOKENS [SECONDS]]]]
import {feed, load, random_tokens, report} from './llama.mjs';

const [modelPath, ...numbers] = process.argv.slice(2);
const [callers = 32, prompt = 40, answer = 32, seconds = 30] = numbers.map(Number);

const llama = await load(modelPath);
await llama.with_sequences(callers, prompt + answer + 8, async (sequences) => {
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  let finished = 0;
  await Promise.all(sequences.map(async (sequence) => {
    while (elapsed() < seconds) {
      let token = await feed(sequence, random_tokens(prompt));
      for (let i = 1; i < answer; ++i) token = await feed(sequence, [token]);
      finished += 1;
      await sequence.clearHistory();
    }
  }));
  report({test: 'callers', callers, prompt, answer, requests_per_s: finished / elapsed()});
});
await llama.dispose();
