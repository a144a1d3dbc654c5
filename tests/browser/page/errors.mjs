// Whatever goes wrong, the page says what happened and what to do, and goes on where it can.
import assert from 'node:assert/strict';

import {becomes, notesBecome, outputBecomes, pageTest, pause, translations} from './setup.mjs';

const failing = (...failures) => ({stub: {failures}});

for (const [failure, words] of [
  [{status: 400, code: 'invalid_argument', message: 'no UTF-8', field: 'text'},
    /did not understand.*no UTF-8/],
  [{status: 403, code: 'forbidden'}, /key may not translate/],
  [{status: 413, code: 'too_large', message: '9000 tokens'}, /too long.*in parts.*9000 tokens/],
  [{status: 422, code: 'unsupported', message: 'no ko'},
    /does not know that language.*Choose another.*no ko/],
  [{status: 422, code: 'unsupported', field: 'source'}, /cannot translate from that language/],
  [{status: 422, code: 'unsupported', field: 'target'}, /cannot translate into that language/],
  [{status: 500, code: 'internal'}, /went wrong on the server.*Try again/],
  [{status: 504, code: 'deadline'}, /took too long.*shorter text/],
])
  pageTest(`${failure.status} ${failure.field ?? ''} is explained`,
      failing(failure), async ({page, stub}) => {
    await page.fill('#source', 'Hello, world');
    await notesBecome(page, words);
    assert.equal(await page.locator('#notes [role=alert]').count(), 1);
    assert.equal(translations(stub).length, 1);
    // The next text starts afresh.
    await page.fill('#source', 'Hello!');
    await outputBecomes(page, '你好！');
    await notesBecome(page, '');
  });

pageTest('a failure that may pass can be tried again by a button',
    failing({status: 500}), async ({page}) => {
  await page.fill('#source', 'Hello, world');
  await page.click('#notes button');
  await outputBecomes(page, '你好，世界');
});

const busy = {status: 429, code: 'queue_full', message: 'full', headers: {'retry-after': '2'}};

pageTest('a busy server is tried again after the time it names, counting down',
    failing(busy), async ({page, stub}) => {
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /Many people.*Next try in 2 s/);
  await notesBecome(page, /Next try in 1 s/);
  assert.equal(translations(stub).length, 1);
  await outputBecomes(page, '你好，世界');
  await notesBecome(page, '');
  assert.equal(translations(stub).length, 2);
});

pageTest('a server busy twice is left alone until the reader asks',
    failing(busy, busy), async ({page, stub}) => {
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /still busy/);
  await pause(2500);
  assert.equal(translations(stub).length, 2);
  await page.click('#notes button');
  await outputBecomes(page, '你好，世界');
});

pageTest('the countdown can be cut short',
    failing({...busy, headers: {'retry-after': '600'}}), async ({page}) => {
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /600 s/);
  await page.click('#notes button');
  await outputBecomes(page, '你好，世界');
});

pageTest('while the model is being loaded the text waits', {}, async ({page, stub}) => {
  stub.ready = false;
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /being loaded/);
  stub.ready = true;
  await outputBecomes(page, '你好，世界');
  await notesBecome(page, '');
});

pageTest('a page opened before the model is ready starts by itself',
    {open: false, stub: {ready: false}}, async ({page, stub}) => {
  await page.goto(`${stub.address}/#auto/zh/Hello%2C%20world`);
  await notesBecome(page, /being loaded/);
  assert.equal(await page.locator('#target-button').isDisabled(), true);
  stub.ready = true;
  await outputBecomes(page, '你好，世界');
});

pageTest('without a connection the page says so and goes on once it is back',
    {}, async ({page}) => {
  await page.context().setOffline(true);
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /cannot be reached/);
  await page.context().setOffline(false);
  await outputBecomes(page, '你好，世界');
  await notesBecome(page, '');
});

pageTest('waiting can be stopped', {}, async ({page, stub}) => {
  stub.ready = false;
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /being loaded/);
  await page.click('#stop');
  await notesBecome(page, /Stopped/);
  const asked = translations(stub).length;
  stub.ready = true;
  await pause(1500);
  assert.equal(translations(stub).length, asked);
});

pageTest('a connection that closes at once is tried again',
    failing({drop: true}), async ({page}) => {
  await page.fill('#source', 'Hello, world');
  await outputBecomes(page, '你好，世界');
});

pageTest('an error within the stream keeps what had come',
  failing({midStream: {code: 'internal', message: 'lost it', field: null}}), async ({page}) => {
    await page.fill('#source', 'a b c d e f g h i j');
    await notesBecome(page, /went wrong.*lost it/);
    assert.match(await page.textContent('#output'), /^\[zh:/);
  });

pageTest('a stream that breaks off is not taken for whole',
    {stub: {pieceDelay: 100}}, async ({page, stub}) => {
  await page.fill('#source', 'a b c d e f g h i j k l m n');
  await becomes(() => page.textContent('#output'), /a b/);
  stub.server.closeAllConnections();
  await notesBecome(page, /broke off before its end.*Try again/);
});

pageTest('a server with keys asks for one, and remembers it for the tab',
    {stub: {key: 'secret'}, open: false}, async ({page, stub, open}) => {
  await page.goto(stub.address);
  await notesBecome(page, /asks for a key/);
  await page.fill('#notes input', 'wrong');
  await page.keyboard.press('Enter');
  await notesBecome(page, /asks for a key/);
  await page.fill('#notes input', 'secret');
  await page.click('#notes button');
  await becomes(() => page.locator('#target-button').isDisabled(), false);
  await page.fill('#source', 'Hello, world');
  await outputBecomes(page, '你好，世界');
  await open();
  await outputBecomes(page, '你好，世界');
});

pageTest('errors are Chinese in the Chinese interface, also after switching',
    failing({status: 413}), async ({page}) => {
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /too long/);
  await page.click('#interface-language');
  await notesBecome(page, /文本过长/);
});
