import { WebfarerError } from '@webfarer/protocol';

/** What operators write: each kind is a table of its own. */
export const registryKinds = [
  'consumer',
  'coordinator-rule',
  'host-rule',
  'opt-out',
  'policy',
  'policy-version',
  'schedule',
  'session',
  'team',
  'team-usage',
  'token',
  'webhook',
  'webhook-delivery',
  'worker-rule',
] as const;
export type RegistryKind = (typeof registryKinds)[number];

export interface RegistryDoc<T = unknown> {
  kind: RegistryKind;
  id: string;
  /** Changes with every change of the document and never repeats, not even after the id was used again. */
  version: number;
  changedAtMs: number;
  value: T;
}

export type PutAnswer =
  /** As it is now; a removed one as it was. */
  | { kind: 'changed'; doc: RegistryDoc }
  /** It has another version than the one that was given; undefined: there is no such document. */
  | { kind: 'stale'; doc: RegistryDoc | undefined };

export interface RegistryPage {
  /** `next` of the page before; '' for the first page. */
  after: string;
  limit: number;
}

export interface RegistryChanges {
  /** To be given the next time. */
  generation: string;
  /** False: the registry no longer knows what has changed since then, so list the documents again. */
  complete: boolean;
  /** Documents that were written or removed, each once. */
  changed: { kind: RegistryKind; id: string }[];
  /** The time at the registry, ms since 1970: in a store one clock for all coordinators, whatever theirs say. */
  nowMs: number;
}

/** What an operator or a program changed. Holds no secret. */
export interface AuditEntry {
  atMs: number;
  /** The token or the program. */
  who: string;
  team: string;
  action: string;
  /** The document, the crawl or the host that was changed. */
  what: string;
  /** JSON. */
  detail: string;
}

export interface NotesPage extends RegistryPage {
  order: 'oldest' | 'newest';
  /** Entries that are looked at, whether they fit or not. */
  look: number;
  fits: (entry: AuditEntry) => boolean;
}

export interface AuditPage {
  /** Those that fit, in the order in which they were noted or the other way round. */
  entries: AuditEntry[];
  next: string | undefined;
  looked: number;
  /**
   * Entries that the registry no longer keeps, so that this page does not have them: from the oldest, those behind
   * `after`; from the newest, all of them on the last page.
   */
  dropped: number;
}

/**
 * Small documents that operators write: policies, schedules, tokens, teams. Every method is one whole transition, atomic
 * and durable when it resolves; `registry.suite.ts` is what all implementations pass. Sized for 10,000 documents of a kind.
 */
export interface Registry {
  get(kind: RegistryKind, id: string): Promise<RegistryDoc | undefined>;
  /**
   * In the order of their ids, by the bytes of UTF-8. A page with large documents has fewer than the limit, at least one
   * where there are any.
   */
  list(kind: RegistryKind, page: RegistryPage): Promise<{ docs: RegistryDoc[]; next: string | undefined }>;
  /** Writes it if it still has this version; 0: only if there is none. */
  put(kind: RegistryKind, id: string, version: number, value: unknown): Promise<PutAnswer>;
  /** Removes it if it still has this version. */
  remove(kind: RegistryKind, id: string, version: number): Promise<PutAnswer>;
  /** What changed since an earlier answer; '' at first, which answers the generation alone. */
  changes(since: string): Promise<RegistryChanges>;
  /** Appends to the audit log, which nothing changes afterwards. The registry keeps the latest 50,000 entries. */
  note(entry: AuditEntry): Promise<void>;
  notes(page: NotesPage): Promise<AuditPage>;
  close(): Promise<void>;
}

/** How many changes the registry remembers, and how many entries of the audit log it keeps (about 15 MB). */
export interface KeptHistory {
  changes: number;
  notes: number;
}
export const keptHistory: KeptHistory = { changes: 1_000, notes: 50_000 };
/** Documents of one kind. */
export const mostDocs = 100_000;
/** Bytes of a value as JSON, and of the values on one page. */
export const mostValueBytes = 262_144;
export const mostPageBytes = 1_048_576;
const mostIdChars = 200;
const mostNoteBytes = 16_384;
const mostLimit = 1_000;

const printable = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+$/u;

/** Ids are keys of indexes, and are shown. */
export function checkId(id: string): void {
  if (id.length <= mostIdChars && printable.test(id)) return;
  throw new WebfarerError('usage', `invalid id: ${JSON.stringify(id.slice(0, mostIdChars))}`, {
    next: `An id has 1 to ${mostIdChars} printable characters.`,
  });
}

/**
 * A value as it was kept. A schedule that something else has damaged has no fields: it is told of as one that this version
 * cannot read, and the others run. What else cannot be read is refused, because it may be what forbids something.
 */
export function readValue(kind: RegistryKind, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (kind === 'schedule') return {};
    throw error;
  }
}

/** A value as it is kept. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new WebfarerError('usage', 'the value of a document must be JSON');
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostValueBytes) return text;
  throw new WebfarerError('usage', `the document has ${bytes} bytes; the limit is ${mostValueBytes}`, {
    next: 'Split it into smaller documents.',
  });
}

export function noteText({ atMs, who, team, action, what, detail }: AuditEntry): string {
  const text = JSON.stringify({ atMs: Math.round(atMs), who, team, action, what, detail });
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostNoteBytes) return text;
  throw new WebfarerError('usage', `the audit entry has ${bytes} bytes; the limit is ${mostNoteBytes}`);
}

/** What a page has of the rows that were read for it: one more than it may look at, so that it knows whether there are more. */
export function auditPage(
  rows: readonly { cursor: string; text: string }[],
  { limit, look, fits }: NotesPage,
): Omit<AuditPage, 'dropped'> {
  const entries: AuditEntry[] = [];
  let looked = 0;
  for (const { text } of rows.slice(0, look)) {
    if (entries.length === limit) break;
    looked++;
    const entry = JSON.parse(text) as AuditEntry;
    if (fits(entry)) entries.push(entry);
  }
  return { entries, looked, next: looked < rows.length ? rows[looked - 1]?.cursor : undefined };
}

export function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostLimit) return limit;
  throw new WebfarerError('usage', `invalid limit: ${limit}`, {
    next: `A page has 1 to ${mostLimit} entries.`,
  });
}

export function tooMany(kind: RegistryKind): WebfarerError {
  return new WebfarerError('usage', `there are ${mostDocs} documents of the kind ${kind} already`, {
    next: 'Remove those that are no longer needed.',
  });
}

/** An entry of the audit log: its place grows with every entry, its ordinal counts them. */
export interface NotePlace {
  place: number;
  ordinal: number;
}

export function notePlaceIn(cursor: string): NotePlace {
  if (cursor === '') return { place: 0, ordinal: 0 };
  const [, place, ordinal] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (place !== undefined) return { place: Number(place), ordinal: Number(ordinal) };
  throw new WebfarerError('usage', 'the audit cursor is not one that the registry gave out', {
    next: 'Read the log from the beginning.',
  });
}

/** `dropped` of a page, of all that were forgotten. */
export function droppedOn(
  { order, after }: NotesPage,
  { next, forgotten }: { next: string | undefined; forgotten: number },
): number {
  if (order === 'newest') return next === undefined ? forgotten : 0;
  return Math.max(0, forgotten - notePlaceIn(after).ordinal);
}

export function noteCursor({ place, ordinal }: NotePlace): string {
  return `${place}-${ordinal}`;
}
