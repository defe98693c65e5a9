import { createHash } from 'node:crypto';
import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { Durability } from '@webfarer/protocol/job';
import { type EntryEdits, noEdits } from './entry-edits.ts';

/**
 * What an operator wants of a crawl, or that it is over: then nothing is wanted of it any more, and a coordinator that
 * starts need not open it to find that out.
 */
export const entryStates = ['running', 'paused', 'stopped', 'finished', 'limited', 'deleted'] as const;
export type EntryState = (typeof entryStates)[number];

/** A coordinator works on crawls in these states; on a paused one without granting leases. */
export const openStates = ['running', 'paused'] as const satisfies readonly EntryState[];

/** Nobody works on crawls in these states, until someone resumes them. */
export const overStates = ['stopped', 'finished', 'limited'] as const satisfies readonly EntryState[];

export interface CatalogEntry {
  id: CrawlId;
  name: string;
  /** Made when the crawl was created: tells it from an earlier crawl of the same id or name. */
  nonce: string;
  /** Changes with every change of the entry and never repeats, not even after the id was used again. */
  version: number;
  createdAtMs: number;
  /** The job as it was written, without secrets. */
  job: unknown;
  /** With https or http decided. */
  seeds: string[];
  tags: string[];
  wanted: EntryState;
  durability: Durability;
  /** Pages are handled by a function of the user's own program: nothing but that program may take part. */
  ownCode: boolean;
  /** How the job came to be what it is. */
  edits: EntryEdits;
  /** In a recrawl: the crawl that it is compared with. */
  previous?: { id: CrawlId; nonce: string };
  /** It was entered before its folder was made. Whoever finds it so begins it. */
  unbegun?: boolean;
  /** How often an operator has wanted something else of it. */
  wishes?: number;
  /** Since when it is known to be over, where its job bounds how long it is kept then. Gone when it is resumed. */
  overAtMs?: number;
  /** It is deleted, and what it has in object storage is not known to be gone: the entry stays until then. */
  objects?: true;
  /** What the catalog keeps of it, such as its job, cannot be read. */
  damaged?: true;
}

export type NewEntry = Omit<CatalogEntry, 'version' | 'edits'>;
export type EntryChange = Partial<
  Pick<
    CatalogEntry,
    | 'job'
    | 'seeds'
    | 'tags'
    | 'wanted'
    | 'wishes'
    | 'durability'
    | 'ownCode'
    | 'edits'
    | 'unbegun'
    | 'overAtMs'
    | 'objects'
  >
>;

export interface CatalogQuery {
  /** `next` of the page before; '' for the first page. */
  after: string;
  limit: number;
  /** Only entries in one of these states; empty: in any, `deleted` included. */
  states: readonly EntryState[];
  /** Only entries that have all of these. */
  tags: readonly string[];
}

export interface CatalogPage {
  /** In the order of their creation. May be fewer than the limit, even none, while `next` is given. */
  entries: CatalogEntry[];
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined;
}

export type ChangeAnswer =
  | { kind: 'changed'; entry: CatalogEntry }
  /** It has changed since the version that was given. */
  | { kind: 'stale'; entry: CatalogEntry }
  | { kind: 'gone' };

export interface CatalogChanges {
  /** To be given the next time. */
  generation: string;
  /** False: the catalog no longer knows what has changed since then, so list the entries again. */
  complete: boolean;
  /** As they are now. A deleted entry is among them; if it was removed since, the answer is not complete. */
  changed: CatalogEntry[];
}

/**
 * Which crawls there are and what is wanted of each. Every method is one whole transition, atomic and durable when it
 * resolves; `catalog.suite.ts` is what all implementations pass. Sized for 10,000 crawls: only `list` looks at more
 * than the entries it answers, and it does so in bounded steps.
 *
 * To delete a crawl, change `wanted` to `deleted`: from then on its id and its name are free and `get` does not find it,
 * while `list` does. Once everything of it is gone, `remove` drops the entry. A crash in between leaves the entry, so
 * the next start finds what is left to do.
 *
 * Policies, schedules, tokens and teams are documents of the registry: registry/registry.ts.
 */
