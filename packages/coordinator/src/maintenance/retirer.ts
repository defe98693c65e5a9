import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import { defaultTeam, resolveJob } from '@webfarer/protocol/job';
import { type Catalog, type CatalogEntry, type CatalogPage, overStates } from '../catalog/catalog.ts';
import type { Registry } from '../registry/registry.ts';
import { createDuty, type Duty } from './duty.ts';

export interface RetirerOptions {
  clock: Clock;
  /** Undefined where there is none yet. */
  catalog: () => Catalog | undefined;
  registry: Pick<Registry, 'note'>;
  /** Deletes a crawl and everything that is kept of it; false: it is gone already. */
  delete: (name: string) => Promise<boolean>;
  failed: (error: unknown) => void;
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
    const { name, id, nonce } = entry;
    // It may have been resumed, or deleted and created anew, since the list was read.
    const now = await catalog()?.get(id);
    if (now?.nonce !== nonce || now.overAtMs !== entry.overAtMs || !isOver(now)) return;
    if (!(await options.delete(name).catch(notNow))) return;
    const detail = JSON.stringify({ id, name, overSince: new Date(entry.overAtMs ?? 0).toISOString() });
    const team = teamOf(entry);
    await registry.note({
      atMs: clock.now(),
      who: retention,
      team,
      action: 'deleteCrawl',
      what: name,
      detail,
    });
  }

  async function step(): Promise<number> {
    let waitMs = LOOK_MS;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: CatalogPage | undefined = await catalog()?.list({
        after,
        limit: atOnce,
        states: overStates,
        tags: [],
      });
      for (const entry of page?.entries ?? []) {
        const keepMs = keptFor(entry);
        if (keepMs === undefined) continue;
        const marked = entry.overAtMs === undefined ? await mark(entry) : entry;
        const leftMs = (marked.overAtMs ?? clock.now()) + keepMs - clock.now();
        if (leftMs <= 0) await retire(marked);
        else waitMs = Math.min(waitMs, leftMs);
      }
      after = page?.next;
    }
    return waitMs;
  }

  /** Where another coordinator did so at the same moment, its time stands. */
  async function mark(entry: CatalogEntry): Promise<CatalogEntry> {
    const answer = await catalog()?.change(entry.id, entry.version, { overAtMs: Math.round(clock.now()) });
    return answer && answer.kind !== 'gone' ? answer.entry : entry;
  }

  return createDuty({ clock, step, afterTroubleMs: TROUBLE_MS, failed });
}

/** Objects that cannot be deleted at this moment, or from here, are tried again with the next look. */
function notNow(error: unknown): false {
  if (isStorageTrouble(error)) return false;
  throw error;
}

function isOver({ wanted }: Pick<CatalogEntry, 'wanted'>): boolean {
  return overStates.some((state) => state === wanted);
}

/** Undefined: for ever, also where the job cannot be read by this version. */
function keptFor({ job }: Pick<CatalogEntry, 'job'>): number | undefined {
  try {
    return resolveJob(job).retention?.keepMs;
  } catch {
    return undefined;
  }
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
