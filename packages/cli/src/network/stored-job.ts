import type { StoreCrawls, StoreKeeper } from '@webfarer/coordinator/redis';
import { type Clock, type JobInput, WebfarerError } from '@webfarer/protocol';
import { type Durability, resolveJob } from '@webfarer/protocol/job';
import { storedOwnCode } from '@webfarer/coordinator';

export interface StoredJobOptions {
  /** Address of the store. */
  url: string;
  insecure: boolean;
  /** Of the crawl; not needed where there is only one. */
  name: string | undefined;
  clock: Clock;
}

export interface StoredJob {
  name: string;
  input: JobInput;
  durability: Durability;
}

/** The job of a crawl that is in a store, for a machine that has no job file. */
export async function readStoredJob({ url, insecure, name, clock }: StoredJobOptions): Promise<StoredJob> {
  const { openKeeper } = await import('@webfarer/coordinator/redis');
  const keeper = await openKeeper({ url, insecure, clock });
  try {
    const chosen = choose(await keeper.list(), name);
    return { name: chosen, ...(await read(keeper, chosen)) };
  } finally {
    await keeper.close();
  }
}

/** The one that is named; else the only one, or the only one that is not over. */
function choose({ crawls }: StoreCrawls, name: string | undefined): string {
  const goingOn = crawls.filter(({ state }) => state === 'running' || state === 'paused');
  const [one, another] = goingOn.length > 0 ? goingOn : crawls;
  if (name === undefined && one && !another) return one.name;
  if (name !== undefined && crawls.some((crawl) => crawl.name === name)) return name;
  const names = crawls.map((crawl) => crawl.name).join(', ');
  if (name === undefined && one)
    throw new WebfarerError('usage', `the store has several crawls: ${names}`, {
      next: 'Choose one:  --name NAME',
    });
  throw new WebfarerError(
    'not-found',
    `the store has no crawl${name === undefined ? '' : ` named ${name}`}${names && `; it has ${names}`}`,
    {
      next: 'Name a job file or a seed:  webfarer coordinator example.org --data ./data --store URL',
    },
  );
}

async function read(keeper: StoreKeeper, name: string): Promise<Omit<StoredJob, 'name'>> {
  const entry = await keeper.catalog.find(name);
  if (entry === undefined)
    throw new WebfarerError('not-found', `the store's catalog has no job for the crawl ${name}`, {
      next: 'Name its job file:  webfarer coordinator job.yml --data ./data --store URL',
    });
  const { job, durability, ownCode } = entry;
  if (ownCode) throw storedOwnCode(name);
  // Checked here, where it can still be told whose it is.
  resolveJob(job);
  return { input: job as JobInput, durability };
}
