import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@webfarer/coordinator';
import { hostMatch } from '@webfarer/protocol/url';
import { expect, it } from 'vitest';
import { cleanManifest, leftInFolder } from './folder-traces.ts';

it('takes what a crawl waited for last out of its manifest where that was the host', () => {
  const manifestWith = (text: string) =>
    ({
      seeds: ['http://gone.test/', 'http://here.test/'],
      job: { seeds: ['gone.test', 'here.test'] },
      session: { state: 'finished', updatedAtMs: 1, elapsedMs: 1, stall: { cause: 'gap', text } },
    }) as unknown as Manifest;
  const match = hostMatch('gone.test');
  expect(JSON.stringify(cleanManifest(manifestWith('gone.test pauses'), match))).not.toContain('gone.test');
  expect(cleanManifest(manifestWith('here.test pauses'), match).session.stall).toMatchObject({
    text: 'here.test pauses',
  });
});

it('names exports in the folder that were made before the host was deleted, and no other file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-traces-'));
  const write = (name: string, text: string, atMs: number) => {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), atMs / 1_000, atMs / 1_000);
  };
  try {
    for (const sub of ['parquet', 'archive', 'tables']) mkdirSync(join(folder, sub));
    for (const name of ['old.wacz', 'parquet/pages.parquet', 'archive/a.warc.gz', 'b.tar.gz'])
      write(name, '\x1f', 1_000);
    for (const name of ['new.wacz', 'tables/pages.parquet']) write(name, '\x1f', 3_000);
    write('results.csv', 'http://gone.test/,200\n', 3_000);
    write('notes.txt', 'http://here.test/\n', 1_000);
    const left = await leftInFolder(folder, hostMatch('gone.test'), 2_000);
    expect(left.toSorted()).toEqual([
      'old.wacz was exported before the host was deleted: delete it, or export it again',
      'parquet/ was exported before the host was deleted: delete it, or export it again',
      'results.csv names the host: edit or delete it',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
