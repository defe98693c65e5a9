import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type SavedAt, systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { watchSyncs } from '../../../../../test/durable/watch-syncs.ts';
import { type AppendHandle, openHandle } from '../append-file.ts';
import { captureOf } from '../capture.fixture.ts';
import { wholeMembersEnd } from '../../archive/bytes/gzip-tail.ts';
import type { Saver } from '../saver.ts';
import { Segments } from '../segments.ts';
import { warcSaver, type WarcSaverOptions } from './warc-saver.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-warc-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function started(options: Partial<WarcSaverOptions> = {}): Promise<Saver> {
  const saver = warcSaver({
    folder,
    name: 'a crawl',
    clock: systemClock(),
    software: 'webfarer/test',
    ...options,
  });
  await saver.start();
  return saver;
}

async function save(saver: Saver, parts: Parameters<typeof captureOf>[0]): Promise<SavedAt> {
  const at = await saver.save(captureOf(parts));
  if (!at) throw new Error('nothing was saved');
  return at;
}

const archive = () => readdir(join(folder, 'archive'));

/** What a reader that is not ours makes of a file. */
async function readBack(file: string) {
  const records = [];
  for await (const record of new WARCParser(createReadStream(join(folder, file)))) {
    const payload = await record.readFully(true);
    records.push({
      type: record.warcType,
      url: record.warcTargetURI,
      header: (name: string) => record.warcHeader(name),
      status: record.httpHeaders?.statusCode,
      http: record.httpHeaders?.headers as Headers | undefined,
      payload: Buffer.from(payload ?? []),
    });
  }
  return records;
}

