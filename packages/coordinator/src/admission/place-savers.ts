import { type ApiScope, scopeCovers } from '@webfarer/protocol/api';
import { WebfarerError } from '@webfarer/protocol';
import { defaultTeam, storageFields, type Storages, storagesOf } from '@webfarer/protocol/job';

export interface PlacingOptions {
  storages: Storages;
  sender: { scope: ApiScope; team: string };
  /** The job that a change is made to. */
  before: unknown;
}

interface Placed {
  whole: unknown;
  /** The objects of the job that say where a storage is: the coordinator wrote them, not the sender. */
  placed: ReadonlySet<unknown>;
}

/**
 * Puts the place of each storage that a job names into the job, over what the sender wrote there. Workers and commands
 * then need no table of names, and a crawl stays where it was begun.
 */
export function placeSavers(job: unknown, { storages, sender, before }: PlacingOptions): Placed {
  const { save } = job as { save?: unknown };
  const placed = new Set<unknown>();
  if (!Array.isArray(save) || !save.some((target) => storageIn(target) !== undefined))
    return { whole: job, placed };
  const own = sender.team || defaultTeam;
  const known = scopeCovers(sender.scope, 'admin') ? Object.keys(storages) : storagesOf(storages, own);
  const had = new Set(
    listOf((before as { save?: unknown } | undefined)?.save).map((one) => JSON.stringify(one)),
  );
  const targets = save.map((target: unknown) => {
    const name = storageIn(target);
    const storage = name !== undefined && known.includes(name) ? storages[name] : undefined;
    if (name === undefined || (!storage && had.has(JSON.stringify(target)))) return target;
    if (!storage) throw noStorage(name, { known, team: own });
    const { at: _at, s3: _s3, ...rest } = (target as { warc: Record<string, unknown> }).warc;
    const fields = storageFields(storage);
    const warc = { ...rest, ...fields };
    placed.add(warc).add(fields.s3);
    return { warc };
  });
  return { whole: { ...(job as object), save: targets }, placed };
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function storageIn(target: unknown): string | undefined {
  const { storage } = ((target as { warc?: unknown } | null)?.warc ?? {}) as { storage?: unknown };
  return typeof storage === 'string' ? storage : undefined;
}

function noStorage(name: string, { known, team }: { known: readonly string[]; team: string }): WebfarerError {
  return new WebfarerError('not-found', `there is no storage ${JSON.stringify(name)} for the team ${team}`, {
    next:
      known.length === 0
        ? 'Ask an admin to start the coordinators with --storages (docs/object-storage.md).'
        : `Storages for this team: ${known.join(', ')}.`,
  });
}
