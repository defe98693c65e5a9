import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crawl } from '../library.ts';
import { openWorkerFolder } from '../network/worker-folder.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-own-'));
  writeFileSync(join(home, 'file'), 'text');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const crawlIn = async (folder: string) =>
  await crawl({
    name: 'x',
    folder,
    seeds: ['http://127.0.0.1:9/'],
    contact: 'mailto:a@b.test',
    fetch: { allowPrivate: ['127.0.0.0/8'] },
  });

describe('a path that cannot be a folder', () => {
  it('is told in a sentence where it is a file, or lies below one', async () => {
    await expect(crawlIn(join(home, 'file'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('a file of that name exists'),
    });
    await expect(crawlIn(join(home, 'file', 'x'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('a part of the path is a file'),
    });
    await expect(openWorkerFolder(join(home, 'file'), '0')).rejects.toMatchObject({ code: 'usage' });
  });

  it.runIf(existsSync('/proc/self'))('is told below /proc, where nothing can be made', async () => {
    await expect(crawlIn('/proc/webfarer/x')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('the system does not allow folders there'),
    });
  });
});
