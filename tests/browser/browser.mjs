// Debian's chromium, driven by playwright-core.
import {existsSync} from 'node:fs';

const kChromium = process.env.HYMT_CHROMIUM ?? '/usr/bin/chromium';

// Why no browser test can run here, or null.
export async function missing() {
  if (!existsSync(kChromium)) return `no ${kChromium}`;
  try {
    await import('playwright-core');
    await import('axe-core');
  } catch {
    return 'no node_modules: run npm ci in tests/browser';
  }
  return null;
}

// A browser with a fresh profile, which playwright removes again. newPage(options of playwright's
// newContext) gives a page whose `faults` lists every error, policy violation and request to another host.
export async function openBrowser() {
  const {chromium} = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: kChromium,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  return {
    async newPage(options = {}) {
      const context = await browser.newContext({
        locale: 'en-GB',
        viewport: {width: 1280, height: 800},
        permissions: ['clipboard-read', 'clipboard-write'],
        ...options,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(10000);
      page.faults = [];
      page.on('console', (message) => {
        // The browser itself reports each failed request; those the page has to tell the reader.
        const failedRequest = /^Failed to load resource/.test(message.text());
        if (message.type() === 'error' && !failedRequest) page.faults.push(message.text());
      });
      page.on('pageerror', (error) => page.faults.push(String(error)));
      page.on('request', (request) => {
        const ours = /^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url());
        if (!ours) page.faults.push(`asked ${request.url()}`);
      });
      return page;
    },
    close: () => browser.close(),
  };
}
