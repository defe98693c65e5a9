import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepPeers } from './known-peers.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-peers-'));
  file = join(folder, 'coordinators.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const b = { id: 'b', url: 'http://b:1' };
const c = { id: 'c', url: 'http://c:1' };

test('peers are there for the next process that is started with the same address', async () => {
  const first = keepPeers(file, ['ws://a:1/link']);
  expect(await first.read()).toEqual([]);
  first.keep([b]);
  first.keep([b, c]);
  first.keep([]);
  await first.settled();
  expect(await keepPeers(file, ['http://a:1/']).read()).toEqual([b, c]);
  expect(await keepPeers(file, ['http://x:1', 'http://c:1']).read()).toEqual([b, c]);
});

test('a worker that is started with other addresses shows its token to none of the old peers', async () => {
  const first = keepPeers(file, ['http://a:1']);
  first.keep([b]);
  await first.settled();
  expect(await keepPeers(file, ['http://other:1']).read()).toEqual([]);
});

test.each(['', '{', '[]', '{"urls":["http://a:1"],"peers":[{"id":1},null,{"id":"b","url":"file:///x"}]}'])(
  'a file that holds %j is no peer and no error',
  async (text) => {
    writeFileSync(file, text);
    expect(await keepPeers(file, ['http://a:1']).read()).toEqual([]);
  },
);

test('the file holds no token and is not written again without a change', async () => {
  const peers = keepPeers(file, ['http://a:1']);
  peers.keep([b]);
  await peers.settled();
  writeFileSync(file, 'changed by hand');
  peers.keep([b]);
  await peers.settled();
  expect(readFileSync(file, 'utf8')).toBe('changed by hand');
});
