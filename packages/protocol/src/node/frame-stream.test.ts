import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { frameStream } from './frame-stream.ts';

function pair(maxBytes = 1_000_000) {
  const [a, b] = duplexPair();
  const got: string[] = [];
  const closed: string[] = [];
  const events = {
    frame: (text: string) => void got.push(text),
    closed: (reason: string) => void closed.push(reason),
  };
  const left = frameStream(a, { maxBytes }, { frame: () => undefined, closed: () => undefined });
  const right = frameStream(b, { maxBytes }, events);
  return { left, right, got, closed, raw: a };
}

const nothing = () => undefined;

test('frames arrive whole and in order, however the stream cuts them', async () => {
  const { left, got, raw } = pair();
  const texts = ['', '{"a":1}', 'äöü €', 'x'.repeat(200_000), 'last'];
  for (const text of texts) left.send(text, nothing);
  const bytes = Buffer.from('one by one');
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  for (const byte of Buffer.concat([head, bytes])) raw.write(Buffer.from([byte]));
  await expect.poll(() => got).toEqual([...texts, 'one by one']);
});

test('what was sent before the end arrives, then both ends are closed', async () => {
  const { left, right, got, closed } = pair();
  left.send('bye', nothing);
  left.end();
  await expect.poll(() => closed).toEqual(['the other end is closed']);
  expect(got).toEqual(['bye']);
  expect([left.open, right.open]).toEqual([false, false]);
});

test('a frame beyond the bound ends the stream with the figure', async () => {
  const { left, got, closed } = pair(10);
  left.send('x'.repeat(11), nothing);
  await expect.poll(() => closed).toEqual(['a frame of 11 bytes is larger than 10']);
  expect(got).toEqual([]);
});
