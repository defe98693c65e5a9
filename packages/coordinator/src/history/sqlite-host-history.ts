import type { HostHistory, HostRoster, HostSample, HostSampleHow } from './host-history.ts';
import { activityIn, hostSampleText, noHosts, rosterIn, rosterText, thinnedText } from './host-samples.ts';
import { slotOf, stepAt } from './samples.ts';
import type { SqliteHistoryOptions } from './sqlite-history.ts';

/** The hosts of a crawl over time in its own database: a few rows of its small table for everything else. */
export function sqliteHostHistory({ db, rowOf, nowMs, change, ask }: SqliteHistoryOptions): HostHistory {
  const select = db.prepare('SELECT value FROM meta WHERE key = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
  const remove = db.prepare('DELETE FROM meta WHERE key = ?');
  const all = db.prepare('SELECT key, value FROM meta WHERE key >= ? AND key < ?');
  const read = (key: string) => (select.get(key) as { value: string } | undefined)?.value;
  const slotKey = (row: number, slot: number | string) => `hosts ${row} at ${slot}`;
  const rosterKey = (row: number) => `hosts ${row} list`;
  const thinnedKey = (row: number) => `hosts ${row} over`;
  const samples = (row: number) =>
    all.all(slotKey(row, ''), slotKey(row, '~')) as { key: string; value: string }[];

  /** The version stands before the hosts. */
  function roster(row: number): { version: string; text: string } {
    const kept = read(rosterKey(row)) ?? '0 ';
    const end = kept.indexOf(' ');
    return { version: kept.slice(0, end), text: kept.slice(end + 1) };
  }

  function write(row: number, version: string, text: string): void {
    upsert.run(rosterKey(row), `${Number(version) + 1} ${text}`);
  }

  function look(row: number): HostRoster {
    const { version, text } = roster(row);
    const slot = slotOf(nowMs());
    const isSampled = read(slotKey(row, slot)) !== undefined;
    return { version, slot, isSampled, hosts: rosterIn(text) };
  }

  function note(row: number, { seen, hosts, places }: HostSample, { last, over }: HostSampleHow): void {
    const slot = slotOf(nowMs());
    if (roster(row).version !== seen.version || slot !== seen.slot) return;
    const slots = samples(row).map(({ key }) => Number(key.slice(key.lastIndexOf(' ') + 1)));
    // The slot has one, or the clock was set back.
    if (slots.some((other) => other > slot || (other === slot && !last && !over))) return;
    write(row, seen.version, rosterText(hosts));
    upsert.run(slotKey(row, slot), hostSampleText(nowMs(), places));
    const oldest = Math.min(slot, ...slots);
    if (over) upsert.run(thinnedKey(row), thinnedText(slot, stepAt(slot - oldest)));
    for (const other of slots)
      if (other !== slot && other % stepAt(slot - (over ? oldest : other)) !== 0)
        remove.run(slotKey(row, other));
  }

  return {
    look: (crawl) =>
      ask(() => {
        const row = rowOf(crawl);
        return row === undefined ? undefined : look(row);
      }),
    async note(crawl, sample, how = {}) {
      await change(() => {
        const row = rowOf(crawl);
        if (row !== undefined) note(row, sample, how);
      });
    },
    async forget(crawl, isForgotten) {
      await change(() => {
        const row = rowOf(crawl);
        if (row === undefined) return;
        const { version, hosts } = look(row);
        const others = hosts.map((each) =>
          each.host !== '' && isForgotten(each.host) ? { ...each, host: '' as const } : each,
        );
        if (hosts.length > 0) write(row, version, rosterText(others));
      });
    },
    activity: (crawl) =>
      ask(() => {
        const row = rowOf(crawl);
        if (row === undefined) return activityIn(noHosts);
        return activityIn({
          roster: roster(row).text,
          samples: samples(row).map(({ value }) => value),
          thinned: read(thinnedKey(row)) ?? '',
        });
      }),
  };
}
