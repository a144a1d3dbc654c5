// From typing to reading: when a translation starts, how it comes, what can be done with it.
import assert from 'node:assert/strict';

import {becomes, focusIs, notesBecome, outputBecomes, pageTest, pause, sourceIs, textIs, translations,
  typingRests} from './setup.mjs';

pageTest('a typed text is translated without pressing anything',
    {path: '/#auto/en/'}, async ({page, stub}) => {
  await page.locator('#source').pressSequentially('今天天气很好。');
  await outputBecomes(page, 'The weather is very nice today.');
  assert.deepEqual(translations(stub).at(-1).body,
    {text: '今天天气很好。', source: 'auto', target: 'en', stream: true});
  await becomes(() => page.textContent('#time'), /^in \d[\d,.]* m?s$/);
});

pageTest('the answer is shown as it comes',
    {stub: {pieceDelay: 60}, path: '/#zh/en/'}, async ({page}) => {
  await page.evaluate(() => {
    window.seen = [];
    new MutationObserver(() => window.seen.push(document.querySelector('#output').textContent))
      .observe(document.querySelector('#output'), {childList: true, characterData: true, subtree: true});
  });
  await page.fill('#source', '今天天气很好。');
  await outputBecomes(page, 'The weather is very nice today.');
  const seen = [...new Set(await page.evaluate(() => window.seen))].filter(Boolean);
  assert.ok(seen.length >= 4, `shown in ${seen.length} steps`);
  for (const [index, text] of seen.entries()) assert.ok(text.startsWith(seen[index - 1] ?? ''));
});

pageTest('typing on sends nothing until it rests', {}, async ({page, stub}) => {
  await page.locator('#source').pressSequentially('Hello, world', {delay: 60});
  await outputBecomes(page, '你好，世界');
  assert.deepEqual(translations(stub).map(({body}) => body.text), ['Hello, world']);
});

pageTest('a newer text takes the place of one on its way',
    {stub: {latency: 900}}, async ({page, stub}) => {
  await page.fill('#source', 'The old one');
  await becomes(() => translations(stub).length, 1);
  await page.fill('#source', 'Hello, world');
  const shown = [];
  await becomes(async () => shown[shown.push(await page.textContent('#output')) - 1], '你好，世界');
  assert.ok(shown.every((text) => !text.includes('old')));
});

pageTest('Ctrl+Enter does not wait for typing to rest', {}, async ({page, stub}) => {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);  // from here on no timer of the page runs out
  await page.fill('#source', 'Hello, world');
  await pause(600);
  assert.equal(translations(stub).length, 0);
  await page.keyboard.press('Control+Enter');
  await outputBecomes(page, '你好，世界');
  assert.equal(translations(stub).length, 1);
});

pageTest('half-composed input is not sent', {path: '/#zh/en/'}, async ({page, stub}) => {
  const keyboard = await page.context().newCDPSession(page);
  await page.focus('#source');
  await keyboard.send('Input.imeSetComposition', {text: 'ni hao', selectionStart: 6, selectionEnd: 6});
  await typingRests();
  assert.equal(translations(stub).length, 0);
  await keyboard.send('Input.insertText', {text: '你好！'});
  await outputBecomes(page, 'Hello!');
});

pageTest('Stop keeps what has come and says so', {stub: {pieceDelay: 150}}, async ({page}) => {
  await page.fill('#source', 'one two three four five six seven eight nine ten');
  await becomes(() => page.textContent('#output'), /one/);
  await page.click('#stop');
  await notesBecome(page, /Stopped/);
  const kept = await page.textContent('#output');
  await pause(500);
  assert.equal(await page.textContent('#output'), kept);
  assert.ok(!kept.includes('ten'));
  assert.equal(await page.locator('#stop').isVisible(), false);
});

pageTest('Escape stops as well', {stub: {latency: 60_000}}, async ({page}) => {
  await page.fill('#source', 'Hello');
  await page.waitForSelector('#stop:visible');
  await page.keyboard.press('Escape');
  await notesBecome(page, /Stopped/);
});

pageTest('Copy puts the translation on the clipboard and says so',
    {path: '/#en/zh/Hello%2C%20world'}, async ({page}) => {
  await outputBecomes(page, '你好，世界');
  await page.click('#copy');
  await becomes(() => page.textContent('#copy span'), 'Copied');
  await becomes(() => page.textContent('#announcer'), 'Copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '你好，世界');
  await becomes(() => page.textContent('#copy span'), 'Copy');
});

pageTest('Copy works where there is no clipboard interface',
    {open: false}, async ({page, open}) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', {value: undefined}));
  await open('/#en/zh/Hello%2C%20world');
  await outputBecomes(page, '你好，世界');
  await page.click('#copy');
  await becomes(() => page.textContent('#copy span'), 'Copied');
  await page.click('#clear');
  await page.keyboard.press('Control+v');
  await textIs(page, '你好，世界');
});

