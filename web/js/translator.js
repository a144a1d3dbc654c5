// Runs one translation at a time: the newest. Waits until typing rests, gives up the one before,
// and gets over what passes by itself (a busy server, a model being loaded, a lost connection).
import * as api from './api.js';
import {pause} from './dom.js';

const kTypingRest = 400;     // milliseconds without a key before a translation starts
const kPollFirst = 1000;     // milliseconds between looks at a server that is not there,
const kPollSlowest = 5000;   // growing to this
const kDefaultRetry = 5;     // seconds, for a busy server that names no time
const kLongText = 400;       // characters from which the language is asked for beforehand

export class Translator {
  #timer = 0;
  #running = null;  // the AbortController of the translation at work

  // Called with what happens, in order; after stop() or a newer start nothing more comes.
  //   begin(job), delta(text), detected(code), end(event, seconds, job),
  //   wait(error, seconds): the same twice and more while seconds count down,
  //   fail(error)
  constructor(hears) {
    this.hears = hears;
  }

  get busy() {
    return this.#running !== null;
  }

  // `makeJob()` gives {text, source, target}.
  afterTyping(makeJob) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.start(makeJob()), kTypingRest);
  }

  start(job) {
    this.stop();
    const running = (this.#running = new AbortController());
    this.#run(job, running.signal)
      .catch((error) => {
        if (!running.signal.aborted) this.hears.fail(error);
      })
      .finally(() => {
        if (this.#running === running) this.#running = null;
      });
  }

  // Whether there was something to stop.
  stop() {
    clearTimeout(this.#timer);
    const stopped = this.busy;
    this.#running?.abort();
    this.#running = null;
    return stopped;
  }

  async #run(job, signal) {
    let triedAgain = false;
    for (;;) {
      try {
        return await this.#stream(job, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        if (error.status === 429 && !triedAgain) {
          triedAgain = true;
          await this.#countDown(error, signal);
        } else if (error.status === 503 || (error.status === 0 && error.code === 'offline')) {
          this.hears.wait(error);
          await untilReady(signal, (why) => this.hears.wait(why), error.status);
        } else {
          throw error;
        }
      }
    }
  }

  async #stream(job, signal) {
    const started = performance.now();
    this.hears.begin(job);
    if (job.source === 'auto' && job.text.length >= kLongText) this.#detectEarly(job, signal);
    for await (const event of api.translate(job, signal)) {
      if (signal.aborted) return;
      if (event.done) {
        this.#running = null;
        return this.hears.end(event, (performance.now() - started) / 1000, job);
      } else if (event.delta) {
        this.hears.delta(event.delta);
      }
    }
  }

  // A long text streams for seconds before its last event tells the language.
  async #detectEarly(job, signal) {
    try {
      const {language} = await api.detect(job.text.slice(0, 2 * kLongText), signal);
      if (language && !signal.aborted && this.busy) this.hears.detected(language);
    } catch {
      // only a comfort: the last event tells it as well
    }
  }

  async #countDown(error, signal) {
    for (let seconds = error.retryAfter ?? kDefaultRetry; seconds > 0; --seconds) {
      this.hears.wait(error, seconds);
      await pause(1000, signal);
    }
  }
}

// Returns when the server says it is ready. Calls hear(error) when the reason why it is not
// changes.
export async function untilReady(signal, hear, told = null) {
  for (let between = kPollFirst;; between = Math.min(1.5 * between, kPollSlowest)) {
    const ready = await api.isReady(signal);
    const status = ready === null ? 0 : 503;
    if (!ready && told !== status) hear(new api.ApiError((told = status)));
    // Also a server that is ready by now is given a moment: it has just refused.
    await pause(between, signal, 'online');
    if (ready) return;
  }
}