describe('warc saver', () => {
  it('writes what warcio reads back', async () => {
    const saver = await started();
    const plain = 'x'.repeat(100_000);
    await save(saver, { url: 'http://example.test/a', body: 'first' });
    await save(saver, { url: 'http://example.test/b', body: plain, truncated: 'length' });
    await saver.stop();
    const [file] = await archive();
    expect(file).toMatch(/^a-crawl-\d{14}-00001\.warc\.gz$/);
    const records = await readBack(`archive/${file}`);
    expect(records.map((r) => r.type)).toEqual([
      'warcinfo',
      'response',
      'request',
      'metadata',
      'response',
      'request',
      'metadata',
    ]);
    expect(records[0]?.header('WARC-Filename')).toBe(file);
    expect(records[0]?.payload.toString()).toContain('software: webfarer/test\r\n');
    expect(records[1]?.payload.toString()).toBe('first');
    expect(records[1]?.header('WARC-Date')).toBe('2025-01-02T03:04:05.678Z');
    expect(records[1]?.header('WARC-IP-Address')).toBe('127.0.0.1');
    expect(records[2]?.header('WARC-Concurrent-To')).toBe(records[1]?.header('WARC-Record-ID'));
    expect(records[3]?.header('WARC-Concurrent-To')).toBe(records[1]?.header('WARC-Record-ID'));
    expect(records[3]?.payload.toString()).toBe('fetchTimeMs: 12\r\nkind: page\r\ndepth: 0\r\n');
    expect(records[4]?.payload.toString()).toBe(plain);
    expect(records[4]?.header('WARC-Truncated')).toBe('length');
  });

  it('dates its files by the wall clock, also on a machine that was suspended', async () => {
    const real = systemClock();
    const saver = await started({ clock: { ...real, now: () => real.now() - 8 * 3_600_000 } });
    const beforeMs = Math.floor(real.wall() / 1_000) * 1_000;
    await save(saver, {});
    await saver.stop();
    const [file = ''] = await archive();
    const [, ...parts] = /-(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-00001/.exec(file) ?? [];
    const [year = 0, month = 0, ...rest] = parts.map(Number);
    expect(Date.UTC(year, month - 1, ...rest)).toBeGreaterThanOrEqual(beforeMs);
    const [head] = await readBack(`archive/${file}`);
    expect(Date.parse(head?.header('WARC-Date') ?? '')).toBeGreaterThanOrEqual(beforeMs);
  });

  it('gives the place of the response member', async () => {
    const saver = await started();
    await save(saver, { body: 'one' });
    const at = await save(saver, { body: 'two' });
    await saver.sync();
    const [open] = await archive();
    expect(`archive/${open}`).toBe(`${at.file}.open`);
    await saver.stop();
    const bytes = await readFile(join(folder, at.file));
    const offset = at.offset ?? 0;
    const record = gunzipSync(bytes.subarray(offset, offset + (at.length ?? 0))).toString();
    expect(record).toMatch(/^WARC\/1\.1\r\nWARC-Type: response\r\n/);
    expect(record).toMatch(/\r\n\r\ntwo\r\n\r\n$/);
  });

  it('keeps the head as served but for the transfer coding', async () => {
    const saver = await started();
    const headers: [string, string][] = [
      ['X-ODD-case', 'caf\u00e9'],
      ['transfer-encoding', 'chunked'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['Content-Length', '7'],
      ['X-Wide', 'Ċ'],
    ];
    const at = await save(saver, { headers, body: 'hello world' });
    await saver.stop();
    const text = gunzipSync(await readFile(join(folder, at.file))).toString();
    const block = text.slice(text.indexOf('HTTP/1.1 200 OK'));
    expect(block).toContain('X-ODD-case: café\r\n');
    expect(block).toContain('\r\nX-Crawler-transfer-encoding: chunked\r\n');
    expect(block).toContain('\r\nX-Crawler-Content-Length: 7\r\n');
    expect(block).toContain('Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
    expect(block).toContain('X-Wide: Ċ\r\n\r\nhello world\r\n\r\n');
  });

  it('stores bodies that are compressed already as they are', async () => {
    const saver = await started();
    const body = Buffer.alloc(200_000, 'not really packed, so that storing shows ');
    const at = await save(saver, { body, headers: [['Content-Encoding', 'gzip']] });
    await saver.stop();
    expect(at.length).toBeGreaterThan(body.length);
    const whole = gunzipSync(await readFile(join(folder, at.file)));
    expect(whole.includes(body)).toBe(true);
  });

  it('rotates, and every file is complete', async () => {
    const saver = await started({ rotateBytes: 3_000 });
    const places = [];
    for (let i = 0; i < 20; i++) {
      places.push(await save(saver, { url: `http://example.test/${i}`, body: `page ${i}` }));
    }
    expect(saver.written().files).toBeGreaterThan(3);
    await saver.stop();
    const names = await archive();
    expect(names.every((name) => name.endsWith('.warc.gz'))).toBe(true);
    let responses = 0;
    for (const name of names) {
      const records = await readBack(`archive/${name}`);
      expect(records[0]?.type).toBe('warcinfo');
      responses += records.filter((r) => r.type === 'response').length;
    }
    expect(responses).toBe(20);
    for (const [i, at] of places.entries()) {
      const bytes = await readFile(join(folder, at.file));
      const offset = at.offset ?? 0;
      expect(gunzipSync(bytes.subarray(offset, offset + (at.length ?? 0))).toString()).toContain(
        `page ${i}\r\n`,
      );
    }
    const bytes = await Promise.all(
      names.map(async (name) => (await stat(join(folder, 'archive', name))).size),
    );
    expect(saver.written()).toEqual({ files: names.length, bytes: bytes.reduce((a, b) => a + b) });
  });

  it('has the name of a file on the disk when it begins and when it is complete', async () => {
    const synced = await watchSyncs();
    const place = join(folder, 'archive');
    const folderSyncs = () => synced.filter(({ path }) => path === place).length;
    const saver = await started();
    const before = folderSyncs();
    await save(saver, { url: 'http://example.test/', body: 'page' });
    await saver.sync();
    const begun = folderSyncs();
    await saver.stop();
    expect([begun - before, folderSyncs() - begun]).toEqual([1, 1]);
  });

  it('goes on with the file a crash left, whatever byte it was torn at', async () => {
    const saver = await started();
    const first = await save(saver, { body: 'committed' });
    await saver.sync();
    const whole = (await readFile(join(folder, `${first.file}.open`))).length;
    await save(saver, { url: 'http://example.test/torn', body: 'never committed' });
    await saver.sync();
    const bytes = await readFile(join(folder, `${first.file}.open`));
    await saver.stop();
    await rm(join(folder, first.file));
    const path = join(folder, `${first.file}.open`);
    const ends = new Set<number>();
    for (let cut = whole; cut < bytes.length; cut++) {
      await writeFile(path, bytes.subarray(0, cut));
      ends.add(await wholeMembersEnd(path));
      if (cut % 9 > 0) continue;
      const next = await started();
      const at = await save(next, { body: 'after the crash' });
      expect(at.file).toBe(first.file);
      expect(ends.has(at.offset ?? -1)).toBe(true);
      await next.stop();
      const text = gunzipSync(await readFile(join(folder, first.file))).toString();
      await rm(join(folder, first.file));
      expect(text).toContain('committed');
      expect(text.endsWith('\r\n\r\n')).toBe(true);
      expect(text).toContain('after the crash');
    }
    // Torn in the response: cut to the committed record. Torn behind it: what is whole stays, orphaned.
    expect(ends.size).toBe(3);
    expect(ends.has(whole)).toBe(true);
  });

  it('drops a tail of garbage, and a file without one whole record', async () => {
    const saver = await started();
    const at = await save(saver, { body: 'committed' });
    await saver.sync();
    const path = join(folder, `${at.file}.open`);
    const good = await readFile(path);
    await saver.stop();
    await rm(join(folder, at.file));
    const flipped = Buffer.from(good);
    flipped.writeUInt8(flipped.readUInt8(good.length - 12) ^ 1, good.length - 12);
    await writeFile(path, Buffer.concat([good, Buffer.alloc(5_000)]));
    await writeFile(join(folder, 'archive/a-crawl-19990101000000-00001.warc.gz.open'), good.subarray(0, 40));
    await writeFile(join(folder, 'archive/a-crawl-19990101000000-00002.warc.gz.open'), flipped);
    const next = await started();
    expect((await stat(path)).size).toBe(good.length);
    await next.stop();
    const names = await archive();
    expect(names).toHaveLength(2);
    for (const name of names)
      expect(gunzipSync(await readFile(join(folder, 'archive', name))).length).toBeGreaterThan(0);
  });

  it('cuts nothing off where more is wrong than a crash can tear', async () => {
    const saver = await started();
    const places = [];
    for (let i = 0; i < 40; i++) places.push(await save(saver, { body: randomBytes(500) }));
    await saver.sync();
    const path = join(folder, `${places[0]?.file}.open`);
    const bytes = await readFile(path);
    await saver.stop();
    await rm(join(folder, places[0]?.file ?? ''));
    bytes.fill(0, places[3]?.offset ?? 0, (places[3]?.offset ?? 0) + 4);
    await writeFile(path, bytes);
    const segments = new Segments({
      folder,
      dir: 'archive',
      name: 'x',
      ext: '.warc.gz',
      rotateBytes: 1e9,
      clock: systemClock(),
      wholeEnd: wholeMembersEnd,
      maxTornBytes: 10_000,
    });
    await segments.start();
    expect(segments.written()).toEqual({ files: 1, bytes: bytes.length });
    await segments.stop();
    expect(await readFile(join(folder, places[0]?.file ?? ''))).toEqual(bytes);
  });

  it('survives a full disk: the same calls made again succeed, and nothing is torn', async () => {
    let room = 2_000;
    const full = () => Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const saver = await started({
      openHandle: async (path, flags) => {
        const handle = await openHandle(path, flags);
        const limited: AppendHandle = {
          truncate: (length) => handle.truncate(length),
          datasync: () => handle.datasync(),
          close: () => handle.close(),
          write: async (bytes, from, length, position) => {
            const fits = Math.min(length, room - position);
            if (fits <= 0) throw full();
            return handle.write(bytes, from, fits, position);
          },
        };
        return limited;
      },
    });
    const places: SavedAt[] = [];
    for (let i = 0; i < 10; i++)
      places.push(await save(saver, { url: `http://example.test/${i}`, body: `page ${i}` }));
    const failed = await saver.sync().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(WebfarerError);
    expect((failed as WebfarerError).code).toBe('storage');
    expect((await stat(join(folder, `${places[0]?.file}.open`))).size).toBe(0);
    room = 1e9;
    await saver.sync();
    await saver.stop();
    const records = await readBack(places[0]?.file ?? '');
    expect(records.filter((r) => r.type === 'response').map((r) => r.payload.toString())).toEqual(
      places.map((_, i) => `page ${i}`),
    );
  });
});
