import type { LeaseId, Url, WorkerId } from '@webfarer/protocol';
import type { EntryRow } from './entries.ts';
import type { Database } from '../../../sqlite/node-sqlite.ts';

/** A host that somebody may be talking to: a live lease, or one that ran out and may still have a request open. */
export interface Hold {
  hostId: number;
  crawlId: number;
  fence: number;
  worker: WorkerId;
  granted: number;
  /** The lease ends here unless renewed. */
  deadline: number;
  /** Deadline, longest fetch and gap: nobody else is given the host before. */
  heldUntil: number;
  /** The lease is over and its entries are queued again; only the hold is left. */
  over: boolean;
  /** Its entry in hand, charged with a death before, is being fetched. */
  begun: boolean;
  /** Ids of its unsettled entries, in the order of the grant. */
  entries: number[];
  /** Those of them that an offer asked more for since they were leased. In the file their ids are negative. */
  again: Set<number>;
  /** The same by URL; filled when first asked for. */
  open?: Map<Url, EntryRow>;
}

export interface HoldRows {
  get(hostId: number): Hold | undefined;
  /** A copy, so that holds may go while it is read. */
  all(): Hold[];
  put(hold: Hold): void;
  remove(hold: Hold): void;
  flush(): boolean;
  reload(): void;
}

/** The fence is unique in the store, so it names the lease too. */
/** Fences are counted per store, so its mark is in it: a worker may have leases of several. */
export function leaseId(storeMark: string, fence: number): LeaseId {
  return `${fence.toString(36)}.${storeMark}` as LeaseId;
}

/** The column `over`. */
const states = { live: 0, over: 1, begun: 2 } as const;

/** Held hosts are at most as many as there are free hands: all stay in memory. */
export function holdRows(db: Database): HoldRows {
  const select = db.prepare('SELECT * FROM holds');
  const upsert = db.prepare('INSERT OR REPLACE INTO holds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM holds WHERE host = ?');
  const holds = new Map<number, Hold>();
  let touched = new Set<number>();

  function write(hostId: number): void {
    const hold = holds.get(hostId);
    if (!hold) return void remove.run(hostId);
    const { crawlId, fence, worker, granted, deadline, heldUntil, over, begun, entries, again } = hold;
    const ids = JSON.stringify(entries.map((id) => (again.has(id) ? -id : id)));
    const state = over ? states.over : begun ? states.begun : states.live;
    upsert.run(hostId, crawlId, fence, worker, granted, deadline, heldUntil, state, ids);
  }

  return {
    get: (hostId) => holds.get(hostId),
    all: () => [...holds.values()],
    put(hold) {
      holds.set(hold.hostId, hold);
      touched.add(hold.hostId);
    },
    remove(hold) {
      holds.delete(hold.hostId);
      touched.add(hold.hostId);
    },
    flush() {
      const now = touched;
      touched = new Set();
      for (const hostId of now) write(hostId);
      return now.size > 0;
    },
    reload() {
      holds.clear();
      touched.clear();
      for (const row of select.all() as Record<string, number | string>[]) {
        const ids = JSON.parse(row['entries'] as string) as number[];
        holds.set(row['host'] as number, {
          hostId: row['host'] as number,
          crawlId: row['crawl'] as number,
          fence: row['fence'] as number,
          worker: row['worker'] as WorkerId,
          granted: row['granted'] as number,
          deadline: row['deadline'] as number,
          heldUntil: row['held_until'] as number,
          over: row['over'] === states.over,
          begun: row['over'] === states.begun,
          entries: ids.map(Math.abs),
          again: new Set(ids.filter((id) => id < 0).map(Math.abs)),
        });
      }
    },
  };
}
