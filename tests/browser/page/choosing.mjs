// Choosing languages: the pickers by keyboard, mouse and touch, detection, and swapping.
import assert from 'node:assert/strict';

import {becomes, focusIs, outputBecomes, pageTest, sourceIs, targetIs, textIs} from './setup.mjs';

const options = (page, kind) => page.locator(`#${kind}-panel [role=option]`);
const shown = (page, kind = 'target') => options(page, kind).locator('.name').allTextContents();
const active = (page, kind) => page.evaluate((side) => {
  const id = document.querySelector(`#${side}-panel input`).getAttribute('aria-activedescendant');
  return document.getElementById(id)?.querySelector('.name').textContent;
}, kind);

pageTest('a language is chosen by keyboard alone',
    {path: '/#en/zh/Hello%2C%20world'}, async ({page}) => {
  await outputBecomes(page, '你好，世界');
  await page.focus('#target-button');
  await page.keyboard.press('Enter');
  await becomes(() => page.locator('#target-panel').isVisible(), true);
  await becomes(() => active(page, 'target'), 'Chinese');
  await page.keyboard.press('ArrowUp');
  await becomes(() => active(page, 'target'), 'Cantonese');
  await page.keyboard.press('Home');
  await becomes(() => active(page, 'target'), 'Arabic');
  await page.keyboard.press('ArrowDown');
  await becomes(() => active(page, 'target'), 'Bengali');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await targetIs(page, 'Arabic');
  await focusIs(page, 'target-button');
  await outputBecomes(page, /مرحبا/);
});

pageTest('a letter on the button begins a search', {}, async ({page}) => {
  await page.focus('#target-button');
  await page.keyboard.type('heb');
  await becomes(async () => (await shown(page)).join(), 'Hebrew');
  await page.keyboard.press('Enter');
  await targetIs(page, 'Hebrew');
});

pageTest('a search knows English, Chinese and native names and codes', {}, async ({page}) => {
  await page.click('#target-button');
  for (const [query, found] of [
    ['german', 'German'], ['德语', 'German'], ['deutsch', 'German'], ['de', 'German'],
    ['espanol', 'Spanish'], ['ESPAÑOL', 'Spanish'], ['hant', 'Traditional Chinese'], ['العربية', 'Arabic'],
    ['粵', 'Cantonese'], ['tieng viet', 'Vietnamese'], [' 日本 ', 'Japanese'],
  ]) {
    await page.fill('#target-panel input', query);
    await becomes(() => active(page, 'target'), found);
  }
});

pageTest('a search without result says so, and Escape leaves all as it was', {}, async ({page}) => {
  await page.click('#target-button');
  await page.keyboard.type('klingon');
  await becomes(() => page.textContent('#target-panel .none'), 'No language matches “klingon”.');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#target-panel').isVisible(), true);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#target-panel').isVisible(), false);
  await focusIs(page, 'target-button');
  await targetIs(page, 'Chinese');
});

pageTest('assistive technology is told what the parts are', {}, async ({page}) => {
  const button = page.locator('#source-button');
  assert.equal(await button.getAttribute('aria-label'), 'Translate from: Detect language');
  assert.equal(await button.getAttribute('aria-expanded'), 'false');
  await button.click();
  assert.equal(await button.getAttribute('aria-expanded'), 'true');
  const search = page.locator('#source-panel').getByRole('combobox', {name: 'Search languages'});
  const list = page.locator('#source-panel').getByRole('listbox', {name: 'Translate from'});
  assert.equal(await search.getAttribute('aria-controls'), await list.getAttribute('id'));
  assert.equal(await list.getByRole('option', {selected: true}).count(), 1);
  assert.equal(await list.getByRole('option').count(), 1 + 38);
});

pageTest('recent languages come first', {}, async ({page}) => {
  for (const name of ['Arabic', 'Thai', 'Czech']) {
    await page.click('#target-button');
    await options(page, 'target').filter({hasText: name}).last().click();
    await targetIs(page, name);
  }
  await page.click('#target-button');
  assert.deepEqual((await shown(page)).slice(0, 3), ['Czech', 'Thai', 'Arabic']);
  assert.equal((await shown(page)).length, 3 + 38);
});

