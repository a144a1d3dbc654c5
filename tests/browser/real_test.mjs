// The page in a browser, served by hymt itself with the demo model inside it: real translations
// are typed and read.
//   HYMT_BINARY=../../build/hymt node real_test.mjs      (exits with 77 where something is missing)
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {createServer} from 'node:net';
import {after, before, test} from 'node:test';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';

import {missing, openBrowser} from './browser.mjs';

const binary = process.env.HYMT_BINARY ??
  fileURLToPath(new URL('../../build/hymt', import.meta.url));
const why = (await missing()) ?? (existsSync(binary) ? null : `no ${binary}`);
if (why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

const kPatience = 60_000;  // milliseconds; sanitized builds are slow

let server;
let address;
let log = '';
let browser;
let page;

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const {port} = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

before(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const environment = {...process.env};
  delete environment.HYMT_MODEL;
  server = spawn(binary, ['serve', '--port', String(port)],
    {stdio: ['ignore', 'pipe', 'pipe'], env: environment});
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (log += text));
  for (const end = Date.now() + kPatience;;) {
    const ready = await fetch(`${address}/ready`).then(({ok}) => ok, () => false);
    if (ready) break;
    assert.equal(server.exitCode, null, `hymt serve ended:\n${log}`);
    assert.ok(Date.now() < end, `hymt serve is not ready:\n${log}`);
    await pause(100);
  }
  browser = await openBrowser();
  page = await browser.newPage();
  page.setDefaultTimeout(kPatience);
  await page.goto(address);
  await page.waitForSelector('#target-button:enabled');
});

after(async () => {
  await browser?.close();
  server.kill('SIGTERM');
  await Promise.race([new Promise((resolve) => server.once('exit', resolve)), pause(10_000)]);
  server.kill('SIGKILL');
});

// Waits for an element's text.
const shows = (selector, pattern) => page.waitForFunction(
  ([where, source]) => new RegExp(source, 'i').test(document.querySelector(where).textContent),
  [selector, pattern], {timeout: kPatience});

async function pick(kind, name) {
  await page.click(`#${kind}-button`);
  await page.keyboard.insertText(name);
  await page.keyboard.press('Enter');
  await shows(`#${kind}-button`, `^${name}$`);
}

// Types a text and reads its translation once that is whole.
async function translate(text) {
  await page.click('#source');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
  await shows('#time', '.');
  return page.textContent('#output');
}

test('the page is the one of the source tree and tells which model works', async () => {
  assert.match(await page.textContent('#model'), /hymt demo/);
  assert.equal(await page.locator('#demo').isVisible(), true);
});

test('Chinese is detected and translated into English', async () => {
  await pick('target', 'English');
  assert.match(await translate('你好！'), /hello|hi\b|good (day|morning|afternoon)/i);
  assert.equal(await page.textContent('#source-button'), 'Detected: Chinese');
});

// Words of which a right translation holds at least one; the model is small, its style its own.
for (const [from, into, text, words] of [
  ['Chinese', 'English', '我喜欢喝茶。', /\btea\b/i],
  ['English', 'French', 'Thank you very much.', /merci/i],
  ['English', 'German', 'I have a dog.', /hund/i],
  ['English', 'Spanish', 'Where is my book?', /libro/i],
  ['French', 'English', 'Je suis fatigué.', /tired/i],
  ['English', 'Japanese', 'I am a student.', /学生|生徒/],
  ['English', 'Chinese', 'I love you.', /我爱你|我愛你/],
])
  test(`${from} to ${into}: ${text}`, async () => {
    await pick('source', from);
    await pick('target', into);
    assert.match(await translate(text), words);
    assert.equal(await page.textContent('#notes'), '');
  });

test('paragraphs stay apart', async () => {
  await pick('source', 'English');
  await pick('target', 'French');
  const lines = (await translate('Thank you.\n\nGood night.')).split('\n');
  assert.equal(lines.length, 3);
  assert.match(lines[0], /merci/i);
  assert.equal(lines[1], '');
  assert.match(lines[2], /nuit|soir/i);
});

test('a language that the demo model lacks is refused with a reason', async () => {
  await page.click('#target-button');
  await page.keyboard.insertText('Korean');
  assert.equal(await page.locator('#target-panel [aria-disabled=true]').count(), 1);
  await page.keyboard.press('Escape');
});

test('swapping translates back', async () => {
  await pick('source', 'English');
  await pick('target', 'French');
  await translate('Thank you.');
  await page.click('#swap');
  await shows('#target-button', '^English$');
  await shows('#output', 'thank');
});

test('no error, no violation of the content security policy, no request elsewhere', () => {
  assert.deepEqual(page.faults, []);
});
