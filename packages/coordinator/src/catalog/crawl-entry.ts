import { createHash } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import { withoutSecrets } from '@webfarer/protocol/job';
import type { Catalog, CatalogEntry, EntryChange, EntryState } from './catalog.ts';
import { pendingSweep, type ScopeSweep, settingChanges, withEdit, withSweep } from './entry-edits.ts';

/**
 * The entry of one crawl in its catalog, as the process that works on it writes there: what was wanted last outlives the
 * process, and reaches the other coordinators of a store.
 */
export interface CrawlEntry {
  /** A catalog has it. */
  readonly isListed: boolean;
  /** Its version when the crawl was taken up; undefined: no catalog has it. */
  readonly enteredAs: number | undefined;
  /** What was wanted of it in that version. */
  readonly wanted: EntryState | undefined;
  /**
   * An operator wants this of the crawl. One that is over or stopped can only be resumed. Answers the version of the entry,
   * which numbers the wishes; undefined where there is none.
   */
  want(state: 'running' | 'paused' | 'stopped'): Promise<number | undefined>;
  /** As it is now; undefined where the crawl was deleted, or no catalog has it. */
  latest(): Promise<CatalogEntry | undefined>;
  /** Which run of the crawl this is; undefined where no catalog has it. */
  run(): Promise<string | undefined>;
  /**
   * The crawl is over: nothing is wanted of it until it is resumed. False: an operator has resumed or edited it since the run
   * that ended, so it is not.
   */
  over(state: 'finished' | 'limited', run: string | undefined): Promise<boolean>;
  /**
   * Keeps a change of the job, and who made it, where those who take up the crawl find it. Rejects with `conflict` where
   * the entry has another version than the edit is for. Answers the version of the entry.
   */
  keepJob(edit: JobEdit): Promise<number | undefined>;
  /** Whether an entry has another job than the one that is in force here. */
  isNewJob(entry: Pick<CatalogEntry, 'job'>): boolean;
  /** The job of the entry is in force here. */
  sawJob(entry: Pick<CatalogEntry, 'job'>): void;
  /** The last edit whose change of the scope is not carried out yet; undefined as well while its job is not in force here. */
  pendingSweep(): Promise<number | undefined>;
  swept(edit: number, done: Omit<ScopeSweep, 'state'>): Promise<void>;
}

/** A change of the job of a crawl. */
export interface JobEdit {
  /** The whole job as it shall be. */
  input: unknown;
  atMs: number;
  by: string;
  /** The scope changes: what is queued has to be looked through. */
  isRescoped: boolean;
  /** Only if the entry still has this version. */
  version?: number | undefined;
}

/** The entry that has this nonce; once that is deleted, everything written here is dropped. `begun`: with which job. */
export function crawlEntry(
  catalog: Catalog,
  { id, nonce, version, wanted }: Pick<CatalogEntry, 'id' | 'nonce' | 'version' | 'wanted'>,
  begun: Pick<CatalogEntry, 'job'>,
): CrawlEntry {
  let inForce = digestOf(begun.job);

  async function change(what: (entry: CatalogEntry) => EntryChange | undefined): Promise<number | undefined> {
    return (await changeEntry(catalog, { id, nonce }, what))?.version;
  }

  async function latest(): Promise<CatalogEntry | undefined> {
    const entry = await catalog.get(id);
    return entry?.nonce === nonce ? entry : undefined;
  }

  return {
    isListed: true,
    enteredAs: version,
    wanted,
    want: (state) => change((entry) => wanting(entry, state)),
    latest,
    async run() {
      const entry = await latest();
      return entry && runIn(entry);
    },
    async over(state, run) {
      let isOver = true;
      await change((entry) => {
        isOver = !isOpen(entry.wanted) || runIn(entry) === run;
        return isOver && isOpen(entry.wanted) ? { wanted: state } : undefined;
      });
      return isOver;
    },
    keepJob: (edit) => change((entry) => edited(entry, edit)),
    isNewJob: (entry) => digestOf(entry.job) !== inForce,
    sawJob(entry) {
      inForce = digestOf(entry.job);
    },
    async pendingSweep() {
      const entry = await latest();
      return entry && digestOf(entry.job) === inForce ? pendingSweep(entry.edits) : undefined;
    },
    async swept(edit, done) {
      await change(({ edits }) => ({ edits: withSweep(edits, edit, done) }));
    },
  };
}

