// hymt serve with the demo model inside it, called by Node's fetch and stopped by signals.
//   HYMT_BINARY=../../build/hymt node serve_test.mjs     (exits with 77 where it is missing)
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';

const binary = process.env.HYMT_BINARY ?? fileURLToPath(new URL('../../build/hymt', import.meta.url));
if (!existsSync(binary) || Number(process.versions.node.split('.')[0]) < 18) {
  console.log(`skipped: no ${binary}, or Node before 18`);
  process.exit(77);
}

const kPatience = 120_000;  // milliseconds; sanitized builds are slow

// A running `hymt serve` with what it has printed; `address` once it is ready.
function start(...options) {
  const environment = {...process.env};
  delete environment.HYMT_MODEL;
  const child = spawn(binary, ['serve', ...options], {stdio: ['ignore', 'pipe', 'pipe'], env: environment});
  const service = {child, out: '', err: ''};
  child.stdout.on('data', (text) => (service.out += text));
  child.stderr.on('data', (text) => (service.err += text));
  service.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  return service;
}

async function until(condition, what) {
  for (const end = Date.now() + kPatience; ; await pause(20)) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `waited too long for ${what()}`);
  }
}

async function ready(service) {
  service.address = await until(() => /serves .* at (http:\S+) /.exec(service.out)?.[1],
    () => `the service: ${service.out}${service.err}`);
  return service;
}

const post = (service, body, more = {}) => fetch(`${service.address}/v1/translate`, {
  method: 'POST',
  headers: {'content-type': 'application/json'},
  body: JSON.stringify(body),
  ...more,
});

async function metric(service, series) {
  const text = await (await fetch(`${service.address}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line ? Number(line.split(' ').at(-1)) : 0;
}

// Never ends by itself: a request of this kind is under way as long as somebody wants it.
const kLong = {text: 'I like this book.', target: 'zh', ignore_eos: true, max_tokens: 1500, stream: true};

let service;
before(async () => (service = await ready(start('--port', '0', '--deadline', '2m'))));
after(async () => {
  service.child.kill('SIGKILL');
  await service.ended;
});

test('a text is translated', async () => {
  const response = await post(service, {text: '我喜欢这本书。', target: 'en'});
  assert.equal(response.status, 200);
  const {translations: [translation], model, usage} = await response.json();
  assert.equal(translation.source, 'zh');
  assert.equal(translation.detected, true);
  assert.equal(translation.finish_reason, 'stop');
  assert.match(translation.text, /book/i);
  assert.ok(model && usage.input_tokens > 0 && usage.output_tokens > 0);
});

test('a stream joins to the answer given at once', async () => {
  const body = {text: ['Wo ist der Bahnhof?', '你好！'], target: 'en'};
  const whole = (await (await post(service, body)).json()).translations.map(({text}) => text);
  const response = await post(service, {...body, stream: true});
  assert.match(response.headers.get('content-type'), /^text\/event-stream/);
  const events = (await response.text()).trim().split('\n\n').map((event) => event.replace(/^data: /, ''));
  assert.equal(events.pop(), '[DONE]');
  const joined = ['', ''];
  for (const event of events.map(JSON.parse)) {
    if (event.done) assert.equal(event.text, whole[event.index]);
    else joined[event.index] += event.delta;
  }
  assert.deepEqual(joined, whole);
});

test('bad requests get one clear error', async () => {
  for (const [body, status, field] of [
    [{text: 'a', target: 'xx'}, 400, 'target'],
    [{text: 'a', target: 'ko'}, 422, 'target'],  // a language the demo model does not know
    [{text: 'a', target: 'en', beams: 100}, 400, 'beams'],
    [{text: 'a', target: 'en', langauge: 'x'}, 400, 'langauge'],
    [{text: 'word '.repeat(20_000), target: 'en'}, 413, null],
    [{text: 'a'.repeat(20 << 20), target: 'en'}, 413, null],
  ]) {
    const response = await post(service, body);
    const {error} = await response.json();
    assert.equal(response.status, status, JSON.stringify(error));
    if (field) assert.equal(error.field, field);
    assert.ok(error.message && error.code);
  }
});

test('an aborted request is cancelled', async () => {
  const before = await metric(service, 'hymt_http_cancelled_total');
  const abort = new AbortController();
  const response = await post(service, kLong, {signal: abort.signal});
  await response.body.getReader().read();
  abort.abort();
  await until(async () => (await metric(service, 'hymt_http_cancelled_total')) > before, () => 'the cancel');
});

test('foreign pages get nothing', async () => {
  const response = await fetch(`${service.address}/v1/models`, {headers: {origin: 'https://evil.example'}});
  assert.equal(response.status, 403);
  assert.equal(response.headers.get('access-control-allow-origin'), null);
});

test('a taken port and a bad address end with one line that says what to do', async () => {
  for (const [options, hint] of [
    [['--port', new URL(service.address).port], /taken.*--port/],
    [['--host', 'no.such.host.invalid'], /--host/],
    [['--model', '/no/such/model.gguf', '--port', '0'], /no such file/],
    [['--kv-memory', '900GiB', '--port', '0'], /--kv-memory.*ask for less/],
  ]) {
    const other = start(...options);
    assert.equal(await other.ended, 1, other.err);
    const lines = other.err.trim().split('\n').filter((line) => line.startsWith('hymt: '));
    assert.equal(lines.length, 1, other.err);
    assert.match(lines[0], hint);
  }
  for (const wrong of [['--deadline', 'soon'], ['--kv-memory', 'lots'], ['--kv-memory', '1.5GiB']]) {
    const other = start(...wrong);
    assert.equal(await other.ended, 2, other.err);
    assert.match(other.err, new RegExp(wrong[0]));
  }
});

test('SIGTERM lets requests end, and ends with 0', async () => {
  const other = await ready(start('--port', '0', '--deadline', '10m'));  // however slow the build
  const waiting = post(other, {...kLong, stream: false, max_tokens: 300}).then((response) => response.json());
  await until(async () => (await metric(other, 'hymt_http_in_flight')) >= 2, () => 'the request');
  other.child.kill('SIGTERM');
  const {translations} = await waiting;
  assert.ok(translations[0].text.length > 0);
  assert.equal(await other.ended, 0, other.err);
});

test('after the grace the rest is answered 503, and a second signal ends at once', async () => {
  const options = {...kLong, stream: false, deadline_ms: 600_000, max_tokens: 1_500};
  const many = Array.from({length: 200}, (_, i) => `I like book ${i}.`);  // equal ones would be computed once
  const graceless = await ready(start('--port', '0', '--deadline', '1ms'));
  const refused = post(graceless, {...options, text: many});
  await until(async () => (await metric(graceless, 'hymt_http_in_flight')) >= 2, () => 'the request');
  graceless.child.kill('SIGINT');
  assert.equal((await refused).status, 503);
  assert.equal(await graceless.ended, 0, graceless.err);

  const hurried = await ready(start('--port', '0', '--deadline', '10m'));
  const lost = post(hurried, {...options, text: many}).catch(() => 'lost');
  await until(async () => (await metric(hurried, 'hymt_http_in_flight')) >= 2, () => 'the request');
  hurried.child.kill('SIGTERM');
  await until(() => /stopping/.test(hurried.err), () => 'the first signal');
  hurried.child.kill('SIGTERM');
  assert.equal(await hurried.ended, 1, hurried.err);
  await lost;
});
