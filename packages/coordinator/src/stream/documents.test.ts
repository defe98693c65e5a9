import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { followDocuments, shareDocuments, type SharedDocuments } from './documents.ts';

const clock = systemClock();
let reads = 0;

function share(state: Map<string, unknown>): SharedDocuments {
  const read = () => {
    reads++;
    return Promise.resolve(new Map(state));
  };
  return shareDocuments({ read, clock, freshMs: 0 });
}

function follow(documents: SharedDocuments, after?: string) {
  const { signal } = new AbortController();
  return followDocuments({
    documents,
    after,
    signal,
    clock,
    minIntervalMs: 1,
    heartbeatMs: 20,
    team: undefined,
  });
}

async function next(source: ReturnType<typeof follow>) {
  const { value } = await source.next();
  if (!value) throw new Error('it has ended');
  return value;
}

it('shows everything first, then what changed, then that nothing does', async () => {
  const state = new Map<string, unknown>([
    ['a', 1],
    ['b', { deep: [1] }],
  ]);
  const source = follow(share(state));
  expect(await next(source)).toMatchObject({
    type: 'snapshot',
    why: 'first',
    set: { a: 1, b: { deep: [1] } },
    more: false,
  });
  state
    .set('b', { deep: [2] })
    .set('c', 3)
    .delete('a');
  const delta = await next(source);
  expect(delta).toMatchObject({ type: 'delta', set: { b: { deep: [2] }, c: 3 }, removed: ['a'] });
  expect(await next(source)).toEqual({ type: 'bookmark', token: delta.token });
  await source.return();
});

it('a reader that is slow is shown the difference, not the states between', async () => {
  const state = new Map<string, unknown>([['n', 0]]);
  const documents = share(state);
  const source = follow(documents);
  await next(source);
  for (let n = 1; n <= 100; n++) {
    state.set('n', n);
    await documents.look();
  }
  expect(await next(source)).toMatchObject({ type: 'delta', set: { n: 100 } });
  await source.return();
});

it('continues behind a token with the difference, and begins anew behind one that is not known', async () => {
  const state = new Map<string, unknown>([
    ['n', 0],
    ['same', true],
  ]);
  const documents = share(state);
  const first = follow(documents);
  const { token } = await next(first);
  await first.return();
  state.set('n', 1);
  const again = follow(documents, token);
  expect(await next(again)).toEqual({ type: 'resumed', token });
  expect(await next(again)).toMatchObject({ type: 'delta', set: { n: 1 }, removed: [] });
  await again.return();
  // At another coordinator: the same state is the same token, another one is not known there.
  const elsewhere = follow(share(new Map(Object.entries({ n: 0, same: true }))), token);
  expect(await next(elsewhere)).toEqual({ type: 'resumed', token });
  await elsewhere.return();
  const stranger = follow(share(state), token);
  expect(await next(stranger)).toMatchObject({ type: 'snapshot', why: 'too-old', set: { n: 1, same: true } });
  await stranger.return();
});

it('a long snapshot comes in parts, and one that was cut off begins anew', async () => {
  const state = new Map<string, unknown>(Array.from({ length: 1_200 }, (_, n) => [`k${n}`, n]));
  const documents = share(state);
  const source = follow(documents);
  const parts = [await next(source), await next(source), await next(source)];
  expect(parts.map((part) => part.type === 'snapshot' && part.more)).toEqual([true, true, false]);
  expect(parts.flatMap((part) => (part.type === 'snapshot' ? Object.keys(part.set) : []))).toHaveLength(
    1_200,
  );
  await source.return();
  const cut = follow(documents, parts[0]?.token);
  expect(await next(cut)).toMatchObject({ type: 'snapshot', why: 'too-old', more: true });
  await cut.return();
});

it('many who look at the same moment are served by one reading', async () => {
  const documents = share(new Map([['n', 0]]));
  const before = reads;
  await Promise.all(Array.from({ length: 100 }, () => documents.look()));
  expect(reads - before).toBe(1);
});

it('all who have seen the same state are given the same frames', async () => {
  const state = new Map<string, unknown>([['n', 0]]);
  const documents = share(state);
  const sources = Array.from({ length: 5 }, () => follow(documents));
  const first = await Promise.all(sources.map(next));
  expect(new Set(first).size).toBe(1);
  state.set('n', 1);
  const second = await Promise.all(sources.map(next));
  expect(new Set(second).size).toBe(1);
  expect(second[0]).toMatchObject({ type: 'delta', set: { n: 1 } });
  for (const source of sources) await source.return();
});

it('a document that is the same object is encoded once', async () => {
  let encoded = 0;
  const document = (value: number) => ({
    toJSON() {
      encoded++;
      return value;
    },
  });
  const state = new Map<string, unknown>(Array.from({ length: 50 }, (_, n) => [`k${n}`, document(n)]));
  const documents = share(state);
  const { token } = await documents.look();
  state.set('k7', document(-7));
  expect((await documents.look()).token).not.toBe(token);
  expect(encoded).toBe(51);
  state.set('k7', document(7));
  expect((await documents.look()).token).toBe(token);
});
