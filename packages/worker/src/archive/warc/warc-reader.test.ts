import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import { systemClock } from '@webfarer/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { captureOf, type CaptureParts } from '../../save/capture.fixture.ts';
import { catWarc, listWarc } from './list-warc.ts';
import { WarcProblem } from '../bytes/warc-problem.ts';
import { readWarc } from './warc-reader.ts';
import { repairWarc } from './repair-warc.ts';
import { warcSaver } from '../../save/warc/warc-saver.ts';
import { validateWarc } from './validate-warc.ts';
import { recordHead } from '../../save/warc/record-writer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-reader-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A WARC file with these captures; the path and where each response stands. */
async function archive(
  captures: CaptureParts[],
): Promise<{ file: string; offsets: number[]; lengths: number[] }> {
  const saver = warcSaver({ folder, name: 'x', clock: systemClock(), software: 'webfarer/test' });
  await saver.start();
  const places = [];
  for (const parts of captures) places.push(await saver.save(captureOf(parts)));
  await saver.stop();
  return {
    file: join(folder, places[0]?.file ?? ''),
    offsets: places.map((at) => at?.offset ?? -1),
    lengths: places.map((at) => at?.length ?? -1),
  };
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of source) found.push(value);
  return found;
}

const cat = async (options: Parameters<typeof catWarc>[0]) => Buffer.concat(await all(catWarc(options)));

const three: CaptureParts[] = [
  { url: 'http://a.test/1', body: 'one' },
  { url: 'http://a.test/2', body: gzipSync('two'), headers: [['Content-Encoding', 'gzip']] },
  { url: 'http://a.test/3', body: 'x'.repeat(300_000), status: 404, mime: 'text/plain' },
];

