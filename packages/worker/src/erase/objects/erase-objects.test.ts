import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type SavedAt, systemClock, type Url, WebfarerError } from '@webfarer/protocol';
import { hostMatch } from '@webfarer/protocol/url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectArchive } from '../../archive/object-archive.ts';
import { chunkDir, objectDir } from '../../archive/objects/layout.ts';
import { openStoredFile, storedFile } from '../../archive/objects/stored-files.ts';
import { openObjectStore } from '../../objects/object-place.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { captureOf } from '../../save/capture.fixture.ts';
import { objectUploads } from '../../save/objects/object-uploads.ts';
import { tidyObjects } from '../../save/objects/upkeep.ts';
import type { Saver } from '../../save/saver.ts';
import { warcSaver } from '../../save/warc/warc-saver.ts';
import { eraseObjects } from './erase-objects.ts';
import { keepInObjects } from './keep-in-objects.ts';

let root: string;
let store: ObjectStore;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'webfarer-erase-objects-'));
  store = await openObjectStore({ address: `file://${root}/store` });
});
/** Some are left as a crash leaves them: their files are closed when the test is over. */
let savers: Saver[] = [];
afterEach(async () => {
  await Promise.allSettled(savers.map((saver) => saver.stop()));
  savers = [];
  rmSync(root, { recursive: true, force: true });
});

const clock = systemClock();
const match = hostMatch('gone.test');

async function worker(name: string): Promise<Saver> {
  const saver = warcSaver({
    folder: join(root, name),
    name,
    clock,
    software: 'webfarer/test',
    uploads: objectUploads({ store, clock, scratch: tmpdir(), gatherMs: 0 }),
  });
  await saver.start();
  savers.push(saver);
  return saver;
}

async function save(saver: Saver, url: string, body: string, via?: string): Promise<SavedAt> {
  const capture = captureOf({ url, body });
  if (via !== undefined) capture.entry.referrer = via as Url;
  const at = await saver.save(capture);
  if (!at) throw new Error('nothing was saved');
  await saver.sync();
  return at;
}

const erase = (through = store) =>
  eraseObjects({ store: through, match, nowMs: Date.now(), scratch: tmpdir() });

async function bodyAt(at: SavedAt): Promise<string> {
  const pieces: Buffer[] = [];
  const archive = objectArchive({ address: `file://${root}/store` });
  for await (const piece of archive.read(at, 'body')) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Every byte of the store, unpacked, and every name in it. */
function allBytes(): string {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, 'store'), { withFileTypes: true, recursive: true })) {
    found.push(entry.name);
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    found.push(bytes[0] === 0x1f ? gunzipSync(bytes).toString('latin1') : bytes.toString('latin1'));
  }
  return found.join('\n');
}

async function keys(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list(prefix)) found.push(key);
  return found;
}

/** Four workers: one has captures of the host, two name it, one of them in chunks; the last has nothing of it. */
async function savedByFour() {
  const [one, two, three] = [await worker('w1'), await worker('w2'), await worker('w3')];
  const kept = [
    await save(one, 'http://a.test/1', 'one'),
    await save(two, 'http://b.test/1', 'two', 'http://gone.test/found-it'),
    await save(three, 'http://c.test/1', 'three'),
  ];
  const zero = await worker('w0');
  kept.push(await save(zero, 'http://d.test/0', 'zero', 'http://gone.test/found-it'));
  await zero.stop();
  const gone = await save(one, 'http://gone.test/secret', 'a secret');
  kept.push(await save(one, 'http://a.test/2', 'four'));
  await one.stop();
  await three.stop();
  return { kept, gone, running: two };
}
const bodies = ['one', 'two', 'three', 'zero', 'four'];

