// A server that speaks the native API without a model, for the tests of the page and for working
// on it:  node stub_server.mjs [port]  and open the address it prints. There, a text such as
// "429 please" gets that error, and "slow" streams slowly.
import {createServer} from 'node:http';
import {readFile} from 'node:fs/promises';
import {setTimeout as pause} from 'node:timers/promises';
import {extname, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';

import {kDemoLanguages, kLanguages} from './languages.mjs';

const kWeb = fileURLToPath(new URL('../../web', import.meta.url));
const kTypes = {
  '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml',
};
export const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'";

// What it knows; anything else comes back in brackets.
const kKnown = {
  en: {'你好！': 'Hello!', '今天天气很好。': 'The weather is very nice today.',
    '我想喝咖啡。': 'I want to drink coffee.', 'مرحبا بالعالم': 'Hello, world',
    'Je voudrais un café.': 'I would like a coffee.'},
  zh: {'Hello, world': '你好，世界', 'Hello!': '你好！',
    'Where is the train station?': '火车站在哪里？'},
  ar: {'Hello, world': 'مرحبا بالعالم، كيف حالك (hymt 2) اليوم؟', 'Hello!': 'مرحبا!'},
  he: {'Hello, world': 'שלום עולם'},
  ur: {'Hello, world': 'ہیلو دنیا'},
  bo: {'Hello, world': 'འཛམ་གླིང་ལ་བཀྲ་ཤིས་བདེ་ལེགས།'},
};

const detect = (text) =>
  /[\u3040-\u30ff]/.test(text) ? 'ja' : /\p{Script=Han}/u.test(text) ? 'zh'
    : /\p{Script=Arabic}/u.test(text) ? 'ar' : /\p{Script=Hebrew}/u.test(text) ? 'he'
      : /\b(je|un|une|le|la)\b/i.test(text) ? 'fr' : 'en';

// The running stub. Tests change these and read `requests`:
//   demo       is it the demo model, with its six languages?
//   latency    milliseconds before the first event; pieceDelay between the events
//   failures   answers given instead of translations, in order: {status, code, message, field,
//              headers}, {drop: true} (closes the connection), {midStream: error} after a piece
//   ready      what GET /ready says; while false everything of the model answers 503
//   ending     more fields of the last event
class Stub {
  demo = false;
  latency = 0;
  pieceDelay = 0;
  failures = [];
  ready = true;
  ending = {};
  key = null;
  requests = [];

  constructor(server) {
    this.server = server;
  }

  get address() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  reset() {
    Object.assign(this, {demo: false, latency: 0, pieceDelay: 0, failures: [], ready: true,
      ending: {}, key: null, requests: []});
  }

  async answer(request, response) {
    const url = new URL(request.url, this.address);
    if (url.pathname === '/ready') return json(response, this.ready ? 200 : 503, {});
    if (!url.pathname.startsWith('/v1/')) return this.file(url.pathname, response);
    const body = request.method === 'POST' ? JSON.parse(await textOf(request)) : null;
    if (body) this.requests.push({path: url.pathname, body});
    if (!this.ready) return fail(response, {status: 503, code: 'unavailable', message: 'loading'});
    if (this.key && request.headers.authorization !== `Bearer ${this.key}`)
      return fail(response, {status: 401, code: 'unauthenticated', message: 'no or unknown key'});
    switch (url.pathname) {
      case '/v1/languages':
        return json(response, 200, {languages: kLanguages.map((language) =>
          ({...language, supported: !this.demo || kDemoLanguages.includes(language.code)}))});
      case '/v1/models':
        return json(response, 200, {object: 'list', data: [this.demo
          ? {id: 'hymt demo', name: 'hymt demo', generation: 'hunyuan-mt',
            languages: kDemoLanguages, max_input_tokens: 512}
          : {id: 'hunyuan-mt-7b', name: 'Hunyuan-MT-7B', generation: 'hunyuan-mt',
            languages: kLanguages.map(({code}) => code), max_input_tokens: 4096}]});
      case '/v1/detect':
        return json(response, 200, {detections: [{language: detect(body.text), confidence: 0.9}]});
      case '/v1/translate':
        return this.translate(body, response);
      default:
        return fail(response, {status: 404, code: 'not_found', message: 'no such path'});
    }
  }

  async translate({text, source, target}, response) {
    const asked = /^(4\d\d|503)\b/.exec(text);
    const failure = this.failures.shift() ??
      (asked && {status: Number(asked[0]), message: 'as you asked'});
    if (failure?.drop) return response.destroy();
    if (failure && !failure.midStream) return fail(response, failure);
    await pause(this.latency);
    response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-store'});
    const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
    const answer = kKnown[target]?.[text] ??
      text.replace(/[^\n]+/g, (line) => `[${target}: ${line}]`);
    for (const delta of answer.match(/\s*\S{1,6}|\s+$/gsu) ?? []) {
      if (response.destroyed) return;
      send({index: 0, delta});
      if (failure?.midStream) {
        send({error: failure.midStream});
        return response.end();
      }
      await pause(text.startsWith('slow') ? 200 : this.pieceDelay);
    }
    const detected = source === 'auto';
    send({index: 0, done: true, text: answer, source: detected ? detect(text) : source, detected,
      finish_reason: 'stop', cached: false, warnings: [], ...this.ending});
    response.end('data: [DONE]\n\n');
  }

  async file(path, response) {
    const name = normalize(path === '/' ? '/index.html' : path);
    try {
      const bytes = await readFile(kWeb + name);
      response.writeHead(200, {
        'content-type': `${kTypes[extname(name)]}; charset=utf-8`,
        'content-security-policy': kPolicy,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.end(bytes);
    } catch {
      fail(response, {status: 404, code: 'not_found', message: 'no such path'});
    }
  }
}

const json = (response, status, value, headers = {}) => {
  response.writeHead(status, {'content-type': 'application/json', ...headers});
  response.end(JSON.stringify(value));
};

const fail = (response, {status, code = 'internal', message = '', field = null, headers = {}}) =>
  json(response, status, {error: {code, message, field}}, headers);

async function textOf(request) {
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) text += piece;
  return text;
}

// Port 0: any free one.
export async function startStub(port = 0) {
  const server = createServer((request, response) =>
    stub.answer(request, response).catch((error) => response.destroy(error)));
  const stub = new Stub(server);
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return stub;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stub = await startStub(Number(process.argv[2] ?? 7861));
  Object.assign(stub, {demo: true, latency: 60, pieceDelay: 40});
  console.log(`the page with a stub behind it: ${stub.address}`);
}
