import { describe, expect, it } from 'vitest';
import {
  type AuditEntry,
  type KeptHistory,
  mostValueBytes,
  type NotesPage,
  type PutAnswer,
  type Registry,
  type RegistryDoc,
  type RegistryKind,
} from './registry.ts';

export interface RegistryWorld {
  name: string;
  /** The registries of several processes, on one new and empty store that keeps `keptHere`. */
  open(processes: number): Promise<Registry[]>;
  /** One with so many teams: t0, t1 and so on. */
  openFilled(teams: number): Promise<Registry>;
  /** How many documents the test of size writes. */
  many: number;
  /** One on a store that can go back to what it held. */
  openRestorable(): Promise<Restorable>;
}

export interface Restorable {
  /** To be asked for again after each step. */
  registry(): Registry;
  save(): Promise<void>;
  restore(): Promise<void>;
}

/** Little, so that tests reach the end of it. */
export const keptHere: KeptHistory = { changes: 50, notes: 20 };

/** A page of the audit log as it was noted, whatever the entries say. */
export const oldest = (after: string, limit: number): NotesPage => ({
  after,
  limit,
  look: limit,
  order: 'oldest',
  fits: () => true,
});

export function auditEntry(n: number): AuditEntry {
  return { atMs: 1_700_000_000_000 + n, who: 'wf_1', team: 'a', action: 'put', what: `p${n}`, detail: '{}' };
}

function docOf(answer: PutAnswer): RegistryDoc {
  if (answer.kind !== 'changed') throw new Error(`not written: ${JSON.stringify(answer)}`);
  return answer.doc;
}

async function pages(registry: Registry, kind: RegistryKind, limit: number): Promise<RegistryDoc[][]> {
  const found: RegistryDoc[][] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await registry.list(kind, { after, limit });
    found.push(page.docs);
    after = page.next;
  }
  return found;
}

const ids = (docs: readonly RegistryDoc[]) => docs.map(({ id }) => id);