pageTest('Clear empties both sides and goes back to the text',
    {path: '/#auto/zh/Hello%2C%20world'}, async ({page}) => {
  await outputBecomes(page, '你好，世界');
  await page.click('#clear');
  await textIs(page, '');
  await outputBecomes(page, '');
  await sourceIs(page, 'Detect language');
  await focusIs(page, 'source');
  assert.equal(await page.locator('#copy').isDisabled(), true);
  assert.equal(new URL(page.url()).hash, '');
});

pageTest('an example fills in and is translated',
    {stub: {demo: true}, path: '/#auto/en/'}, async ({page}) => {
  await page.click('#examples button >> text=咖啡');
  await outputBecomes(page, 'I want to drink coffee.');
  assert.equal(await page.locator('#examples').isVisible(), false);
  await page.click('#clear');
  await page.click('#examples button >> text=station');  // English already, so into another language
  await outputBecomes(page, '火车站在哪里？');
});

pageTest('characters are counted as people count them', {}, async ({page}) => {
  await page.fill('#source', 'a😀文');
  await becomes(() => page.textContent('#count'), '3 / 16,384');
});

pageTest('a text beyond the limit is not sent, and the page says by how much',
    {stub: {demo: true}}, async ({page, stub}) => {
  await page.fill('#source', 'a'.repeat(2048 + 21));
  await notesBecome(page, /too long: please remove 21 characters/);
  await typingRests();
  assert.equal(translations(stub).length, 0);
  await page.fill('#source', 'Hello, world');
  await outputBecomes(page, '你好，世界');
  await notesBecome(page, '');
});

pageTest('line breaks and blank lines stay', {path: '/#en/de/'}, async ({page}) => {
  await page.fill('#source', 'One\n\nTwo\n');
  await outputBecomes(page, '[de: One]\n\n[de: Two]\n');
});

for (const [finish_reason, words] of [
  ['length', /was cut/], ['loop', /repeat itself/], ['deadline', /time .* ran out/],
])
  pageTest(`an answer that ends by "${finish_reason}" is explained`,
      {stub: {ending: {finish_reason}}}, async ({page}) => {
    await page.fill('#source', 'Hello, world');
    await notesBecome(page, words);
    await outputBecomes(page, '你好，世界');
  });

pageTest('warnings of the server are shown',
    {stub: {ending: {warnings: ['this model knows no style', 'nor glossaries']}}}, async ({page}) => {
  await page.fill('#source', 'Hello, world');
  await notesBecome(page, /this model knows no style.*nor glossaries/);
});

pageTest('a text in the target language already gets an offer',
    {path: '/#auto/en/Hello!'}, async ({page}) => {
  await notesBecome(page, /already seems to be in English/);
  await page.click('#notes button');
  await outputBecomes(page, '你好！');
  await notesBecome(page, '');
});

pageTest('the language of a long text is shown while it still streams',
    {stub: {pieceDelay: 400}, path: '/#auto/en/'}, async ({page}) => {
  await page.fill('#source', '今天天气很好。'.repeat(80));
  await sourceIs(page, 'Detected: Chinese');
  assert.equal(await page.locator('#stop').isVisible(), true);
});

pageTest('a blank text is not sent', {}, async ({page, stub}) => {
  await page.fill('#source', ' \n ');
  await typingRests();
  assert.equal(translations(stub).length, 0);
});

pageTest('the finished translation is read out',
    {path: '/#en/zh/Hello%2C%20world'}, async ({page}) => {
  await becomes(() => page.textContent('#announcer'), '你好，世界');
});

pageTest('a text and its languages survive a reload', {}, async ({page, open}) => {
  await page.click('#target-button');
  await page.keyboard.type('arabic');
  await page.keyboard.press('Enter');
  await page.fill('#source', 'Hello, world');
  await outputBecomes(page, /مرحبا/);
  await page.evaluate(() => history.replaceState(null, '', '/'));  // without the help of the link
  await open();
  await textIs(page, 'Hello, world');
  await outputBecomes(page, /مرحبا/);
});

pageTest('the address is a link to the translation', {path: '/#en/zh/'}, async ({page}) => {
  await page.fill('#source', 'Hello, world');
  await outputBecomes(page, '你好，世界');
  assert.equal(new URL(page.url()).hash, '#en/zh/Hello%2C%20world');
  await page.evaluate(() => (location.hash = '#zh/en/%E4%BD%A0%E5%A5%BD%EF%BC%81'));
  await outputBecomes(page, 'Hello!');
});

for (const path of ['/#en/zh/%E4%BD', '/#xx/yy/Hello', '/#/', '/#en'])
  pageTest(`a broken link opens the page all the same: ${path}`, {path}, async ({page}) => {
    await page.fill('#source', 'Hello, world');
    await outputBecomes(page, '你好，世界');
  });
