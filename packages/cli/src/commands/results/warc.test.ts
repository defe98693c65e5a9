import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import type { Url } from '@webfarer/protocol';
import { base32 } from '@webfarer/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeCourse, fakeWorld } from '../../fake-crawl.fixture.ts';
import { ZipFile } from '../../export/zip-file.ts';
import { runCli } from '../../program.ts';
import { sampleRecord } from '../../view/snapshot.fixture.ts';

let cwd: string;
const url = 'https://example.org/' as Url;
const archive = 'example.org.crawl/archive/one.warc.gz';
const info = member('warcinfo', 'software: test\r\n', 'application/warc-fields');
const response = member(
  'response',
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello</p>',
  'application/http;msgtype=response',
);

function member(type: string, block: string, contentType: string): Buffer {
  const digest = base32(createHash('sha1').update(block).digest());
  const fields = [
    'WARC/1.1',
    `WARC-Type: ${type}`,
    `WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000${type.charCodeAt(0)}>`,
    'WARC-Date: 2026-11-15T00:00:00Z',
    ...(type === 'response' ? [`WARC-Target-URI: ${url}`] : []),
    `WARC-Block-Digest: sha1:${digest}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(block)}`,
  ];
  return gzipSync(`${fields.join('\r\n')}\r\n\r\n${block}\r\n\r\n`);
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webfarer-cli-'));
  await mkdir(join(cwd, 'example.org.crawl/archive'), { recursive: true });
  await writeFile(join(cwd, archive), Buffer.concat([info, response]));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const saved = [{ saver: 'warc', file: 'archive/one.warc.gz', offset: info.length, length: response.length }];
/** The same body under other addresses: one refers to a capture here, one to an earlier crawl. */
const twin = 'https://example.org/twin' as Url;
const unchanged = 'https://example.org/unchanged' as Url;
const revisit = { url, startedAtMs: Date.UTC(2026, 10, 15) };
const original = {
  file: 'archive/one.warc.gz',
  offset: info.length,
  length: response.length,
  status: 200,
  mime: 'text/html',
};
const elsewhere = { saver: 'warc', file: 'archive/one.warc.gz', offset: 0, length: info.length };
const course: FakeCourse = {
  records: [
    sampleRecord({ url, saved }),
    sampleRecord({ url: twin, saved: [{ ...elsewhere, revisit: { ...revisit, original } }] }),
    sampleRecord({ url: unchanged, saved: [{ ...elsewhere, revisit }] }),
  ],
};

async function cli(...argv: string[]) {
  const world = fakeWorld(cwd, course, argv);
  const exit = await runCli(argv, world.context);
  return { exit, out: world.out(), err: world.err() };
}

test('ls names each record with its place', async () => {
  const { out } = await cli('warc', 'ls');
  expect(out).toMatch(
    new RegExp(
      `./${archive}\\n +0 .*warcinfo.*\\n +${info.length} .*response  200  2026-11-15T00:00:00Z  https://example.org/\\n`,
    ),
  );
  const [first] = (await cli('warc', 'ls', archive, '--json')).out.split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ file: `./${archive}`, offset: 0, type: 'warcinfo' });
});

test('cat prints what was saved of a URL, or the record at an offset', async () => {
  expect((await cli('warc', 'cat', url)).out).toBe('<p>hello</p>');
  expect((await cli('warc', 'cat', archive, '--offset', String(info.length), '--part', 'block')).out).toMatch(
    /^HTTP\/1.1 200 OK/,
  );
  const missing = await cli('warc', 'cat', 'https://example.org/none');
  expect([missing.exit, missing.err]).toEqual([2, expect.stringContaining('is not in the archive')]);
});

test('cat finds the body of a revisit where it is', async () => {
  expect((await cli('warc', 'cat', twin)).out).toBe('<p>hello</p>');
  expect((await cli('warc', 'cat', twin, '--part', 'record')).out).toContain('WARC-Type: warcinfo');
  expect(await cli('warc', 'cat', unchanged)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('an earlier crawl, which holds its body'),
  });
});

test('validate recomputes; damage is exit 6 and can be repaired', async () => {
  expect(await cli('warc', 'validate')).toMatchObject({
    exit: 0,
    out: `  ✓ ./${archive}: 2 records, 2 digests verified\n`,
  });
  await writeFile(join(cwd, 'no.wacz'), 'PK');
  const none = await cli('warc', 'validate', 'no.wacz');
  expect([none.exit, none.out]).toEqual([6, expect.stringContaining('it has no directory')]);
  await writeFile(join(cwd, 'torn.warc.gz'), Buffer.concat([info, response.subarray(0, -9)]));
  const torn = await cli('warc', 'validate', 'torn.warc.gz');
  expect(torn.exit).toBe(6);
  expect(torn.out).toContain('webfarer warc repair ./torn.warc.gz');
  expect((await cli('warc', 'repair', 'torn.warc.gz', '--to', 'whole.warc.gz')).out).toContain(
    '1 intact record in ./whole.warc.gz',
  );
  expect(await readFile(join(cwd, 'whole.warc.gz'))).toEqual(info);
});

test('a repaired copy lies outside the archive, whose records it repeats', async () => {
  await writeFile(join(cwd, 'example.org.crawl/crawl.json'), '{}');
  const { out } = await cli('warc', 'repair', archive);
  expect(out).toContain('2 intact records in ./example.org.crawl/one.repaired.warc.gz');
  const inside = await cli('warc', 'repair', archive, '--to', 'example.org.crawl/archive/two.warc.gz');
  expect([inside.exit, inside.err]).toEqual([2, expect.stringContaining('part of the crawl')]);
});

test('ls looks into a WACZ', async () => {
  const zip = await ZipFile.create(join(cwd, 'x.wacz'), { dateMs: 0 });
  const warc = Buffer.concat([info, response]);
  await zip.add({ name: 'pages/pages.jsonl', bytes: 2, pieces: Readable.from([Buffer.from('{}')]) });
  await zip.add({ name: 'archive/one.warc.gz', bytes: warc.length, pieces: Readable.from([warc]) });
  await zip.finish();
  const { out, exit } = await cli('warc', 'ls', 'x.wacz');
  expect(exit).toBe(0);
  expect(out).toContain('./x.wacz/archive/one.warc.gz');
  expect(out).toMatch(new RegExp(`\\n +0 .*warcinfo.*\\n +${info.length} .*response  200`));
});
