import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type SavedAt, systemClock } from '@webfarer/protocol';
import { type TarCompression, tarCompressions } from '@webfarer/protocol/job';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { captureOf } from '../capture.fixture.ts';
import type { Saver } from '../saver.ts';
import { tarSaver } from './tar-saver.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-tar-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const tools = { none: undefined, gz: 'gzip', bz2: 'bzip2', zst: 'zstd' } as const;

async function started(compress: TarCompression): Promise<Saver> {
  const saver = tarSaver({ folder, name: 'x', template: '{host}/{path}', compress, clock: systemClock() });
  await saver.start();
  return saver;
}

/** With the tool that people have for it. */
function unpack(bytes: Buffer, compress: TarCompression): Buffer {
  const tool = tools[compress];
  return tool ? execFileSync(tool, ['-dc'], { input: bytes, maxBuffer: 1e8 }) : bytes;
}

/** What a reader that is not ours makes of an archive. */
async function readBack(
  file: string,
  compress: TarCompression,
): Promise<{ name: string; body: string; comment?: string }[]> {
  const raw = await readFile(join(folder, file));
  const reader = extract();
  reader.end(unpack(raw, compress));
  const found = [];
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const pax = (entry.header as { pax?: Record<string, string> }).pax;
    found.push({
      name: entry.header.name,
      body: Buffer.concat(chunks).toString(),
      ...(pax?.comment && { comment: pax.comment }),
    });
  }
  return found;
}

async function save(saver: Saver, url: string, body: string): Promise<SavedAt> {
  const at = await saver.save(captureOf({ url, body }));
  if (!at) throw new Error('nothing was saved');
  return at;
}

describe.each(tarCompressions)('tar saver, compress %s', (compress) => {
  it('writes what tar-stream and tar read', async () => {
    const saver = await started(compress);
    const long = `http://a.test/${'long-segment/'.repeat(12)}é`;
    const at = await save(saver, 'http://a.test/docs/', 'docs');
    await save(saver, long, 'x'.repeat(70_000));
    await save(saver, 'http://a.test/docs/index.html', 'clash');
    await saver.stop();
    expect(at.file).toMatch(/^archive\/x-\d{14}-00001\.tar/);
    expect(extname(at.file)).toBe(compress === 'none' ? '.tar' : `.${compress}`);
    const entries = await readBack(at.file, compress);
    expect(entries.map((entry) => entry.comment)).toEqual([
      'http://a.test/docs/',
      long,
      'http://a.test/docs/index.html',
    ]);
    expect(entries[0]).toMatchObject({ name: 'a.test/docs/index.html', body: 'docs' });
    expect(entries[1]).toMatchObject({
      name: `a.test/${'long-segment/'.repeat(12)}é.html`,
      body: 'x'.repeat(70_000),
    });
    expect(entries[2]?.name).toMatch(/^a\.test\/docs\/index~\w{12}\.html$/);
    const listed = execFileSync('tar', ['-tf', join(folder, at.file), '--quoting-style=literal'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(listed.trim().split('\n')).toEqual(entries.map((entry) => entry.name));
    const bytes = await readFile(join(folder, at.file));
    const part = bytes.subarray(at.offset, (at.offset ?? 0) + (at.length ?? 0));
    expect(unpack(part, compress).includes('docs')).toBe(true);
  });

  it('goes on after a crash, whatever byte it was torn at', async () => {
    const saver = await started(compress);
    const first = await save(saver, 'http://a.test/1', 'committed');
    await saver.sync();
    const path = join(folder, `${first.file}.open`);
    const whole = (await readFile(path)).length;
    await save(saver, 'http://a.test/2', 'never committed');
    await saver.sync();
    const bytes = await readFile(path);
    await saver.stop();
    await rm(join(folder, first.file));
    // Every byte that differs in kind; each is a crawl of its own and calls a tool.
    const step = compress === 'none' ? 37 : 9;
    for (let cut = whole; cut < bytes.length; cut += step) {
      await writeFile(path, bytes.subarray(0, cut));
      const next = await started(compress);
      const at = await save(next, 'http://a.test/3', 'after the crash');
      expect([at.file, at.offset]).toEqual([first.file, whole]);
      await next.stop();
      expect((await readBack(first.file, compress)).map((entry) => entry.body)).toEqual([
        'committed',
        'after the crash',
      ]);
      await rm(join(folder, first.file));
    }
    expect((await readdir(join(folder, 'archive'))).filter((name) => name.endsWith('.open'))).toEqual([]);
  });
});