describe('warc reader', () => {
  it('checks a file in steps that add up to the whole, and finds damage at the same byte', async () => {
    const { file, offsets } = await archive(three);
    const inSteps = async () => {
      const sum = { records: 0, digests: 0, offsets: [] as number[], steps: 0 };
      const { size } = await stat(file);
      for (let from = 0; from < size && sum.offsets.length === 0; sum.steps++) {
        const step = await validateWarc(file, { from, mostBytes: 1 });
        sum.records += step.records;
        sum.digests += step.digests;
        sum.offsets.push(...step.problems.map(({ offset }) => offset));
        from = step.soundUntil;
      }
      return sum;
    };
    const whole = await validateWarc(file);
    const { records, digests } = whole;
    expect(await inSteps()).toEqual({ records, digests, offsets: [], steps: records });
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8((offsets[1] ?? 0) + 30) ^ 255, (offsets[1] ?? 0) + 30);
    await writeFile(file, bytes);
    const damaged = (await validateWarc(file)).problems.map(({ offset }) => offset);
    expect(damaged).toEqual([offsets[1]]);
    expect((await inSteps()).offsets).toEqual(damaged);
  });

  it('lists what was written, with the places the saver told', async () => {
    const { file, offsets, lengths } = await archive(three);
    const rows = await all(listWarc(file));
    expect(rows.map((row) => row.type)).toEqual([
      'warcinfo',
      ...three.flatMap(() => ['response', 'request', 'metadata']),
    ]);
    const responses = rows.filter((row) => row.type === 'response');
    expect(responses.map((row) => row.offset)).toEqual(offsets);
    expect(responses.map((row) => row.length)).toEqual(lengths);
    expect(responses.map((row) => row.status)).toEqual([200, 200, 404]);
    expect(rows.reduce((sum, row) => sum + row.length, 0)).toBe((await stat(file)).size);
  });

  it('gives one record, whole, as sent or decoded', async () => {
    const { file, offsets } = await archive(three);
    const url = 'http://a.test/2';
    expect((await cat({ file, url })).toString()).toBe('two');
    expect(gunzipSync(await cat({ file, url, part: 'payload' })).toString()).toBe('two');
    expect((await cat({ file, offset: offsets[2] ?? 0 })).length).toBe(300_000);
    expect((await cat({ file, url, part: 'block' })).toString('latin1')).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Enc/,
    );
    expect((await cat({ file, url, part: 'record' })).toString('latin1')).toMatch(
      /^WARC\/1\.1\r\nWARC-Type: response/,
    );
    await expect(cat({ file, url: 'http://a.test/none' })).rejects.toThrow('holds no response for');
  });

  it('decodes what has two encodings, and what there is of a page that was cut', async () => {
    const cut = gzipSync(randomBytes(4_000).toString('hex')).subarray(0, 3_000);
    const { file } = await archive([
      {
        url: 'http://a.test/1',
        body: gzipSync(gzipSync('twice')),
        headers: [['Content-Encoding', 'gzip, gzip']],
      },
      {
        url: 'http://a.test/2',
        body: gzipSync(gzipSync('two lines')),
        headers: [
          ['Content-Encoding', 'gzip'],
          ['content-encoding', 'gzip'],
        ],
      },
      { url: 'http://a.test/3', body: cut, headers: [['Content-Encoding', 'gzip']] },
    ]);
    expect((await cat({ file, url: 'http://a.test/1' })).toString()).toBe('twice');
    expect((await cat({ file, url: 'http://a.test/2' })).toString()).toBe('two lines');
    expect((await cat({ file, url: 'http://a.test/3' })).toString()).toMatch(/^[0-9a-f]{100,}$/);
  });

  it('gives no more of a body than is wanted, packed or not', async () => {
    const { file } = await archive([
      { url: 'http://a.test/1', body: Buffer.alloc(5_000_000, 'a') },
      {
        url: 'http://a.test/2',
        body: gzipSync(Buffer.alloc(5_000_000, 'b')),
        headers: [['Content-Encoding', 'gzip']],
      },
    ]);
    for (const [n, letter] of ['a', 'b'].entries()) {
      const body = await cat({ file, url: `http://a.test/${n + 1}`, maxBytes: 100_000 });
      expect(body.toString()).toBe(letter.repeat(100_000));
    }
  });

  it('reads plain files, members without lengths, and members too large to hold', async () => {
    const { file } = await archive([...three, { url: 'http://a.test/4', body: randomBytes(6_000_000) }]);
    const plain = join(folder, 'plain.warc');
    await writeFile(plain, gunzipSync(await readFile(file)));
    const foreign = join(folder, 'foreign.warc.gz');
    for await (const record of readWarc(file)) {
      const block = Buffer.concat(await all(record.block()));
      const head = recordHead(record.fields);
      await appendFile(foreign, gzipSync(Buffer.concat([head, block, Buffer.from('\r\n\r\n')])));
    }
    for (const path of [file, plain, foreign]) {
      expect(await validateWarc(path)).toMatchObject({ ok: true, records: 13, digests: 17 });
    }
    expect((await cat({ file: foreign, url: 'http://a.test/4' })).length).toBe(6_000_000);
    // Left in the middle of a large block, nothing hangs.
    for await (const record of readWarc(foreign)) {
      if (record.field('warc-target-uri')?.endsWith('4')) for await (const _ of record.block()) break;
      if (record.offset > 0 && record.contentLength > 1_000_000) break;
    }
  });

  it('inflates a small member to any size in pieces', async () => {
    const file = join(folder, 'bomb.warc.gz');
    const body = Buffer.alloc(80_000_000);
    const head = recordHead([
      ['WARC-Type', 'resource'],
      ['WARC-Record-ID', '<urn:x:1>'],
      ['WARC-Date', '2025-01-01T00:00:00Z'],
      ['WARC-Target-URI', 'http://a.test/'],
      ['Content-Length', String(body.length)],
    ]);
    await writeFile(file, gzipSync(Buffer.concat([head, body, Buffer.from('\r\n\r\n')]), { level: 1 }));
    expect(await validateWarc(file)).toMatchObject({ ok: true, records: 1 });
  });

  it('finds a body that pretends to be records or gzip members harmless', async () => {
    const inner = await archive(three);
    const bytes = await readFile(inner.file);
    await rm(inner.file);
    const { file } = await archive([
      { body: gunzipSync(bytes) },
      { body: bytes, mime: 'application/gzip' },
      { body: Buffer.concat([bytes, Buffer.from('\r\n\r\nWARC/1.1\r\n')]) },
    ]);
    expect(await validateWarc(file)).toMatchObject({ ok: true, records: 10 });
  });
});

