/** What changed in a setting of the job; absent on the side where it was not set. */
export interface SettingChange {
  /** As a person writes it: `limits.pages`. */
  field: string;
  from?: unknown;
  to?: unknown;
}

/** What a change of the scope did to URLs that the crawl knew. */
export interface ScopeSweep {
  /** `pending`: a coordinator that works on the crawl does it, now or once it is resumed. */
  state: 'pending' | 'done';
  /** Queued URLs that are out of scope now: refused(scope). */
  dropped: number;
  /** URLs that were refused(scope) and are in scope again: queued. */
  restored: number;
  /**
   * Links that were never queued, by reason, over the whole life of the crawl: those that are in scope now are found
   * again where another page links to them, or by crawl/relinking.ts.
   */
  linksNotKnown: Record<string, number>;
}

/** One edit of a crawl's job. */
export interface EntryEdit {
  /** Counts the edits of a crawl from 1. */
  seq: number;
  atMs: number;
  /** The token or the program. */
  by: string;
  changes: SettingChange[];
  /** Where the scope changed. */
  sweep?: ScopeSweep;
}

/** The edits of a crawl, kept with its entry, so that an edit and its history are one change. */
export interface EntryEdits {
  /** Edits before those that are kept. */
  earlier: number;
  kept: EntryEdit[];
}

export const noEdits: EntryEdits = { earlier: 0, kept: [] };
/** Edits that an entry keeps: a few hundred bytes each. */
export const mostEdits = 200;
/** A longer value, such as a list of patterns, is told by its length. */
const mostValueChars = 2_000;

export function withEdit(edits: EntryEdits, edit: Omit<EntryEdit, 'seq'>): EntryEdits {
  const seq = edits.earlier + edits.kept.length + 1;
  const kept = [...edits.kept, { seq, ...edit }];
  const over = Math.max(0, kept.length - mostEdits);
  return { earlier: edits.earlier + over, kept: kept.slice(over) };
}

/** The last edit whose change of the scope is not carried out yet. */
export function pendingSweep({ kept }: EntryEdits): number | undefined {
  return kept.findLast(({ sweep }) => sweep?.state === 'pending')?.seq;
}

/**
 * All pending ones up to this edit were carried out by one sweep: it is told of the last of them. Where two coordinators
 * swept at once, each moved a part of the URLs, so their counts are added.
 */
export function withSweep(edits: EntryEdits, seq: number, done: Omit<ScopeSweep, 'state'>): EntryEdits {
  const none = { dropped: 0, restored: 0, linksNotKnown: {} };
  return {
    ...edits,
    kept: edits.kept.map((edit) => {
      if (!edit.sweep || edit.seq > seq) return edit;
      const { state, dropped, restored } = edit.sweep;
      const counts = edit.seq === seq ? done : none;
      if (state === 'pending') return { ...edit, sweep: { ...counts, state: 'done' } };
      return {
        ...edit,
        sweep: { ...edit.sweep, dropped: dropped + counts.dropped, restored: restored + counts.restored },
      };
    }),
  };
}

/** The settings in which two jobs differ, as they are written; lists count as one. Values of headers may be keys. */
export function settingChanges(before: unknown, after: unknown, path = ''): SettingChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [old, now] = [before ?? {}, after ?? {}];
  if (isFields(old) && isFields(now) && path !== 'fetch.headers') {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) =>
      settingChanges(old[name], now[name], path === '' ? name : `${path}.${name}`),
    );
  }
  const [from, to] = [shown(before, path), shown(after, path)];
  return [{ field: path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}

function shown(value: unknown, path: string): unknown {
  if (value === undefined) return undefined;
  if (path === 'fetch.headers') return '***';
  const { length } = JSON.stringify(value);
  return length > mostValueChars ? `(${length} characters)` : value;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