describe('deleting a host from object storage', () => {
  it('leaves no byte of it in objects, chunks and indexes, and all else in its place', async () => {
    const { kept, gone } = await savedByFour();
    expect(allBytes()).toMatch(/gone\.test[^]*a secret|a secret[^]*gone\.test/);
    const before = await keys(objectDir);
    const { left, ...erased } = await erase();
    expect(erased).toMatchObject({ captures: 1, files: 4, rewritten: 3 });
    expect(left).toEqual([expect.stringMatching(/^w2-.* on the disk of a worker that did not complete it/)]);
    expect(allBytes()).not.toMatch(/gone|a secret/);
    expect(await Promise.all(kept.map(bodyAt))).toEqual(bodies);
    expect(await bodyAt(gone).catch(() => 'gone')).not.toContain('secret');
    // Only what the index says is about the host was written anew.
    expect((await keys(objectDir)).filter((key) => before.includes(key))).toEqual([
      expect.stringMatching(/w3/),
    ]);
    expect(await keys(chunkDir)).toEqual([]);
    for (const file of await objectArchive({ address: `file://${root}/store` }).files())
      expect(await objectArchive({ address: `file://${root}/store` }).validate(file)).toMatchObject({
        ok: true,
      });
    expect(await erase()).toMatchObject({ captures: 0, rewritten: 0, left: [] });
  });

  it('can be cut off before or after any change, and readers find everything else meanwhile', async () => {
    const { kept } = await savedByFour();
    let cuts = 0;
    for (let n = 1; n < 100; n++) {
      const done = await erase(cutOff(n)).then(
        () => true,
        () => false,
      );
      expect(await Promise.all(kept.map(bodyAt))).toEqual(bodies);
      if (done) break;
      cuts++;
    }
    expect(cuts).toBeGreaterThan(5);
    expect(allBytes()).not.toMatch(/gone|a secret/);
    expect(await keys(objectDir)).toHaveLength(4);
  });

  it('is not undone by a worker that comes back with the file on its disk', async () => {
    const { kept } = await savedByFour();
    const lost = await worker('w4');
    const own = await save(lost, 'http://d.test/1', 'five');
    await save(lost, 'http://gone.test/again', 'a secret');
    await erase();
    const back = await worker('w4');
    const next = await save(back, 'http://d.test/2', 'six');
    expect(next.file).not.toBe(own.file);
    await back.stop();
    expect(allBytes()).not.toMatch(/gone|a secret/);
    expect(await Promise.all([...kept, own, next].map(bodyAt))).toEqual([...bodies, 'five', 'six']);
  });

  it('is not undone by a worker that could not be reached and completes its file later', async () => {
    const { kept, running } = await savedByFour();
    await save(running, 'http://gone.test/more', 'a secret');
    await erase();
    const late = await save(running, 'http://b.test/late', 'late');
    expect(await bodyAt(late)).toBe('late');
    await running.stop();
    expect(allBytes()).not.toMatch(/gone|a secret/);
    expect(await Promise.all([...kept, late].map(bodyAt))).toEqual([...bodies, 'late']);
    expect(await keys(chunkDir)).toEqual([]);
    await tidyObjects({ store, nowMs: Date.now() + 1_000, graceMs: 0, scratch: tmpdir() });
    expect(await bodyAt(late)).toBe('late');
  });

  it('never gives a reader half of the old and half of the new', async () => {
    const { kept, gone } = await savedByFour();
    const file = await storedFile(store, (kept[0] as SavedAt).file.slice(objectDir.length));
    if (!file) throw new Error('no file');
    const whole = openStoredFile(store, file);
    const archive = objectArchive({ address: `file://${root}/store` });
    const reading = archive.read(kept[4] as SavedAt, 'body')[Symbol.asyncIterator]();
    await archive.find(gone.file);
    await erase();
    await expect(whole.read(0, 100)).rejects.toMatchObject({ code: 'conflict' });
    expect(String((await reading.next()).value)).toBe('four');
    expect(await bodyAt(kept[0] as SavedAt)).toBe('one');
  });

  it('keeps bodies that other hosts have served as well', async () => {
    const saver = await worker('w1');
    const body = 'a library that both serve '.repeat(400);
    await save(saver, 'http://gone.test/lib.js', body);
    const revisit = await save(saver, 'http://a.test/lib.js', body);
    expect(revisit.revisit?.url).toBe('http://gone.test/lib.js');
    await saver.stop();
    const moved = await keepInObjects({
      store,
      scratch: tmpdir(),
      folder: root,
      files: [],
      match,
      clock,
      name: 'x',
      software: 'webfarer/test',
    });
    expect(moved).toMatchObject([
      {
        url: 'http://a.test/lib.js',
        from: { file: revisit.file, offset: revisit.offset, shared: true },
        to: { shared: true },
      },
    ]);
    await erase();
    expect(allBytes()).not.toContain('gone.test');
    const { to } = moved[0] ?? {};
    expect(to && (await bodyAt({ saver: 'warc', ...to }))).toBe(body);
  });
});

/** A process that ends at its n-th change of the store: half of them before it took effect, half after. */
function cutOff(n: number): ObjectStore {
  let changes = 0;
  let isDead = false;
  const wrap =
    <A extends unknown[]>(work: (...args: A) => Promise<void>) =>
    async (...args: A): Promise<void> => {
      if (++changes === Math.ceil(n / 2)) isDead = true;
      if (isDead && (n % 2 === 0 || changes > Math.ceil(n / 2))) throw killed();
      await work(...args);
      if (isDead) throw killed();
    };
  return { ...store, put: wrap(store.put), remove: wrap(store.remove) };
}

function killed(): WebfarerError {
  return new WebfarerError('storage', 'the process was killed');
}
