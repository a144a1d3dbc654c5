// The page in a browser, against the stub: everything a reader can do and meet.
//   npm ci && node page_test.mjs        (exits with 77 where there is no browser)
import {missing} from './browser.mjs';

const why = await missing();
if (why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}
await import('./page/translating.mjs');
await import('./page/choosing.mjs');
await import('./page/errors.mjs');
await import('./page/looks.mjs');
await import('./page/modules.mjs');
