import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { minPartBytes, type ObjectStore, type StoredObject } from './object-store.ts';

/** What every object store does. `open` answers one that is empty, and the same one when asked again by its name. */
export function objectStoreSuite(open: (name: string) => Promise<ObjectStore>): void {
  const all = { start: 0, end: Number.MAX_SAFE_INTEGER };

  it('writes, replaces, reads ranges of and removes an object', async () => {
    const store = await open('one');
    await store.put('a/b.bin', Buffer.from('first'));
    await store.put('a/b.bin', Buffer.from('0123456789'));
    expect((await store.get('a/b.bin', all)).toString()).toBe('0123456789');
    expect((await store.get('a/b.bin', { start: 3, end: 6 })).toString()).toBe('345');
    expect((await store.get('a/b.bin', { start: 8, end: 100 })).toString()).toBe('89');
    expect((await store.get('a/b.bin', { start: 10, end: 20 })).length).toBe(0);
    expect((await store.get('a/b.bin', { start: 3, end: 3 })).length).toBe(0);
    expect(await store.head('a/b.bin')).toMatchObject({ key: 'a/b.bin', bytes: 10 });
    await store.remove('a/b.bin');
    await store.remove('a/b.bin');
    expect(await store.head('a/b.bin')).toBeUndefined();
    await expect(store.get('a/b.bin', all)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('keeps an empty object, and one whose name has unusual characters', async () => {
    const store = await open('odd');
    await store.put('empty', Buffer.alloc(0));
    await store.put('ä b+c%20=~(1)', Buffer.from('x'));
    expect(await store.head('empty')).toMatchObject({ bytes: 0 });
    expect(await keys(store, '')).toEqual(['empty', 'ä b+c%20=~(1)']);
    expect((await store.get('ä b+c%20=~(1)', all)).toString()).toBe('x');
  });

  it('lists keys that begin so, in order, however many they are, with sizes and times', async () => {
    const store = await open('list');
    const names = Array.from({ length: 1_100 }, (_, n) => `c/${String(n).padStart(5, '0')}`);
    for (let n = 0; n < names.length; n += 50)
      await Promise.all(names.slice(n, n + 50).map((name) => store.put(name, Buffer.from(name))));
    await store.put('c-beside', Buffer.from('x'));
    await store.put('d/1', Buffer.from('x'));
    expect(await keys(store, 'c/')).toEqual(names);
    expect(await keys(store, 'c/0010')).toEqual(names.slice(100, 110));
    expect(await keys(store, 'c')).toHaveLength(names.length + 1);
    expect(await keys(store, 'nothing/')).toEqual([]);
    const [first] = await gathered(store.list('c/'));
    expect(first).toMatchObject({ bytes: 7 });
    expect(first?.modifiedAtMs).toBeGreaterThan(1e12);
  });

  it('shows an object that is uploaded in parts when it is completed, not before', async () => {
    const store = await open('parts');
    const parts = [randomBytes(minPartBytes), randomBytes(minPartBytes), randomBytes(10)];
    const upload = await store.beginUpload('big/one');
    const done = [];
    for (const [n, bytes] of parts.entries())
      done.push(await store.putPart(upload, { number: n + 1, bytes }));
    // A reply that was lost: the same part again.
    done[1] = await store.putPart(upload, { number: 2, bytes: parts[1] as Buffer });
    expect(await keys(store, '')).toEqual([]);
    expect(await gathered(store.uploads('big/'))).toMatchObject([upload]);
    expect(await gathered(store.uploads('other/'))).toEqual([]);
    await store.completeUpload(upload, done);
    // Compared by itself: the assertion would take seconds for each megabyte.
    expect((await store.get('big/one', all)).equals(Buffer.concat(parts))).toBe(true);
    expect(await gathered(store.uploads(''))).toEqual([]);
    await expect(store.putPart(upload, { number: 1, bytes: Buffer.from('late') })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('aborts an upload, more than once too, and leaves nothing', async () => {
    const store = await open('aborted');
    const upload = await store.beginUpload('gone');
    const part = await store.putPart(upload, { number: 1, bytes: Buffer.from('x') });
    await store.abortUpload(upload);
    await store.abortUpload(upload);
    expect(await gathered(store.uploads(''))).toEqual([]);
    expect(await keys(store, '')).toEqual([]);
    await expect(store.completeUpload(upload, [part])).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('keeps to its own part of a place that others use', async () => {
    const [mine, other] = [await open('mine'), await open('mine-too')];
    await mine.put('k', Buffer.from('mine'));
    await other.put('k', Buffer.from('other'));
    expect(await keys(mine, '')).toEqual(['k']);
    expect((await (await open('mine')).get('k', all)).toString()).toBe('mine');
  });
}

async function keys(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await gathered<StoredObject>(store.list(prefix))).map(({ key }) => key);
}

async function gathered<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) found.push(one);
  return found;
}