describe('validate and repair', () => {
  it('tells a torn tail from damage, at every byte', async () => {
    const { file, offsets } = await archive(three.slice(0, 2));
    const bytes = await readFile(file);
    const second = offsets[1] ?? 0;
    const cutFile = join(folder, 'cut.warc.gz');
    for (let cut = second + 1; cut < bytes.length; cut += 3) {
      await writeFile(cutFile, bytes.subarray(0, cut));
      const check = await validateWarc(cutFile);
      if (check.ok) {
        // Cut between two records: every record is whole.
        expect([5, 6]).toContain(check.records);
        continue;
      }
      expect(check.problems).toHaveLength(1);
      expect(check.problems[0]?.torn).toBe(true);
      expect(check.soundUntil).toBeGreaterThanOrEqual(second);
    }
  });

  it('notices a changed byte anywhere', async () => {
    const { file } = await archive(three.slice(0, 2));
    const bytes = await readFile(file);
    const other = join(folder, 'flipped.warc.gz');
    for (let at = 0; at < bytes.length; at += 5) {
      // The fields of the gzip header that say nothing about the content may change: time, flags of the writer, comment.
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      await writeFile(other, flipped);
      const check = await validateWarc(other);
      if (check.ok) expect(gunzipSync(flipped)).toEqual(gunzipSync(bytes));
    }
  });

  it('notices wrong digests, lengths and fields', async () => {
    const file = join(folder, 'wrong.warc');
    const base =
      'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2025-01-01T00:00:00Z\r\n';
    const cases: [string, string][] = [
      [
        `${base}WARC-Target-URI: http://a/\r\nWARC-Block-Digest: sha1:AAAA\r\nContent-Length: 2\r\n\r\nok\r\n\r\n`,
        'WARC-Block-Digest is wrong',
      ],
      [
        `${base}WARC-Target-URI: http://a/\r\nContent-Length: 3\r\n\r\nok\r\n\r\n`,
        'the length of the block does not match Content-Length',
      ],
      [
        `${base}WARC-Target-URI: http://a/\r\nContent-Length: 1\r\n\r\nok\r\n\r\n`,
        'the length of the block does not match Content-Length',
      ],
      [`${base}Content-Length: 2\r\n\r\nok\r\n\r\n`, 'WARC-Target-URI is missing'],
      [`${base}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok\r\n\r\n`, 'Content-Length appears twice'],
      [`${base}Content-Length: -2\r\n\r\nok\r\n\r\n`, 'Content-Length is "-2"'],
      [`${base}Content-Length: 2\r\n folded\r\n\r\nok\r\n\r\n`, 'not a named field'],
      [`${base}Bad\u0007: 1\r\nContent-Length: 2\r\n\r\nok\r\n\r\n`, 'not a named field'],
      [`${base}X: 1\nY: 2\r\nContent-Length: 2\r\n\r\nok\r\n\r\n`, 'not a named field'],
      ['WARC/1.1\r\nContent-Length: 2\r\n\r\nok\r\n\r\n', 'warc-record-id is missing'],
      [base.replace('1.1', '2.0'), 'is truncated'],
      [`${base.replace('1.1', '2.0')}Content-Length: 2\r\n\r\nok\r\n\r\n`, 'not WARC/1.1'],
      ['garbage', 'no record begins here'],
    ];
    for (const [text, problem] of cases) {
      await writeFile(file, text);
      const check = await validateWarc(file);
      expect(check.ok).toBe(false);
      expect(check.problems[0]?.text).toContain(problem);
    }
    const two = `${base}WARC-Target-URI: http://a/\r\nContent-Length: 2\r\n\r\nok\r\n\r\n`;
    await writeFile(file, two + two);
    expect((await validateWarc(file)).problems[0]?.text).toContain('appears more than once');
    await writeFile(file, gzipSync(two + two.replace('x:1', 'x:2')));
    expect((await validateWarc(file)).problems[0]?.text).toContain('more than one record');
  });

  it('keeps every intact record of a damaged file', async () => {
    const { file, offsets, lengths } = await archive(three);
    const bytes = await readFile(file);
    const middle = (offsets[1] ?? 0) + Math.floor((lengths[1] ?? 0) / 2);
    bytes.fill(0, middle, middle + 9);
    const damaged = join(folder, 'damaged.warc.gz');
    await writeFile(damaged, bytes.subarray(0, -5));
    const result = await repairWarc(damaged);
    expect(result.output).toBe(join(folder, 'damaged.repaired.warc.gz'));
    expect(result.kept).toBe(8);
    expect(result.dropped.map(({ offset }) => offset)).toContain(offsets[1]);
    expect(result.dropped).toHaveLength(2);
    expect(await validateWarc(result.output)).toMatchObject({ ok: true, records: 8 });
    await expect(repairWarc(damaged)).rejects.toThrow('already exists');
  });

  it('survives any bytes', async () => {
    const { file } = await archive(three.slice(0, 1));
    const bytes = await readFile(file);
    const other = join(folder, 'fuzzed.warc.gz');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        fc.nat(bytes.length),
        fc.uint8Array({ maxLength: 40 }),
        async (edits, cut, tail) => {
          const changed = Buffer.concat([bytes.subarray(0, cut), tail]);
          for (const [at, value] of edits) if (at < changed.length) changed[at] = value;
          await writeFile(other, changed);
          const check = await validateWarc(other);
          expect(check.soundUntil).toBeLessThanOrEqual(changed.length);
          if (check.ok) expect(check.soundUntil).toBe(changed.length);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('header injection', () => {
  it('refuses control bytes in any field, and keeps the record count', () => {
    const value = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(value, value, (url, date) => {
        let made: Buffer;
        try {
          made = recordHead([
            ['WARC-Target-URI', url],
            ['WARC-Date', date],
          ]);
        } catch (error) {
          expect(/[\u0000-\u001f\u007f]/.test(url + date)).toBe(true);
          expect((error as Error).message).toContain('control characters');
          return;
        }
        expect(made.toString().split('\r\n')).toHaveLength(5);
        expect(made.toString().match(/[\r\n]/g)).toHaveLength(8);
      }),
      { numRuns: 1_000 },
    );
  });

  it('lets nothing a server sends change the number of records or headers', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('a\r\nX: y', 'a\r\n\r\nWARC/1.1\r\n', '\u010a\u010d', 'a\nb', '\0'),
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        text,
        fc.uint8Array({ maxLength: 200 }),
        async (name, value, status, body) => {
          const { file } = await archive([
            {
              headers: [
                [`x${name}`, value],
                ['X-Last', 'end'],
              ],
              statusText: status,
              body: Buffer.from(body),
            },
          ]);
          expect(await validateWarc(file)).toMatchObject({ ok: true, records: 4, digests: 5 });
          expect(await cat({ file, part: 'payload' })).toEqual(Buffer.from(body));
          const block = (await cat({ file, part: 'block' })).toString('latin1');
          expect(block.slice(0, block.indexOf('\r\n\r\n')).split('\r\n')).toHaveLength(3);
          await rm(file);
        },
      ),
      { numRuns: 100 },
    );
  });
});

it('tells the kinds of problems apart', async () => {
  const file = join(folder, 'x.warc.gz');
  await writeFile(file, deflateRawSync('WARC/1.1'));
  const problem = await all(readWarc(file)).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(WarcProblem);
  expect((problem as WarcProblem).torn).toBe(false);
});
