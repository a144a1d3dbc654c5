// Parts of the page that other tests reach only by one of their ways.
import assert from 'node:assert/strict';

import {pageTest} from './setup.mjs';

pageTest('an event stream may be cut anywhere', {}, async ({page}) => {
  const stream = ': comment\n\ndata: {"a":1}\r\n\r\nevent: x\ndata:two\ndata: lines\n\n' +
    'data: 北😀\r\rid: 1\n\ndata: [DONE]\n\n';
  const results = await page.evaluate(async (text) => {
    const {EventStream} = await import('/js/event_stream.js');
    const read = (pieces) => {
      const parser = new EventStream();
      return pieces.flatMap((piece) => parser.push(piece));
    };
    return [[text], [...text], ...Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)])].map(read);
  }, stream);
  for (const events of results) assert.deepEqual(events, ['{"a":1}', 'two\nlines', '北😀', '[DONE]']);
});

pageTest('links hold any text', {}, async ({page}) => {
  const texts = ['', 'a/b/c', '#%25&?=', '你好！\n第二行', '😀', ' margins '];
  const back = await page.evaluate(async (all) => {
    const {formatLink, parseLink} = await import('/js/link.js');
    return all.map((text) => parseLink(formatLink({source: 'zh-Hant', target: 'en', text})));
  }, texts);
  assert.deepEqual(back, texts.map((text) => ({source: 'zh-Hant', target: 'en', text})));
});
