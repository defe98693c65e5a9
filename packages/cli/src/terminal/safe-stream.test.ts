import { once } from 'node:events';
import { expect, test } from 'vitest';
import { cleanText, createSafeStream } from './safe-stream.ts';

test('lines and tabs stay, what a terminal would obey goes', () => {
  expect(cleanText('a\tb\r\n\x1b[31mred\x1b[0m \x07\x9b2Jend')).not.toMatch(/[\x1b\x07\x9b]/);
  expect(cleanText('a\tb\r\nc')).toBe('a\tb\r\nc');
});

test('pieces may be cut anywhere', async () => {
  let text = '';
  const stream = createSafeStream((piece) => {
    text += piece;
  });
  const data = Buffer.from('日本 \x1b[2J ok');
  for (const byte of data) stream.write(Buffer.from([byte]));
  stream.end();
  await once(stream, 'finish');
  expect(text).toContain('日本');
  expect(text).not.toContain('\x1b');
});
