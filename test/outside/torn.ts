import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemClock, type Url } from '@webfarer/protocol';
import { type Capture, openSavers, sha1Digest } from '@webfarer/worker';
import { readWarc, validateWarc } from '@webfarer/worker/archive';

export interface Torn {
  offsets: number;
  failures: string[];
}

/**
 * Cuts an archive within its last capture, as a crash would, and lets the saver go on. `step` 1 tries every
 * byte. What stood before must stay as it is, and what comes after must be found where the saver says.
 */
export async function tearTail(warc: string, folder: string, step: number): Promise<Torn> {
  const { base, last } = await shortFile(warc);
  const name = basename(warc);
  const torn: Torn = { offsets: 0, failures: [] };
  const archive = join(folder, 'archive');
  await mkdir(archive, { recursive: true });
  for (let cut = 0; cut < last.length; cut += step) {
    torn.offsets++;
    for (const old of await readdir(archive)) await rm(join(archive, old));
    await writeFile(join(archive, `${name}.open`), Buffer.concat([base, last.subarray(0, cut)]));
    const wrong = await goOn(folder, name, base);
    if (wrong) torn.failures.push(`cut at ${cut}: ${wrong}`);
  }
  return torn;
}

/** The head of a WARC file and its last captures: short enough to be written a thousand times. */
async function shortFile(warc: string): Promise<{ base: Buffer; last: Buffer }> {
  const offsets: { offset: number; type: string }[] = [];
  for await (const { offset, type } of readWarc(warc)) offsets.push({ offset, type });
  const captures = offsets.filter(({ type }) => type === 'response' || type === 'revisit');
  const [second, from, end] = [offsets[1], captures.at(-4), captures.at(-1)].map((at) => at?.offset ?? 0);
  const bytes = await readFile(warc);
  return {
    base: Buffer.concat([bytes.subarray(0, second), bytes.subarray(from, end)]),
    last: bytes.subarray(end),
  };
}

async function goOn(folder: string, name: string, base: Buffer): Promise<string | undefined> {
  const [saver] = await openSavers([{ kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' }], {
    folder,
    name: 'torn',
    clock: systemClock(),
    software: 'webfarer/proof',
    baseFolder: folder,
  });
  const at = await saver?.save(after);
  await saver?.stop();
  const names = await readdir(join(folder, 'archive'));
  if (names.length !== 1 || names[0] !== name) return `files: ${names.join(' ')}`;
  const file = join(folder, 'archive', name);
  const check = await validateWarc(file);
  if (!check.ok) return check.problems[0]?.text;
  const handle = await open(file);
  const start = Buffer.alloc(base.length);
  await handle.read(start, 0, base.length, 0);
  await handle.close();
  if (!start.equals(base)) return 'what stood before was changed';
  const found = await urlAt(file, at?.offset ?? 0);
  return found === after.entry.url ? undefined : 'the next capture is not at its place';
}

async function urlAt(file: string, from: number): Promise<string | undefined> {
  for await (const record of readWarc(file, { from })) return record.field('warc-target-uri');
  return undefined;
}

const body = Buffer.from('after the crash');
const after: Capture = {
  entry: { url: 'http://after.test/' as Url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 },
  mime: 'text/plain',
  decoded: body,
  digest: sha1Digest(body),
  page: {
    url: 'http://after.test/' as Url,
    status: 200,
    statusText: 'OK',
    headers: [['Content-Type', 'text/plain']],
    requestHead: 'GET / HTTP/1.1\r\nHost: after.test\r\n\r\n',
    body,
    unread: false,
    startedAtMs: Date.UTC(2025, 0, 1),
    durationMs: 1,
  },
};
