import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveJob } from '@webfarer/protocol/job';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLocal } from './local-crawl.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-mistakes-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const mistakes = {
  'does not parse': 'export function onPage(page) { retrun page; }',
  'exports something else': 'export const other = 1;',
  'throws when it is loaded': 'throw new Error("no settings");',
};

for (const [what, text] of Object.entries(mistakes)) {
  it(`leaves no folder behind where the scraper ${what}`, async () => {
    writeFileSync(join(home, 'scraper.mjs'), text);
    const input = {
      name: 'x',
      seeds: ['http://127.0.0.1:9/'],
      contact: 'mailto:a@b.test',
      scraper: './scraper.mjs',
      fetch: { allowPrivate: ['127.0.0.0/8'] },
    };
    const folder = join(home, 'x.crawl');
    const job = resolveJob(input);
    const opening = openLocal({ job, input, folder, userAgent: 'test', jobPath: join(home, 'job.yml') });
    await expect(opening).rejects.toMatchObject({ code: 'job-invalid' });
    expect(existsSync(folder)).toBe(false);
  });
}
