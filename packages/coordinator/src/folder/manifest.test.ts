import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { manifestFile, newManifest, readManifest } from './manifest.ts';

it('keeps the job of the last write, whichever of two writes takes longer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const about = { webfarer: '0', name: 'a', baseFolder: '/', userAgent: 'a', nowMs: 0 };
  // Long enough that a file of it is written for longer than the edited one.
  const labels = Array.from({ length: 50_000 }, (_, n) => `${n} ${'x'.repeat(100)}`);
  const manifest = newManifest({ ...about, job: { labels }, seeds: [] });
  const file = manifestFile(folder, manifest);
  const session = file.write();
  await Promise.resolve();
  manifest.job = { limits: { pages: 9 } };
  await Promise.all([file.write(), session]);
  expect((await readManifest(folder))?.job).toEqual(manifest.job);
  expect(readdirSync(folder)).toEqual(['crawl.json']);
});
