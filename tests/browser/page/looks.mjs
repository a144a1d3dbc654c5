// How the page looks and reads: colours, directions, widths, languages of the interface, and what
// axe finds for assistive technology.
import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';

import {becomes, outputBecomes, pageTest, notesBecome, targetIs} from './setup.mjs';

const theme = (page) => page.evaluate(() => document.documentElement.dataset.theme);
const ground = (page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
const isDark = (colour) => colour.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 64);

for (const colorScheme of ['light', 'dark'])
  pageTest(`${colorScheme} as the system says`, {colorScheme}, async ({page}) => {
    assert.equal(isDark(await ground(page)), colorScheme === 'dark');
  });

pageTest('the chosen colours are remembered; choosing the system\'s own follows it again',
    {colorScheme: 'light'}, async ({page, open}) => {
  await page.click('#theme');
  assert.equal(isDark(await ground(page)), true);
  await open();
  assert.equal(await theme(page), 'dark');
  await page.click('#theme');
  assert.equal(await theme(page), 'light');
  await page.emulateMedia({colorScheme: 'dark'});
  await becomes(() => theme(page), 'dark');
});

const direction = (page, selector) =>
  page.locator(selector).evaluate((found) => getComputedStyle(found).direction);

pageTest('a translation into a right-to-left language runs from the right',
    {path: '/#en/he/Hello%2C%20world'}, async ({page}) => {
  await outputBecomes(page, 'שלום עולם');
  assert.equal(await direction(page, '#output'), 'rtl');
  assert.equal(await page.getAttribute('#output', 'lang'), 'he');
  assert.equal(await direction(page, '#source'), 'ltr');
  await page.click('#swap');
  await outputBecomes(page, '[en: שלום עולם]');
  assert.equal(await direction(page, '#output'), 'ltr');
  assert.equal(await direction(page, '#source'), 'rtl');
});

pageTest('a text whose language is detected runs as its own letters do',
    {path: '/#auto/en/'}, async ({page}) => {
  await page.fill('#source', 'مرحبا بالعالم');
  await outputBecomes(page, 'Hello, world');
  assert.equal(await page.getAttribute('#source', 'dir'), 'auto');
  assert.equal(await direction(page, '#source'), 'rtl');
  assert.equal(await page.getAttribute('#source', 'lang'), 'ar');
});

// How far the page can be pushed sideways.
const overflow = (page) => page.evaluate(() => {
  window.scrollTo(9999, 0);
  return window.scrollX;
});

for (const width of [360, 768, 1280])
  pageTest(`nothing reaches beyond ${width} pixels`,
      {viewport: {width, height: 740}, stub: {demo: true}}, async ({page, stub}) => {
    assert.equal(await overflow(page), 0);
    stub.failures = [{status: 422, code: 'unsupported', message: 'x'.repeat(300)}];
    await page.fill('#source', 'unbroken'.repeat(40));
    await notesBecome(page, /does not know/);
    assert.equal(await overflow(page), 0);
    await page.fill('#source', 'unbroken'.repeat(41));
    await outputBecomes(page, /unbroken/);
    assert.equal(await overflow(page), 0);
    for (const opener of ['#source-button', '#target-button', '#about-open']) {
      await page.click(opener);
      assert.equal(await overflow(page), 0);
      await page.keyboard.press('Escape');
    }
  });

pageTest('the panes stand side by side where there is room, else one above the other',
    {}, async ({page}) => {
  const place = () => Promise.all(['.source', '.target'].map((pane) => page.locator(pane).boundingBox()));
  let [source, target] = await place();
  assert.ok(target.x >= source.x + source.width && target.y === source.y);
  await page.setViewportSize({width: 360, height: 740});
  [source, target] = await place();
  assert.ok(target.y >= source.y + source.height && target.x === source.x);
});

pageTest('the text area grows with its text', {}, async ({page}) => {
  await page.fill('#source', 'line\n'.repeat(60));
  const [height, needed] = await page.locator('#source').evaluate(
    (area) => [area.clientHeight, area.scrollHeight]);
  assert.ok(height > 60 * 20 && needed <= height);
});

