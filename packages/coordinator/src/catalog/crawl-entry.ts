import { withoutSecrets } from '@webfarer/protocol/job';
import type { Catalog, CatalogEntry, EntryChange, EntryState } from './catalog.ts';

/**
 * The entry of one crawl in its catalog, as the process that works on it writes there: what was wanted last outlives the
 * process, and reaches the other coordinators of a store.
 */
export interface CrawlEntry {
  /** An operator wants this of the crawl. One that is over or stopped can only be resumed. */
  want(state: 'running' | 'paused' | 'stopped'): Promise<void>;
  /** The crawl is over: nothing is wanted of it until it is resumed. */
  over(state: 'finished' | 'limited'): Promise<void>;
  /** Keeps a change of the job where those who take up the crawl find it. */
  keepJob(input: unknown): Promise<void>;
  /** Whether an entry has another job than the one that was last kept or seen here. */
  isNewJob(entry: Pick<CatalogEntry, 'job'>): boolean;
  /** The job of the entry is in force here. */
  sawJob(entry: Pick<CatalogEntry, 'job'>): void;
}

/** The entry that has this nonce; once that is deleted, everything written here is dropped. */
export function crawlEntry(catalog: Catalog, { id, nonce, job }: CatalogEntry): CrawlEntry {
  let inForce = JSON.stringify(job);

  async function change(what: (entry: CatalogEntry) => EntryChange | undefined): Promise<void> {
    await changeEntry(catalog, { id, nonce }, what);
  }

  return {
    want: (state) => change((entry) => wanting(entry, state)),
    over: (state) => change(({ wanted }) => (isOpen(wanted) ? { wanted: state } : undefined)),
    async keepJob(input) {
      const kept = jobInCatalog(input);
      inForce = JSON.stringify(kept);
      await change((entry) => (JSON.stringify(entry.job) === inForce ? undefined : { job: kept }));
    },
    isNewJob: (entry) => JSON.stringify(entry.job) !== inForce,
    sawJob(entry) {
      inForce = JSON.stringify(entry.job);
    },
  };
}

/** For a crawl in a folder that its user chose: no catalog lists it. */
export const noEntry: CrawlEntry = {
  want: () => Promise.resolve(),
  over: () => Promise.resolve(),
  keepJob: () => Promise.resolve(),
  isNewJob: () => false,
  sawJob: () => undefined,
};

/**
 * Changes the crawl with this nonce by what is known of it when the change is made. Answers the entry as it is then;
 * undefined where the crawl was deleted.
 */
export async function changeEntry(
  catalog: Catalog,
  { id, nonce }: Pick<CatalogEntry, 'id' | 'nonce'>,
  what: (entry: CatalogEntry) => EntryChange | undefined,
): Promise<CatalogEntry | undefined> {
  for (;;) {
    const entry = await catalog.get(id);
    if (entry?.nonce !== nonce) return undefined;
    const change = what(entry);
    if (!change) return entry;
    const answer = await catalog.change(id, entry.version, change);
    if (answer.kind === 'changed') return answer.entry;
  }
}

/** What changes in the entry when an operator wants this; undefined: nothing. A crawl that is over can only be resumed. */
export function wanting(
  { wanted }: Pick<CatalogEntry, 'wanted'>,
  state: 'running' | 'paused' | 'stopped',
): EntryChange | undefined {
  return wanted !== state && (state === 'running' || isOpen(wanted)) ? { wanted: state } : undefined;
}

export function isOpen(state: EntryState): state is 'running' | 'paused' {
  return state === 'running' || state === 'paused';
}

/** Where a crawl is kept is not a part of what is crawled, and passwords are kept nowhere. */
export function jobInCatalog(input: unknown): unknown {
  const { store: _store, ...rest } = withoutSecrets(input) as Record<string, unknown>;
  return rest;
}
