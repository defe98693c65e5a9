import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemClock, type Url } from '@webfarer/protocol';
import { type Capture, openSavers, sha1Digest } from '@webfarer/worker';
import { describe, expect, it } from 'vitest';

/** A Python with the package `warcio`: from WEBFARER_PYTHON, a `.venv` here, or the system. */
function pythonWithWarcio(): string | undefined {
  const candidates = [
    process.env.WEBFARER_PYTHON,
    '.venv/bin/python',
    '.tools/python-archives/bin/python',
    'python3',
  ];
  return candidates.find((python) => {
    if (!python || (python.includes('/') && !existsSync(python))) return false;
    try {
      execFileSync(python, ['-c', 'import warcio'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

const reader = `
import json, sys
from warcio.archiveiterator import ArchiveIterator
with open(sys.argv[1], 'rb') as stream:
    records = ArchiveIterator(stream, check_digests='raise')
    for record in records:
        body = record.content_stream().read()
        print(json.dumps([records.get_record_offset(), record.rec_type,
            record.rec_headers.get_header('WARC-Target-URI'), len(body)]))
`;

function capture(url: string, body: Buffer, headers: [string, string][]): Capture {
  return {
    entry: { url: url as Url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 },
    mime: 'text/html',
    decoded: body,
    digest: sha1Digest(body),
    page: {
      url: url as Url,
      status: 200,
      statusText: 'OK',
      headers,
      requestHead: 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n',
      body,
      unread: false,
      startedAtMs: Date.UTC(2025, 0, 1),
      durationMs: 1,
    },
  };
}

const python = pythonWithWarcio();
if (!python) console.log('skipped: no Python with the package warcio (set WEBFARER_PYTHON)');

describe.skipIf(!python)('WARC files read by Python warcio', () => {
  it('agrees on every record, digest, offset and decoded length', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webfarer-outside-'));
    const [saver] = await openSavers([{ kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' }], {
      folder,
      name: 'outside',
      clock: systemClock(),
      software: 'webfarer/test',
      baseFolder: folder,
    });
    const html = Buffer.from('<p>hello</p>'.repeat(5_000));
    const captures = [
      capture('http://a.test/', Buffer.from('small'), [['Content-Type', 'text/html']]),
      capture('http://a.test/large', html, [['Transfer-Encoding', 'chunked']]),
      capture('http://a.test/packed', gzipSync(html), [['Content-Encoding', 'gzip']]),
    ];
    const places = [];
    for (const one of captures) places.push(await saver?.save(one));
    await saver?.stop();
    const text = execFileSync(python ?? '', ['-c', reader, join(folder, places[0]?.file ?? '')], {
      encoding: 'utf8',
    });
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [number, string, string, number]);
    expect(rows.map((row) => row[1])).toEqual([
      'warcinfo',
      ...captures.flatMap(() => ['response', 'request', 'metadata']),
    ]);
    const responses = rows.filter((row) => row[1] === 'response');
    expect(responses.map((row) => row[0])).toEqual(places.map((at) => at?.offset));
    expect(responses.map((row) => row[3])).toEqual([5, html.length, html.length]);
    await rm(folder, { recursive: true });
  });
});
