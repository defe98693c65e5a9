import type { DatedClock } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { StoreChoice } from '@webfarer/protocol/job';
import type { CrawlHost } from './crawl/crawl-host.ts';
import { drainInto } from './folder/segment-folders.ts';
import { type GivenStore, withPassword } from './folder/store-password.ts';
import type { SqliteFrontierOptions } from './frontier/sqlite/sqlite-frontier.ts';
import type { HostLedger } from './ledger/host-ledger.ts';
import type { DrainOptions } from './frontier/redis/draining/drainer.ts';
import type { JoinedStore } from './store/join-store.ts';

export interface CoordinatorOptions {
  /** Where its crawls are, each in a folder below `crawls`, unless a crawl has a folder of its own. */
  folder: string;
  /** Of the software. */
  version: string;
  /** Who it is among those that share its crawls. */
  id?: string;
  clock?: DatedClock;
  /** The store that all its crawls are kept in; without one each is kept in its folder. */
  store?: StoreChoice;
  /** Where the host clocks are that its crawls share with others of this machine. */
  ledger?: HostLedger;
  /** Passwords of stores that were given to this process. */
  given?: GivenStore;
  /** What is done for the crawls that it takes up, and for those that are created without a host of their own. */
  host?: CrawlHost;
  /** Where modules and files of crawls are looked for that were created elsewhere; its folder when absent. */
  baseFolder?: string;
  /** Where its work is counted; absent: it is not counted. */
  metrics?: Metrics | undefined;
  /** For proofs: failpoints and negative controls. */
  sqlite?: Pick<SqliteFrontierOptions, 'failpoint' | 'unsafeOutcomesFirst'>;
  drain?: Pick<DrainOptions, 'failpoint' | 'unsafeKeepFirst' | 'claimMs'>;
}

/** Joins the store of a coordinator, with the password that was given or is kept in its folder. */
export async function joinTheStore(
  choice: StoreChoice,
  {
    folder,
    id,
    clock,
    options,
  }: { folder: string; id: string; clock: DatedClock; options: CoordinatorOptions },
): Promise<JoinedStore> {
  const { joinStore } = await import('./store/join-store.ts');
  return await joinStore(await withPassword(choice, folder, options.given), clock, {
    drain: { ...drainInto(folder, id), ...options.drain },
  });
}
