import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import { defaultTeam, readableJob } from '@webfarer/protocol/job';
import { type Catalog, type CatalogEntry, type CatalogPage, overStates } from '../catalog/catalog.ts';
import { deletedEntries } from '../catalog/deletion.ts';
import type { Registry } from '../registry/registry.ts';
import { createDuty, type Duty } from './duty.ts';

export interface RetirerOptions {
  clock: DatedClock;
  /** Undefined where there is none yet. */
  catalog: () => Catalog | undefined;
  /** By its clock, which is one for all coordinators: what is deleted too early does not come back. */
  registry: Pick<Registry, 'note' | 'changes'>;
  own: () => Deletions;
  /** A crawl could not be deleted, or not all of it. It is tried again with the next look. */
  stuck: (crawl: Pick<CatalogEntry, 'id' | 'name' | 'nonce'>, error: unknown) => void;
  failed: (error: unknown) => void;
}

interface Deletions {
  /** Deletes a crawl as this entry has it, and everything that is kept of it. False: it has changed since. */
  retire(entry: CatalogEntry): Promise<boolean>;
  /** Ends a deletion that was cut off before the objects were gone. */
  endDeletion(entry: CatalogEntry): Promise<void>;
}

/** All crawls that are over are looked at so often, and earlier where one is due. */
const LOOK_MS = 3_600_000;
const TROUBLE_MS = 60_000;
const atOnce = 200;
/** As the audit log names who did it. */
const retention = 'retention';

/** Deletes crawls whose jobs say for how long they are kept after their end. Never one that runs, is paused or was resumed. */
export function createRetirer({ clock, catalog, registry, failed, ...options }: RetirerOptions): Duty {
  async function retire(entry: CatalogEntry): Promise<void> {
    const { name, id } = entry;
    if (!isOver(entry)) return;
    if (!(await isRetired(entry))) return;
    const detail = JSON.stringify({ id, name, overSince: new Date(entry.overAtMs ?? 0).toISOString() });
    const team = teamOf(entry);
    await registry.note({
      atMs: Math.round(clock.wall()),
      who: retention,
      team,
      action: 'deleteCrawl',
      what: name,
      detail,
    });
  }

  /** An error is that of one crawl: the others are looked at all the same. */
  async function isRetired(entry: CatalogEntry): Promise<boolean> {
    try {
      return await options.own().retire(entry);
    } catch (error) {
      options.stuck(entry, error);
      // All but what it has elsewhere.
      return error instanceof WebfarerError && error.code === 'incomplete';
    }
  }

  async function step(): Promise<number> {
    let waitMs = LOOK_MS;
    const there = catalog();
    if (!there) return waitMs;
    const { nowMs } = await registry.changes('');
    const cutOff = (await deletedEntries(there)).filter(({ objects }) => objects);
    for (const entry of cutOff)
      await options
        .own()
        .endDeletion(entry)
        .catch((error: unknown) => options.stuck(entry, error));
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: CatalogPage = await there.list({ after, limit: atOnce, states: overStates, tags: [] });
      for (const entry of page.entries) {
        const keepMs = keptFor(entry);
        if (keepMs === undefined) continue;
        const marked = entry.overAtMs === undefined ? await mark(entry, nowMs) : entry;
        const leftMs = (marked.overAtMs ?? nowMs) + keepMs - nowMs;
        if (leftMs <= 0) await retire(marked);
        else waitMs = Math.min(waitMs, leftMs);
      }
      after = page.next;
    }
    return waitMs;
  }

  /** Where another coordinator did so at the same moment, its time stands. */
  async function mark(entry: CatalogEntry, nowMs: number): Promise<CatalogEntry> {
    const answer = await catalog()?.change(entry.id, entry.version, { overAtMs: Math.round(nowMs) });
    return answer && answer.kind !== 'gone' ? answer.entry : entry;
  }

  return createDuty({ clock, step, afterTroubleMs: TROUBLE_MS, failed });
}

function isOver({ wanted }: Pick<CatalogEntry, 'wanted'>): boolean {
  return overStates.some((state) => state === wanted);
}

/** Undefined: for ever, also where this version cannot read how long. */
function keptFor({ job }: Pick<CatalogEntry, 'job'>): number | undefined {
  return readableJob(job).retention?.keepMs;
}

function teamOf({ job }: Pick<CatalogEntry, 'job'>): string {
  const { team } = (job ?? {}) as { team?: unknown };
  return typeof team === 'string' ? team : defaultTeam;
}

/** When a crawl will be deleted; undefined: not by itself, or that is not known yet. */
export function deletedAtMs(entry: CatalogEntry): number | undefined {
  const keepMs = entry.overAtMs !== undefined && isOver(entry) ? keptFor(entry) : undefined;
  return keepMs === undefined ? undefined : (entry.overAtMs ?? 0) + keepMs;
}