/** What an edit changes in the entry; undefined: nothing, it has this job already. */
export function edited(entry: CatalogEntry, edit: JobEdit): EntryChange | undefined {
  const { atMs, by, isRescoped, version = entry.version } = edit;
  if (version !== entry.version) throw changedMeanwhile(entry);
  const job = jobInCatalog(edit.input);
  const changes = settingChanges(entry.job, job);
  if (changes.length === 0) return undefined;
  const sweep: ScopeSweep = { state: 'pending', dropped: 0, restored: 0, linksNotKnown: {} };
  const edits = withEdit(entry.edits, { atMs, by, changes, ...(isRescoped ? { sweep } : {}) });
  return { job, edits };
}

export function changedMeanwhile({ name, version }: CatalogEntry): WebfarerError {
  return new WebfarerError('conflict', `the crawl ${name} has changed and is now at version ${version}`, {
    next: 'Read it again and repeat the change.',
  });
}

/** For a crawl in a folder that its user chose: no catalog lists it. */
export const noEntry: CrawlEntry = {
  isListed: false,
  enteredAs: undefined,
  wanted: undefined,
  want: () => Promise.resolve(undefined),
  latest: () => Promise.resolve(undefined),
  run: () => Promise.resolve(undefined),
  over: () => Promise.resolve(true),
  keepJob: () => Promise.resolve(undefined),
  isNewJob: () => false,
  sawJob: () => undefined,
  pendingSweep: () => Promise.resolve(undefined),
  swept: () => Promise.resolve(),
};

/**
 * Changes the crawl with this nonce by what is known of it when the change is made. Answers the entry as it is then;
 * undefined where the crawl was deleted.
 */
export async function changeEntry(
  catalog: Pick<Catalog, 'get' | 'change'>,
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

/**
 * What changes in the entry when an operator wants this; undefined: nothing. A crawl that is over can only be resumed. One that
 * runs may be about to end: that it is to run is a wish of its own.
 */
export function wanting(
  { wanted, wishes = 0 }: Pick<CatalogEntry, 'wanted' | 'wishes'>,
  state: 'running' | 'paused' | 'stopped',
): EntryChange | undefined {
  const isNews = state === 'running' || (wanted !== state && isOpen(wanted));
  return isNews ? { wanted: state, wishes: wishes + 1 } : undefined;
}

/** The same for one that was stopped or is over and is to be open again, but paused. One that is open stays as it is. */
export function reopening({
  wanted,
  wishes = 0,
}: Pick<CatalogEntry, 'wanted' | 'wishes'>): EntryChange | undefined {
  return isOpen(wanted) ? undefined : { wanted: 'paused', wishes: wishes + 1 };
}

/**
 * Which run of a crawl this is: another one after it was resumed or edited, and the same at every coordinator. It names what is
 * told about its end.
 */
function runIn({ nonce, wishes = 0, edits }: CatalogEntry): string {
  return `${nonce} ${wishes} ${edits.earlier + edits.kept.length}`;
}

export function damagedEntry(name: string): WebfarerError {
  return new WebfarerError(
    'conflict',
    `The entry of the crawl ${name} in the catalog is damaged and has no job.`,
    {
      next: 'Restore the catalog from a backup while no coordinator runs, or delete the crawl.',
    },
  );
}

export function isOpen(state: EntryState): state is 'running' | 'paused' {
  return state === 'running' || state === 'paused';
}

/** Where a crawl is kept is not a part of what is crawled, and passwords are kept nowhere. */
export function jobInCatalog(input: unknown): unknown {
  const { store: _store, ...rest } = withoutSecrets(input) as Record<string, unknown>;
  return rest;
}

/** Stands for a job that is compared and not read: its text may have thousands of seeds, for as long as the crawl is open. */
function digestOf(job: unknown): string {
  return createHash('sha256').update(JSON.stringify(job)).digest('base64url');
}
