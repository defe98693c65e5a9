import { randomBytes } from 'node:crypto';
import type { Database } from '../../../sqlite/node-sqlite.ts';

/**
 * Numbers of records, in the order in which they are settled. None is given twice, also when the last records were
 * removed, because readers come back to them: results/cursor.ts.
 */
export interface RecordIds {
  next(): number;
  last(): number;
  /** A record goes; its number does not come again. */
  keepLast(): void;
  /**
   * Which opening of the file gave a number. A file that was replaced by an older copy gives the numbers behind that
   * copy a second time, and this tells the two apart. Eight characters of base64url. The answered function knows the
   * openings of now.
   */
  givers(): (id: number) => string;
  /** Sees what another process has written since, where this one only reads. */
  refresh(): void;
  reload(): void;
}

/** The first number of an opening that recorded something, and the name of the opening. */
type Opening = [first: number, name: string];

/** Of a file that was begun before openings were listed. */
const unnamed = 'AAAAAAAA';

export function recordIds(db: Database, readOnly: boolean): RecordIds {
  const largest = db.prepare('SELECT max(id) AS id FROM records');
  const select = db.prepare('SELECT value FROM meta WHERE key = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
  const mine = randomBytes(6).toString('base64url');
  let last: number | undefined;
  let isListed = false;

  const meta = (key: string) => (select.get(key) as { value: string | number } | undefined)?.value;
  const openings = () => JSON.parse(String(meta('openings') ?? '[]')) as Opening[];

  function read(): number {
    const { id } = largest.get() as { id: number | null };
    return Math.max(id ?? 0, Number(meta('record') ?? 0));
  }

  /** In the transaction of the first record. */
  function list(first: number): void {
    const before = openings();
    if (before.at(-1)?.[1] !== mine) upsert.run('openings', JSON.stringify([...before, [first, mine]]));
    isListed = true;
  }

  return {
    next() {
      last = (last ?? read()) + 1;
      if (!isListed) list(last);
      return last;
    },
    last: () => (last ??= read()),
    keepLast: () => void upsert.run('record', (last ??= read())),
    givers() {
      const listed = openings();
      return (id) => listed.findLast(([first]) => first <= id)?.[1] ?? unnamed;
    },
    refresh() {
      if (readOnly) last = undefined;
    },
    reload() {
      last = undefined;
      isListed = false;
    },
  };
}
