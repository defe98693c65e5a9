import type { AdminSearch } from './admin-search.ts';

/** A change as the API tells it. */
export interface Change {
  atMs: number;
  who: string;
  team: string;
  action: string;
  what: string;
  detail: string;
}

interface ChangePage {
  items: Change[];
  next?: string | undefined;
  dropped: number;
}

export interface ReadChanges {
  /** The newest first. */
  changes: Change[];
  /** Older ones that the coordinator no longer keeps. */
  dropped: number;
}

/** A page that says it is the last one before this is reached; the coordinator keeps 50,000 entries. */
const MOST_PAGES = 200;

/** The whole log. It is kept with the oldest first, and read so. */
export async function readChanges(
  read: (after: string) => Promise<ChangePage>,
  told: (count: number) => void,
): Promise<ReadChanges> {
  const changes: Change[] = [];
  let dropped = 0;
  let after: string | undefined = '';
  for (let pages = 0; after !== undefined && pages < MOST_PAGES; pages++) {
    const page: ChangePage = await read(after);
    for (const change of page.items) changes.push(change);
    dropped += page.dropped;
    after = page.next;
    told(changes.length);
  }
  return { changes: changes.reverse(), dropped };
}

/** Those that fit what the address asks for. Days are those of the reader, and `to` is included. */
export function chosenChanges(changes: readonly Change[], search: AdminSearch): Change[] {
  const { who, action, what, from, to } = search;
  const fits = (text: string, part: string | undefined) =>
    part === undefined || text.toLowerCase().includes(part.toLowerCase());
  const fromMs = from === undefined ? Number.NEGATIVE_INFINITY : startOfDay(from, 0);
  const toMs = to === undefined ? Number.POSITIVE_INFINITY : startOfDay(to, 1);
  return changes.filter(
    (change) =>
      change.atMs >= fromMs &&
      change.atMs < toMs &&
      (fits(change.who, who) || fits(change.team, who)) &&
      fits(change.action, action) &&
      (fits(change.what, what) || fits(change.detail, what)),
  );
}

/** What a change says about itself, without what its path or its order says already. */
export function detailWords({ what, detail }: Pick<Change, 'what' | 'detail'>): string {
  let told: unknown;
  try {
    told = JSON.parse(detail);
  } catch {
    return detail;
  }
  if (typeof told !== 'object' || told === null) return detail;
  return Object.entries(told)
    .filter(([name, value]) => name !== 'version' && !what.includes(String(value)))
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(' · ');
}

function startOfDay(day: string, later: number): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).getTime();
}
