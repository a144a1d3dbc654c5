// The native HTTP API, as promises. Paths are relative, so the page also works behind a proxy
// that serves it in a folder.
import {EventStream} from './event_stream.js';
import {session} from './store.js';

// Whatever kept a request from its answer. `status` is 0 when there was no answer at all.
export class ApiError extends Error {
  constructor(status, {code = '', message = '', field = null, retryAfter = null} = {}) {
    super(message);
    Object.assign(this, {status, code, field, retryAfter});
  }
}

export const setKey = (key) => session.set('key', key);

export async function getLanguages() {
  const reply = await getJson('v1/languages');
  return Array.isArray(reply) ? reply : reply.languages ?? [];
}

// The model that translates: {id, name, generation, languages, max_input_tokens}; any of them may
// be missing.
export async function getModel() {
  const reply = await getJson('v1/models');
  return (reply.models ?? reply.data ?? [])[0] ?? {};
}

// Whether the server takes translations now; null if it does not answer at all.
export async function isReady(signal) {
  try {
    return (await send('ready', {signal, cache: 'no-store'})).ok;
  } catch (error) {
    if (signal?.aborted) throw error;
    return null;
  }
}

// {language, confidence} of a text.
export async function detect(text, signal) {
  const response = await checked(send('v1/detect', {...post({text}), signal}));
  return (await response.json()).detections?.[0] ?? {};
}

// The events of one translation: {delta}, at last {done, text, source, ...}. Rejects with an
// ApiError, also when the stream ends before it is done.
export async function* translate({text, source, target}, signal) {
  const body = {text, source, target, stream: true};
  const response = await checked(send('v1/translate', {...post(body), signal}));
  if (!/event-stream/.test(response.headers.get('content-type') ?? '')) {
    const reply = await response.json();  // something on the way does not stream
    yield {...reply.translations[0], done: true};
    return;
  }
  const stream = new EventStream();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let done = false;
  for (;;) {
    const {value, done: ended} = await reader.read().catch(lost(signal));
    if (ended) break;
    for (const data of stream.push(value)) {
      if (data === '[DONE]') continue;
      const event = JSON.parse(data);
      if (event.error) throw new ApiError(statusOf(event.error.code), event.error);
      done ||= event.done === true;
      yield event;
    }
  }
  if (!done) throw new ApiError(0, {code: 'broken'});
}

// An error inside a stream has a code but no status line.
const statusOf = (code) =>
  ({invalid_argument: 400, too_large: 413, unsupported: 422, queue_full: 429, unavailable: 503,
    deadline: 504})[code] ?? 500;

const post = (body) => ({
  method: 'POST',
  headers: {'content-type': 'application/json'},
  body: JSON.stringify(body),
});

const lost = (signal) => (error) => {
  if (signal?.aborted) throw error;
  throw new ApiError(0, {code: 'broken'});
};

async function send(path, options = {}) {
  const key = session.get('key');
  const headers = {...options.headers, ...(key && {authorization: `Bearer ${key}`})};
  try {
    return await fetch(path, {...options, headers});
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, {code: 'offline'});
  }
}

async function getJson(path) {
  return (await checked(send(path))).json();
}

async function checked(sent) {
  const response = await sent;
  if (response.ok) return response;
  const reply = await response.json().catch(() => ({}));  // a proxy's own error page
  throw new ApiError(response.status, {
    ...reply.error,
    retryAfter: secondsOf(response.headers.get('retry-after')),
  });
}

// Retry-After is a number of seconds or a date.
function secondsOf(header) {
  if (!header) return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header)
    : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null;
}
