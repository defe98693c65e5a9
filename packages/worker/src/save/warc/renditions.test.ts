import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PageRecord, type SavedAt, systemClock, type Url } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getSurt, WARCParser } from 'warcio';
import { cdxjLines } from '../../archive/index/cdxj.ts';
import { openArchive } from '../../archive/open-archive.ts';
import { findRenditions } from '../../archive/warc/renditions.ts';
import { validateWarc } from '../../archive/warc/validate-warc.ts';
import { htmlAt, readStored } from '../../stored/stored-exchange.ts';
import { captureOf } from '../capture.fixture.ts';
import { openWarcIntake } from './warc-intake.ts';
import { warcSaver, type WarcSaverOptions } from './warc-saver.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-renditions-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const url = 'http://shop.test/A?b=1';
const html = '<!DOCTYPE html><html><head></head><body><h1>Hämmer</h1></body></html>';
const picture = Buffer.from([
  0x89,
  0x50,
  0x4e,
  0x47,
  ...Array.from({ length: 9_000 }, (_, n) => (n * 37) % 256),
]);
const shown = {
  ...captureOf({ url, body: '<div id=app></div>' }),
  renditions: [
    { kind: 'dom' as const, mime: 'text/html', bytes: Buffer.from(html) },
    { kind: 'view' as const, mime: 'image/png', bytes: picture },
  ],
};

async function saved(changes: Partial<WarcSaverOptions> = {}): Promise<SavedAt[]> {
  const saver = warcSaver({ folder, name: 'x', clock: systemClock(), software: 'webfarer/test', ...changes });
  await saver.start();
  const plain = captureOf({ url: 'http://shop.test/plain' });
  const places = [await saver.save(shown), await saver.save(plain), await saver.save(shown)];
  await saver.stop();
  return places.filter((at) => at !== undefined);
}

describe('what a browser made of a page', () => {
  it('stands behind its capture as resource records that another reader finds', async () => {
    const [at] = await saved();
    const records = [];
    for await (const record of new WARCParser(createReadStream(join(folder, at?.file ?? '')))) {
      const body = Buffer.from((await record.readFully(false)) ?? []);
      const { warcType: type, warcTargetURI: uri } = record;
      records.push({ type, uri, body, header: (name: string) => record.warcHeader(name) });
    }
    expect(records.map(({ type, uri }) => `${type} ${uri ?? ''}`).slice(1, 6)).toEqual([
      `response ${url}`,
      `request ${url}`,
      `metadata ${url}`,
      `resource urn:dom:${url}`,
      `resource urn:view:${url}`,
    ]);
    const [response, , , dom, view] = records.slice(1);
    expect(dom?.body.toString()).toBe(html);
    expect(dom?.header('Content-Type')).toBe('text/html; charset=utf-8');
    expect(view?.body.equals(picture)).toBe(true);
    for (const record of [dom, view]) {
      expect(record?.header('WARC-Concurrent-To')).toBe(response?.header('WARC-Record-ID'));
      expect(record?.header('WARC-Date')).toBe(response?.header('WARC-Date'));
    }
    expect(await validateWarc(join(folder, at?.file ?? ''))).toMatchObject({ ok: true, records: 14 });
  });

  it('is read in place of the answer, which stays as it came', async () => {
    const [at, plain] = await saved();
    if (!at || !plain) throw new Error('not saved');
    const archive = openArchive(folder);
    const stored = await readStored(archive, at, { url: url as Url });
    expect(stored.exchange.body.toString()).toBe('<div id=app></div>');
    expect(stored.html).toBe(html);
    expect((await stored.picture('view'))?.equals(picture)).toBe(true);
    expect(await stored.picture('pdf')).toBeUndefined();
    expect(await htmlAt(archive, plain)).toBeUndefined();
    expect(await findRenditions(join(folder, at.file), at.offset ?? 0)).toEqual(at.renditions);
    expect(await findRenditions(join(folder, at.file), plain.offset ?? 0)).toEqual([]);
  });

  it('is missed where a page was shown and nothing of that is kept', async () => {
    const [, plain] = await saved();
    if (!plain) throw new Error('not saved');
    const facts = { url: plain.file as Url, rendered: { durationMs: 1, loaded: 0 } };
    await expect(readStored(openArchive(folder), plain, facts)).rejects.toMatchObject({ code: 'not-found' });
    const moved = { ...facts, rendered: { ...facts.rendered, movedTo: 'http://shop.test/' } };
    expect((await readStored(openArchive(folder), plain, moved)).html).toBeUndefined();
  });

  it('has lines of its own in the index, each at its record', async () => {
    const [at] = await saved();
    const record = { url, startedAtMs: 0, status: 200, saved: [at] } as PageRecord;
    const lines = cdxjLines(record);
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'test,shop)/a?b=1',
      getSurt(`urn:dom:${url}`),
      getSurt(`urn:view:${url}`),
    ]);
    const bytes = await readFile(join(folder, at?.file ?? ''));
    expect(new Set(lines.map((line) => /"offset":"\d+"/.exec(line)?.[0])).size).toBe(3);
    for (const line of lines) {
      const { offset, length } = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>;
      const place = { from: Number(offset), to: Number(offset) + Number(length) };
      expect(bytes.subarray(place.from, place.from + 2).toString('hex')).toBe('1f8b');
      if (place.to < bytes.length)
        expect(bytes.subarray(place.to, place.to + 2).toString('hex')).toBe('1f8b');
    }
  });

  it('is sent with its capture, and found where that was put', async () => {
    const spool = { folder: join(folder, 'worker'), dir: 'spool', add: () => undefined };
    const [at, , again] = await saved({ spool });
    const bytes = await readFile(join(spool.folder, at?.file ?? ''));
    const whole = bytes.subarray(at?.offset ?? 0, (at?.offset ?? 0) + (at?.spooled ?? 0));
    const intake = await openWarcIntake({
      folder,
      name: 'x',
      clock: systemClock(),
      software: 'webfarer/test',
      rotateBytes: 1e9,
      mostBytes: 1e6,
    });
    for (const strict of [true, false]) {
      const arriving = intake.arriving();
      await arriving.add(whole);
      const placed = await arriving.end({ strict });
      await intake.sync();
      // Who is trusted says itself what it sent.
      const renditions = strict ? placed?.at.renditions : at?.renditions;
      expect(renditions).toEqual(at?.renditions);
      const found = { ...placed?.at, renditions } as SavedAt;
      expect(await htmlAt(openArchive(folder), found)).toBe(html);
    }
    // Sound records, but two of each kind.
    const foreign = intake.arriving();
    const partOf = (place: SavedAt | undefined, from = 0) =>
      bytes.subarray((place?.offset ?? 0) + from, (place?.offset ?? 0) + (place?.spooled ?? 0));
    await foreign.add(whole);
    await foreign.add(partOf(again, again?.renditions?.[0]?.after));
    expect(await foreign.end({ strict: true })).toBeUndefined();
    await intake.stop();
  });
});