export interface Catalog {
  /**
   * The first to create a name has it; answers the entry that stands. Its nonce is another one than was given where the
   * frontier knew the crawl before. A crawl with this nonce that was deleted is not created again: the answer says
   * `deleted`, as far back as `wasRemoved` knows.
   */
  create(entry: NewEntry): Promise<{ created: boolean; entry: CatalogEntry }>;
  /** The crawl of this id that is not deleted. */
  get(id: CrawlId): Promise<CatalogEntry | undefined>;
  /** The crawl of this name that is not deleted. */
  find(name: string): Promise<CatalogEntry | undefined>;
  list(query: CatalogQuery): Promise<CatalogPage>;
  /** Changes the entry if it still has this version. */
  change(id: CrawlId, version: number, change: EntryChange): Promise<ChangeAnswer>;
  /** Drops the deleted entry with this nonce; nothing where there is none. */
  remove(nonce: string): Promise<void>;
  /**
   * Whether the crawl with this nonce was deleted and removed, for a process that was down meanwhile and still keeps
   * something of it. Of the last 10,000; false for one that was never here, as in a store that was restored.
   */
  wasRemoved(nonce: string): Promise<boolean>;
  /** What changed since an earlier answer; '' at first, which answers the generation alone. */
  changes(since: string): Promise<CatalogChanges>;
  close(): Promise<void>;
}

/** How many changes the catalog remembers, and how many entries a step of `list` looks at. */
export const keptChanges = 1_000;
export const lookedAtOnce = 1_000;

/** How many entries a page looks at: by their states alone an index finds exactly those that fit. */
export function lookedAt({ tags, limit }: Pick<CatalogQuery, 'tags' | 'limit'>): number {
  return tags.length === 0 ? Math.min(limit, lookedAtOnce) : lookedAtOnce;
}

/** How many removed entries are remembered. */
export const keptRemovals = 10_000;
const mostTags = 50;
const mostTagChars = 100;

/** Tags are keys of indexes. */
export function checkTags(tags: readonly string[]): void {
  const bad = tags.find((tag) => tag === '' || tag.length > mostTagChars || /\p{Cc}/u.test(tag));
  if (bad !== undefined)
    throw new WebfarerError('usage', `invalid tag: ${JSON.stringify(bad.slice(0, mostTagChars))}`, {
      next: `A tag has 1 to ${mostTagChars} printable characters.`,
    });
  if (tags.length > mostTags || new Set(tags).size < tags.length)
    throw new WebfarerError('usage', 'a crawl has too many tags, or the same tag twice', {
      next: `Give each tag once, and at most ${mostTags}.`,
    });
}

/** Where a page ended: its entries and those to come are told apart by their place in the order of creation. */
export function placeIn(cursor: string): number {
  if (cursor === '') return 0;
  const place = Number.parseInt(/^p([0-9a-z]+)$/.exec(cursor)?.[1] ?? '', 36);
  if (Number.isSafeInteger(place)) return place;
  throw new WebfarerError('usage', 'the list cursor is not one that the catalog gave out', {
    next: 'List from the beginning.',
  });
}

export function cursorAt(place: number): string {
  return `p${place.toString(36)}`;
}

/** In place of an entry that is gone. */
export function removedEntry(entry: NewEntry): CatalogEntry {
  return { ...entry, wanted: 'deleted', version: 0, edits: noEdits };
}

/** By which a removed entry is remembered: nothing of the crawl itself is left. */
export function removalDigest(nonce: string): string {
  return createHash('sha256').update(nonce).digest('hex').slice(0, 20);
}

/** Of an entry, what no index needs. */
type EntryText = Pick<
  CatalogEntry,
  | 'createdAtMs'
  | 'job'
  | 'seeds'
  | 'durability'
  | 'ownCode'
  | 'edits'
  | 'previous'
  | 'unbegun'
  | 'wishes'
  | 'overAtMs'
  | 'objects'
  | 'damaged'
>;

export function entryText(entry: NewEntry & { edits?: EntryEdits }): string {
  const { createdAtMs, job, seeds, durability, ownCode, edits = noEdits, previous, unbegun } = entry;
  const { wanted, wishes, overAtMs, objects, damaged } = entry;
  const isOver = overStates.some((state) => state === wanted);
  return JSON.stringify({
    createdAtMs,
    job,
    seeds,
    durability,
    ownCode,
    previous,
    ...(unbegun ? { unbegun } : {}),
    ...(wishes ? { wishes } : {}),
    ...(isEdited(edits) ? { edits } : {}),
    ...(isOver && overAtMs !== undefined ? { overAtMs } : {}),
    ...(objects ? { objects } : {}),
    ...(damaged ? { damaged } : {}),
  });
}

function isEdited({ earlier, kept }: EntryEdits): boolean {
  return earlier + kept.length > 0;
}

/** A text that something else has damaged is the trouble of that crawl, and of no list that it is in. */
export function readEntryText(text: string): EntryText {
  try {
    const { edits = noEdits, ...rest } = JSON.parse(text) as Omit<EntryText, 'edits'> & {
      edits?: EntryEdits;
    };
    return { ...rest, edits };
  } catch {
    const nothing = { createdAtMs: 0, job: {}, seeds: [], edits: noEdits };
    return { ...nothing, durability: 'strict', ownCode: false, damaged: true };
  }
}