pageTest('languages that the model does not know are shown but cannot be chosen',
    {stub: {demo: true}}, async ({page}) => {
  await page.click('#target-button');
  const names = await shown(page);
  assert.deepEqual(names.slice(0, 6), ['Chinese', 'English', 'French', 'German', 'Japanese', 'Spanish']);
  assert.equal(names.length, 38);
  assert.equal(await page.textContent('#target-panel .others .group-title'), 'Not known to this model');
  assert.equal(await page.locator('#target-panel .others [aria-disabled=true]').count(), 32);
  await page.locator('#target-panel .others .option').filter({hasText: 'Korean'}).click({force: true});
  await page.keyboard.press('End');
  await becomes(() => active(page, 'target'), 'Spanish');
  await page.keyboard.type('korean');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await targetIs(page, 'Chinese');
});

pageTest('a link to a language that the model does not know falls back',
    {stub: {demo: true}, path: '/#ko/th/Hello'}, async ({page}) => {
  await sourceIs(page, 'Detected: English');
  await targetIs(page, 'Chinese');
});

pageTest('leaving the list closes it', {}, async ({page}) => {
  await page.click('#source-button');
  await page.click('.brand');
  assert.equal(await page.locator('#source-panel').isVisible(), false);
  await page.click('#source-button');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.locator('#source-panel').isVisible(), false);
});

pageTest('the detected language is named', {path: '/#auto/en/'}, async ({page}) => {
  await sourceIs(page, 'Detect language');
  assert.equal(await page.locator('#swap').isDisabled(), true);
  await page.fill('#source', '今天天气很好。');
  await sourceIs(page, 'Detected: Chinese');
  assert.equal(await page.locator('#swap').isDisabled(), false);
});

pageTest('Swap exchanges the languages and turns the translation into the text',
    {path: '/#auto/zh/Hello!'}, async ({page}) => {
  await outputBecomes(page, '你好！');
  await page.click('#swap');
  await textIs(page, '你好！');
  await sourceIs(page, 'Chinese');
  await targetIs(page, 'English');
  await outputBecomes(page, 'Hello!');
});

pageTest('Swap keeps what is typed while the translation of it is not there yet',
    {path: '/#auto/zh/Hello!'}, async ({page, stub}) => {
  await outputBecomes(page, '你好！');
  stub.latency = 500;
  await page.fill('#source', 'Hello, world');
  await page.click('#swap');
  await textIs(page, 'Hello, world');
  await targetIs(page, 'English');
});

pageTest('choosing the language of the other side swaps the two',
    {path: '/#en/zh/'}, async ({page}) => {
  await page.click('#source-button');
  await page.keyboard.type('chinese');
  await page.keyboard.press('Enter');
  await sourceIs(page, 'Chinese');
  await targetIs(page, 'English');
  await page.click('#target-button');
  await page.keyboard.type('chinese');
  await page.keyboard.press('Enter');
  await sourceIs(page, 'English');
  await targetIs(page, 'Chinese');
});

pageTest('on a touch screen the list opens without the keyboard over it',
  {viewport: {width: 360, height: 740}, hasTouch: true, isMobile: true}, async ({page}) => {
    await page.tap('#target-button');
    await focusIs(page, 'target-panel');
    const panel = await page.locator('#target-panel').boundingBox();
    assert.deepEqual([panel.x, panel.y, panel.width, panel.height], [0, 0, 360, 740]);
    await options(page, 'target').filter({hasText: 'Arabic'}).tap();
    await targetIs(page, 'Arabic');
    await page.tap('#target-button');
    await page.tap('#target-panel .closer');
    assert.equal(await page.locator('#target-panel').isVisible(), false);
  });

pageTest('the lists are Chinese in the Chinese interface', {locale: 'zh-CN'}, async ({page}) => {
  await page.click('#source-button');
  const names = await shown(page, 'source');
  assert.equal(names[0], '检测语言');
  for (const name of ['英语', '繁体中文', '维吾尔语', '粤语']) assert.ok(names.includes(name), name);
  assert.ok(names.every((name) => /^\p{Script=Han}+$/u.test(name)), names.join());
});