pageTest('the interface is Chinese for Chinese browsers, and can be switched',
    {locale: 'zh-CN', stub: {demo: true}}, async ({page, open}) => {
  assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hans');
  assert.equal(await page.title(), 'hymt 翻译');
  assert.equal(await page.getAttribute('#source', 'placeholder'), '输入或粘贴文本');
  const untranslated = await page.evaluate(() =>
    [...document.querySelectorAll('[data-t], [data-t-label]')].flatMap((item) =>
      [item.dataset.t && item.textContent, item.dataset.tLabel && item.getAttribute('aria-label')])
      .filter((words) => words && !/\p{Script=Han}/u.test(words)));
  assert.deepEqual(untranslated, []);
  await targetIs(page, '英语');
  await page.click('#interface-language');
  assert.equal(await page.getAttribute('html', 'lang'), 'en');
  await targetIs(page, 'English');
  await open();
  assert.equal(await page.getAttribute('html', 'lang'), 'en');
});

pageTest('both languages of the interface have the same words', {}, async ({page}) => {
  const [en, zh] = await page.evaluate(async () => Promise.all(['en', 'zh'].map(async (code) =>
    Object.entries((await import(`/js/strings/${code}.js`)).default).map(([key, words]) => `${key} ${typeof words}`))));
  assert.deepEqual(zh.sort(), en.sort());
});

pageTest('the demo model is introduced, with its credits and how to use another',
    {stub: {demo: true}}, async ({page}) => {
  await page.click('#demo-more');
  const about = page.locator('#about');
  await becomes(() => about.isVisible(), true);
  const words = await about.innerText();
  for (const wanted of ['8 million parameters', 'hymt serve --model FILE.gguf', 'Hunyuan-MT-7B', 'Hy-MT2',
    'Tatoeba', 'CC BY 2.0 FR', 'CC BY 4.0'])
    assert.ok(words.includes(wanted), wanted);
  await page.keyboard.press('Escape');
  assert.equal(await about.isVisible(), false);
});

pageTest('a full model is not called a demo', {}, async ({page}) => {
  assert.equal(await page.locator('#demo').isVisible(), false);
  await page.click('#about-open');
  const words = await page.locator('#about').innerText();
  assert.match(words, /Hunyuan-MT-7B, 38 languages/);
  assert.doesNotMatch(words, /demo|Tatoeba/i);
});

pageTest('nothing moves while the page loads and an answer streams',
    {stub: {pieceDelay: 80, demo: true}, path: '/#auto/zh/one%20two%20three%20four%20five%20six'}, async ({page}) => {
  await outputBecomes(page, '[zh: one two three four five six]');
  const shift = await page.evaluate(() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)))
      .observe({type: 'layout-shift', buffered: true});
    setTimeout(() => resolve(sum), 300);
  }));
  assert.ok(shift < 0.01, `cumulative layout shift ${shift}`);
});

pageTest('who wants less motion gets none',
    {reducedMotion: 'reduce', stub: {latency: 60_000}}, async ({page}) => {
  await page.fill('#source', 'Hello');
  await page.waitForSelector('#stop:visible');
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

pageTest('every module is fetched ahead', {}, async ({page}) => {
  const web = new URL('../../../web/', import.meta.url);
  const files = await readdir(new URL('js/', web), {recursive: true});
  const modules = files.filter((name) => name.endsWith('.js'));
  const markup = await readFile(new URL('index.html', web), 'utf8');
  for (const name of modules)
    assert.ok(markup.includes(`"js/${name}"`), `index.html does not name js/${name}`);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.starting), undefined);
});

// What axe-core finds, of the grave kinds.
async function violations(page) {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  const {violations: found} = await page.evaluate(() => window.axe.run());
  return found.filter(({impact}) => ['serious', 'critical'].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html + node.failureSummary).join('; ')}`);
}

for (const colorScheme of ['light', 'dark'])
  pageTest(`axe finds nothing serious in ${colorScheme} colours`,
      {colorScheme, stub: {demo: true}, reducedMotion: 'reduce'}, async ({page, stub}) => {
    assert.deepEqual(await violations(page), [], 'empty');
    stub.ending = {finish_reason: 'length'};
    await page.fill('#source', '今天天气很好。');
    await notesBecome(page, /was cut/);
    assert.deepEqual(await violations(page), [], 'translated, with a warning');
    stub.failures = [{status: 500, message: 'no luck'}];
    await page.fill('#source', 'Hello');
    await notesBecome(page, /no luck/);
    assert.deepEqual(await violations(page), [], 'with an error');
    await page.click('#target-button');
    assert.deepEqual(await violations(page), [], 'with the list open');
    await page.keyboard.press('Escape');
    await page.click('#about-open');
    assert.deepEqual(await violations(page), [], 'with the window open');
  });
