// What the tests of the page share: one browser, one stub, and a new page for every test.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {setTimeout as pause} from 'node:timers/promises';

import {openBrowser} from '../browser.mjs';
import {startStub} from '../stub_server.mjs';

let browser;
let stub;

before(async () => {
  browser = await openBrowser();
  stub = await startStub();
});

after(async () => {
  await browser.close();
  stub.server.close();
  stub.server.closeAllConnections();
});

// A test named `name` whose body gets a page that has started, and the stub behind it.
//   stub    members of the stub to set before the page is opened
//   path    what follows the address, as a link's #en/zh/text
//   open    false: the body opens the page itself (it gets {page, stub, open})
// and the options of playwright's newContext. The test fails if the page reports any error,
// violates its content security policy, or asks another host for anything.
export function pageTest(name, options, body) {
  const {stub: settings = {}, path = '/', open: opens = true, ...context} = options;
  test(name, async () => {
    stub.reset();
    Object.assign(stub, settings);
    const page = await browser.newPage(context);
    const open = async (where = path) => {
      await page.goto(stub.address + where);
      await page.waitForSelector('#target-button:enabled');
    };
    try {
      if (opens) await open();
      await body({page, stub, open});
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
    }
  });
}

// Waits until probe() gives `wanted`, or one that matches it; fails with what it gave last.
export async function becomes(probe, wanted, patience = 8000) {
  const fits = (value) => wanted instanceof RegExp ? wanted.test(value) : value === wanted;
  const end = Date.now() + patience;
  let value = await probe();
  while (!fits(value) && Date.now() < end) {
    await pause(25);
    value = await probe();
  }
  if (wanted instanceof RegExp) assert.match(String(value), wanted);
  else assert.equal(value, wanted);
}

const content = (page, selector) => () =>
  page.locator(selector).evaluate((found) => found.textContent);

export const outputBecomes = (page, text) => becomes(content(page, '#output'), text);
export const notesBecome = (page, text) => becomes(content(page, '#notes'), text);
export const sourceIs = (page, label) => becomes(content(page, '#source-button'), label);
export const targetIs = (page, label) => becomes(content(page, '#target-button'), label);
export const textIs = (page, text) => becomes(() => page.inputValue('#source'), text);
export const focusIs = (page, id) => becomes(() => page.evaluate(() => document.activeElement.id), id);

export const translations = (stub) => stub.requests.filter(({path}) => path === '/v1/translate');

// Longer than the page waits for typing to rest.
export const typingRests = () => pause(700);
export {pause};