/** What every registry must do. */
export function registrySuite({ name, open, openFilled, many, openRestorable }: RegistryWorld): void {
  const { changes, notes } = keptHere;

  describe(`registry: ${name}`, () => {
    it('keeps what it was given, for every process', async () => {
      const [a, b] = (await open(2)) as [Registry, Registry];
      const value = { empty: [], of: {}, words: 'größe "l"\n\u{1f310}', none: null, n: 1.5 };
      const doc = docOf(await a.put('policy', 'shop: größe', 0, value));
      expect(doc).toMatchObject({ kind: 'policy', id: 'shop: größe', value });
      expect(await b.get('policy', 'shop: größe')).toEqual(doc);
      expect(await b.get('schedule', 'shop: größe')).toBeUndefined();
      expect(await b.list('policy', { after: '', limit: 9 })).toEqual({ docs: [doc], next: undefined });
    });

    it('lets one of several that create a document win', async () => {
      const registries = await open(4);
      const answers = await Promise.all(registries.map((one, n) => one.put('policy', 'x', 0, { n })));
      const winners = answers.filter(({ kind }) => kind === 'changed');
      expect(winners).toHaveLength(1);
      for (const { doc } of answers) expect(doc).toEqual(winners[0]?.doc);
    });

    it('lets one of several changes of a version win', async () => {
      const registries = await open(4);
      const { version } = docOf(await (registries[0] as Registry).put('policy', 'x', 0, 0));
      const answers = await Promise.all(
        registries.map((one, n) =>
          n === 3 ? one.remove('policy', 'x', version) : one.put('policy', 'x', version, n),
        ),
      );
      expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['changed', 'stale', 'stale', 'stale']);
    });

    it('changes a document by its version, and no version comes twice', async () => {
      const [a, b] = (await open(2)) as [Registry, Registry];
      const first = docOf(await a.put('policy', 'x', 0, 1));
      const second = docOf(await b.put('policy', 'x', first.version, 2));
      expect(second.version).toBeGreaterThan(first.version);
      expect(await a.put('policy', 'x', first.version, 3)).toEqual({ kind: 'stale', doc: second });
      expect(await a.put('policy', 'x', 0, 3)).toEqual({ kind: 'stale', doc: second });
      expect(await a.remove('policy', 'x', first.version)).toEqual({ kind: 'stale', doc: second });
      expect(await a.remove('policy', 'x', second.version)).toEqual({ kind: 'changed', doc: second });
      expect(await b.get('policy', 'x')).toBeUndefined();
      expect(await b.put('policy', 'x', second.version, 4)).toEqual({ kind: 'stale', doc: undefined });
      expect(await b.remove('policy', 'x', 0)).toEqual({ kind: 'stale', doc: undefined });
      expect(docOf(await b.put('policy', 'x', 0, 5)).version).toBeGreaterThan(second.version);
    });

    it('refuses ids and values beyond its limits', async () => {
      const [a] = (await open(1)) as [Registry];
      for (const id of ['', 'a\nb', 'a\u0000', '\ud800', 'a\u202eb', 'x'.repeat(201)])
        await expect(a.put('policy', id, 0, 1)).rejects.toThrow('invalid id');
      expect(await a.put('policy', 'x'.repeat(200), 0, 1)).toMatchObject({ kind: 'changed' });
      await expect(a.put('policy', 'x', 0, undefined)).rejects.toThrow('must be JSON');
      await expect(a.put('policy', 'x', 0, 'ü'.repeat(mostValueBytes / 2))).rejects.toThrow('bytes');
      expect(await a.put('policy', 'x', 0, 'x'.repeat(mostValueBytes - 2))).toMatchObject({
        kind: 'changed',
      });
      await expect(a.list('policy', { after: '', limit: 0 })).rejects.toThrow('invalid limit');
      await expect(a.note({ ...auditEntry(1), detail: 'x'.repeat(20_000) })).rejects.toThrow('bytes');
      await expect(a.notes(oldest('nonsense', 1))).rejects.toThrow('audit cursor');
    });

    it('answers large documents in pages of bounded size', async () => {
      const [a] = (await open(1)) as [Registry];
      for (let n = 0; n < 9; n++) await a.put('policy', `p${n}`, 0, 'x'.repeat(mostValueBytes - 2));
      const found = await pages(a, 'policy', 100);
      expect(ids(found.flat())).toEqual(Array.from({ length: 9 }, (_, n) => `p${n}`));
      expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(4);
    });

    it('lists in the order of the ids, whatever changes between two pages', async () => {
      const [a, b] = (await open(2)) as [Registry, Registry];
      const given = ['b', 'a', 'ä', 'B', 'a b', '\u{1f310}', '10', '9'];
      for (const id of given) await a.put('team', id, 0, id);
      const order = given.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
      expect((await pages(a, 'team', 3)).map(ids)).toEqual([
        order.slice(0, 3),
        order.slice(3, 6),
        order.slice(6),
      ]);
      const one = await a.list('team', { after: '', limit: 3 });
      await b.remove('team', order[2] as string, one.docs[2]?.version ?? 0);
      await b.put('team', 'c', 0, 1);
      const two = await a.list('team', { after: one.next ?? '', limit: 100 });
      expect(ids(two.docs)).toEqual(
        [...order.slice(3), 'c'].toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y))),
      );
    });

    it('tells what changed since it was asked', async () => {
      const [a, b] = (await open(2)) as [Registry, Registry];
      const start = await a.changes('');
      expect(start).toMatchObject({ complete: false, changed: [] });
      const { version } = docOf(await b.put('policy', 'x', 0, 1));
      await b.put('team', 'y z', 0, 1);
      await b.put('policy', 'x', version, 2);
      const news = await a.changes(start.generation);
      expect(news.complete).toBe(true);
      expect(news.changed).toEqual([
        { kind: 'team', id: 'y z' },
        { kind: 'policy', id: 'x' },
      ]);
      const nowMs = expect.any(Number) as number;
      expect(await a.changes(news.generation)).toEqual({ ...news, changed: [], nowMs });
      expect(Math.abs(news.nowMs - Date.now())).toBeLessThan(600_000);
      await b.remove('team', 'y z', (await b.get('team', 'y z'))?.version ?? 0);
      await b.note(auditEntry(1));
      expect(await a.changes(news.generation)).toMatchObject({
        complete: true,
        changed: [{ kind: 'team', id: 'y z' }],
      });
      expect(await a.changes('of another store 5')).toMatchObject({ complete: false, changed: [] });
    });

    it('says so where it no longer knows all changes', async () => {
      const [a] = (await open(1)) as [Registry];
      const start = (await a.changes('')).generation;
      await a.put('policy', 'first', 0, 1);
      const { generation } = await a.changes(start);
      for (let n = 0; n < changes; n++) await a.put('policy', `p${n}`, 0, n);
      expect((await a.changes(generation)).changed).toHaveLength(changes);
      expect(await a.changes(start)).toMatchObject({ complete: false, changed: [] });
    });

    it('a store that went back in time repeats neither a version nor a generation', {
      timeout: 60_000,
    }, async () => {
      const store = await openRestorable();
      await store.registry().put('policy', 'kept', 0, 1);
      await store.save();
      const lost = docOf(await store.registry().put('policy', 'x', 0, 'lost'));
      const { generation } = await store.registry().changes('');
      await store.restore();
      const restored = store.registry();
      expect(await restored.get('policy', 'x')).toBeUndefined();
      expect(await restored.get('policy', 'kept')).toMatchObject({ value: 1 });
      expect(await restored.changes(generation)).toMatchObject({ complete: false });
      const other = docOf(await restored.put('policy', 'x', 0, 'other'));
      expect(other.version).not.toBe(lost.version);
      const now = await restored.changes(generation);
      expect(now.complete).toBe(false);
      expect(now.generation).not.toBe(generation);
      expect(await restored.put('policy', 'x', lost.version, 'over')).toEqual({ kind: 'stale', doc: other });
    });

    it('keeps the latest entries of the audit log, and tells how many it dropped', async () => {
      const [a, b] = (await open(2)) as [Registry, Registry];
      const none = { entries: [], next: undefined, dropped: 0, looked: 0 };
      expect(await b.notes(oldest('', 9))).toEqual(none);
      expect(await b.notes({ ...oldest('', 9), order: 'newest' })).toEqual(none);
      for (let n = 0; n < notes; n++) await a.note(auditEntry(n));
      const first = await b.notes(oldest('', 4));
      expect(first).toMatchObject({ entries: [0, 1, 2, 3].map(auditEntry), dropped: 0 });
      for (let n = notes; n < notes + 6; n++) await b.note(auditEntry(n));
      const rest = await b.notes(oldest(first.next ?? '', 100));
      const kept = Array.from({ length: notes }, (_, n) => auditEntry(n + 6));
      expect(rest).toEqual({ entries: kept, next: undefined, dropped: 2, looked: notes });
      expect(await b.notes(oldest('', 100))).toEqual({ ...rest, dropped: 6 });
    });

    it('reads the audit log from its end, and looks at no more than it is told', async () => {
      const [a, b] = (await open(2)) as [Registry, Registry];
      for (let n = 0; n < notes + 3; n++) await a.note(auditEntry(n));
      const isEven = ({ what }: AuditEntry) => Number(what.slice(1)) % 2 === 0;
      const page = { ...oldest('', 3), look: 4, order: 'newest', fits: isEven } as const;
      const found: string[][] = [];
      const told: { looked: number; dropped: number }[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const { entries, next, looked, dropped } = await b.notes({ ...page, after });
        found.push(entries.map(({ what }) => what));
        told.push({ looked, dropped });
        // What is noted meanwhile is in front of what is read next.
        await a.note(auditEntry(1_000));
        after = next;
      }
      expect(found[0]).toEqual(['p22', 'p20']);
      const all = found.flat();
      expect(all).toEqual(all.toSorted((x, y) => Number(y.slice(1)) - Number(x.slice(1))));
      expect(new Set(all).size).toBe(all.length);
      expect(told[0]).toEqual({ looked: 4, dropped: 0 });
      expect(told.at(-1)?.dropped).toBeGreaterThanOrEqual(3);
      // A page that is full goes on behind its last entry, however many rows were read for it.
      const others = { ...page, limit: 2, look: 20, fits: ({ what }: AuditEntry) => what !== 'p1000' };
      const full = await b.notes(others);
      const behind = await b.notes({ ...others, after: full.next ?? '' });
      expect([full, behind].map(({ entries }) => entries.map(({ what }) => what))).toEqual([
        ['p22', 'p21'],
        ['p20', 'p19'],
      ]);
      expect([full.dropped, behind.looked]).toEqual([0, 2]);
    });

    it(`carries ${many.toLocaleString('en')} documents`, { timeout: 120_000 }, async () => {
      const a = await openFilled(many);
      const found = await pages(a, 'team', 100);
      expect(found).toHaveLength(many / 100);
      const names = Array.from({ length: many }, (_, n) => `t${n}`);
      expect(ids(found.flat())).toEqual(names.toSorted());
      expect(await pages(a, 'policy', 100)).toEqual([[]]);
    });
  });
}
