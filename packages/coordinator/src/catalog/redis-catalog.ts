import { randomUUID } from 'node:crypto';
import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { Durability } from '@webfarer/protocol/job';
import { replyArray } from '../redis/reply-array.ts';
import { operationId } from '../redis/client/operation.ts';
import { type Reply, ReplyError } from '../redis/wire/resp.ts';
import { scripts } from '../redis/client/scripts.ts';
import { storeTag } from '../redis/keys.ts';
import type { RedisStore, Script } from '../redis/store.ts';
import {
  type Catalog,
  type CatalogEntry,
  checkTags,
  cursorAt,
  entryText,
  keptRemovals,
  lookedAt,
  type NewEntry,
  placeIn,
  readEntryText,
  removalDigest,
  removedEntry,
  type EntryState,
} from './catalog.ts';

/** The catalog of all crawls of a store. Closing it leaves the store open. */
export async function openRedisCatalog(store: RedisStore, { nowMs }: { nowMs: number }): Promise<Catalog> {
  const read = { durable: false };

  async function step(script: Script, args: (string | number)[], options = {}): Promise<Reply[]> {
    const [reply = null] = await store.run([{ key: storeTag, script, args }], options);
    return typeof reply === 'string' ? [reply] : replyArray(reply);
  }

  async function create(entry: NewEntry, before = ''): Promise<Reply[]> {
    checkTags(entry.tags);
    const { nonce, id, name, wanted, tags } = entry;
    const args = [nonce, id, name, wanted, tags.join('\n'), entryText(entry), before, removalDigest(nonce)];
    return await step(scripts.catalogCreate, args);
  }

  /** Earlier versions kept a text for each crawl, by its name, and nothing else. */
  async function adopt(): Promise<void> {
    let cursor = '0';
    do {
      const args = ['HSCAN', `${storeTag}j`, cursor, 'COUNT', 100];
      const [reply = null] = await store.run([{ key: storeTag, args }], read);
      const [next, flat] = replyArray(reply) as [string, string[]];
      for (let i = 0; i < flat.length; i += 2) await adoptOne(flat[i] ?? '', flat[i + 1] ?? '');
      cursor = next;
    } while (cursor !== '0');
  }

  async function adoptOne(name: string, text: string): Promise<void> {
    const old = oldEntry(text);
    if (old === undefined) return;
    const id = name as CrawlId;
    const nonce = randomUUID();
    await create({ ...old, id, name, nonce, createdAtMs: nowMs, tags: [], wanted: 'running' }, text);
  }

  await adopt();
  return {
    async create(given) {
      const [row, created] = await create(given);
      if (created === 2) return { created: false, entry: removedEntry(given) };
      const entry = entryIn(row);
      if (!entry) throw new WebfarerError('internal', `the catalog answered nothing about ${given.id}`);
      return { created: created === 1, entry };
    },
    get: async (id) => entryIn((await step(scripts.catalogGet, ['Ei', id], read))[0]),
    find: async (name) => entryIn((await step(scripts.catalogGet, ['En', name], read))[0]),
    async list({ after, limit, states, tags }) {
      const args = [placeIn(after), limit, lookedAt({ limit, tags }), states.length, ...states, ...tags];
      const [next, ...rows] = await step(scripts.catalogList, args, read);
      return { entries: entriesIn(rows), next: next === '' ? undefined : cursorAt(Number(next)) };
    },
    async change(id, version, change) {
      checkTags(change.tags ?? []);
      const before = entryIn((await step(scripts.catalogGet, ['Ei', id], read))[0]);
      if (!before) return { kind: 'gone' };
      if (before.version !== version) return { kind: 'stale', entry: before };
      const after = { ...before, ...change };
      const { nonce, wanted, tags } = after;
      const args = [nonce, version, operationId(), wanted, tags.join('\n'), entryText(after)];
      const [kind, row] = await step(scripts.catalogChange, args);
      const entry = entryIn(row);
      if (!entry) return { kind: 'gone' };
      return { kind: kind === 'OK' ? 'changed' : 'stale', entry };
    },
    async remove(nonce) {
      await step(scripts.catalogRemove, [nonce, removalDigest(nonce), keptRemovals]);
    },
    async wasRemoved(nonce) {
      const args = ['ZSCORE', `${storeTag}Ed`, removalDigest(nonce)];
      const [score = null] = await store.run([{ key: storeTag, args }], read);
      if (score instanceof ReplyError) replyArray(score);
      return score !== null;
    },
    async changes(since) {
      // Before the question: an answer of another epoch is then not taken for one of this.
      const epoch = store.epoch();
      const [then, number] = since.split(' ');
      const known = then === epoch ? (number ?? '') : '';
      const args = [known === '' ? -1 : known];
      const [latest, complete, rows] = await step(scripts.catalogChanges, args, read);
      return {
        generation: `${epoch} ${Number(latest)}`,
        complete: complete === 1,
        changed: entriesIn(rows as Reply[]),
      };
    },
    close: () => Promise.resolve(),
  };
}

function entryIn(row: Reply | undefined): CatalogEntry | undefined {
  if (!Array.isArray(row)) return undefined;
  const [nonce, id, name, version, wanted, tags, text] = row as string[];
  return {
    id: id as CrawlId,
    name: name ?? '',
    nonce: nonce ?? '',
    version: Number(version),
    wanted: wanted as EntryState,
    tags: tags ? tags.split('\n') : [],
    ...readEntryText(text ?? '{}'),
  };
}

function entriesIn(rows: Reply[]): CatalogEntry[] {
  return rows.map(entryIn).filter((entry) => entry !== undefined);
}

/** One that cannot be read is left where it is. */
function oldEntry(text: string): Pick<NewEntry, 'job' | 'seeds' | 'durability' | 'ownCode'> | undefined {
  try {
    const { job, seeds, durability, ownCode } = JSON.parse(text) as Partial<NewEntry>;
    if (!Array.isArray(seeds)) return undefined;
    return { job, seeds, durability: (durability ?? 'strict') as Durability, ownCode: ownCode === true };
  } catch {
    return undefined;
  }
}
