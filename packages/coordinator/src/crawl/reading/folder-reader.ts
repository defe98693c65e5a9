import { join, resolve } from 'node:path';
import {
  type Balance,
  type CrawlId,
  type CrawlState,
  type HostWait,
  type Job,
  type PageRecord,
  type Stall,
  systemClock,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { archivePlace, type ObjectPlace, readableJob, resolveJob, robotsToken } from '@webfarer/protocol/job';
import { type RobotsVerdict, robotsVerdict } from '@webfarer/protocol/robots';
import { createScope, originOf } from '@webfarer/protocol/url';
import type { CrawlTotals, UrlPage, UrlSearch } from '../../frontier/frontier.ts';
import type { Results } from '../../results/results.ts';
import type { GivenStore } from '../../folder/store-password.ts';
import type { KeptResults } from '../../frontier/redis/draining/kept-results.ts';
import { type Change, changesIn } from './changes.ts';
import { type ItemChange, itemChangesIn } from './item-changes.ts';
import { type Explanation, explainUrl } from './explain.ts';
import { lockFolder } from '../../folder/folder-lock.ts';
import { type Manifest, memberOf, readManifest } from '../../folder/manifest.ts';
import { hasFrontier, readFrontier } from '../../folder/open-frontier.ts';
import { previousPath } from '../../folder/previous-folder.ts';
import { hostRuling } from '../../host-rules/host-ruling.ts';
import { rulesOfFolder } from '../../host-rules/rules-of-folder.ts';

export interface ReadFolderOptions {
  /** More folders with results that left a store. */
  segments?: readonly string[];
  /** Passwords of stores that were given to this process. */
  given?: GivenStore;
}

export interface FolderReader {
  readonly crawl: CrawlId;
  readonly job: Job;
  /** The seeds as they are crawled, with https or http decided. */
  readonly seeds: readonly Url[];
  /** This folder among those that share the crawl; undefined where it is the only one. */
  readonly member: string | undefined;
  /** Where in object storage its archive is; undefined: in folders. */
  readonly objects: ObjectPlace | undefined;
  /** As written, for going on with the same crawl. */
  readonly input: unknown;
  readonly jobPath: string;
  /** Only the user's own program can continue it: see `needsOwnCode`. */
  readonly ownCode: boolean;
  /** A process holds the folder now. */
  readonly busy: boolean;
  /** Why the process that holds it makes no progress, as that last wrote down. */
  readonly stall: Stall | undefined;
  /** When the crawl was last active. */
  readonly stoppedAgoMs: number;
  /** Time spent running, over all sessions. */
  readonly elapsedMs: number;
  state(): Promise<CrawlState>;
  balance(): Promise<Balance>;
  totals(): Promise<CrawlTotals>;
  waiting(limit: number): Promise<HostWait[]>;
  explain(url: string): Promise<Explanation>;
  /** What the robots.txt that the crawl has read says of a URL; undefined where it has read none. */
  robots(url: Url): Promise<RobotsVerdict | undefined>;
  /** One step of a search through the known URLs, as `Frontier.urls`. */
  urls(search: UrlSearch): Promise<UrlPage>;
  /** The outcome of a URL; undefined while it has none. */
  record(url: Url): Promise<PageRecord | undefined>;
  readonly results: Results;
  /** What of the results left a store for files, and which of these are not at hand; undefined without a store. */
  kept(): Promise<KeptResults | undefined>;
  /** The folder of the crawl before, in a recrawl. */
  readonly previous: string | undefined;
  /** What changed since then, or since the crawl of another folder; nothing where there is none. */
  changes(than?: string): AsyncIterable<Change>;
  /** The same of its items: all of them, and those that are gone. */
  itemChanges(than?: string): AsyncIterable<ItemChange>;
  close(): Promise<void>;
}

export async function manifestOf(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest && hasFrontier({ folder, manifest })) return manifest;
  throw new WebfarerError('not-found', `${folder} is not a crawl folder`, {
    next: 'Name the folder of a crawl, for example ./example.org.crawl',
  });
}

/** Fields of the job that say what results are, and where. */
const shaping = ['normalise', 'extract', 'scraper', 'itemKey', 'save'] as const satisfies (keyof Job)[];

/** Looks into a crawl folder without changing it, also while a crawl runs there. */
export async function readFolder(
  path: string,
  { segments, given }: ReadFolderOptions = {},
): Promise<FolderReader> {
  const folder = resolve(path);
  const manifest = await manifestOf(folder);
  const clock = systemClock();
  const job = { ...readableJob(manifest.job, shaping), name: manifest.name };
  const frontier = await readFrontier({ folder, manifest }, { clock, segments, given });
  const crawl = manifest.id;
  const seeds = manifest.seeds as Url[];
  const agentToken = robotsToken(manifest.userAgent);
  const previous = await previousPath(folder, manifest);
  const member = memberOf(manifest);
  const busy = isBusy(folder);
  const { stall } = manifest.session;
  return {
    crawl,
    job,
    seeds,
    input: manifest.job,
    ownCode: manifest.ownCode ?? false,
    jobPath: join(manifest.baseFolder, 'job.yml'),
    busy,
    stall: busy ? stall : undefined,
    stoppedAgoMs: Math.max(0, clock.wall() - manifest.session.updatedAtMs),
    elapsedMs: manifest.session.elapsedMs,
    member,
    objects: archivePlace(job, { id: crawl, nonce: manifest.nonce ?? manifest.id }),
    state: () => frontier.state(crawl),
    balance: () => frontier.balance(crawl),
    totals: () => frontier.totals(crawl),
    waiting: (limit) => frontier.waiting(crawl, limit),
    async explain(url) {
      // Rules that this version refuses are not judged by others.
      const inForce = { ...resolveJob(manifest.job), name: manifest.name };
      const scope = createScope(inForce, seeds);
      const ruling = hostRuling(await rulesOfFolder(folder, frontier), () => inForce);
      return await explainUrl(url, {
        crawl,
        job: inForce,
        scope,
        agentToken,
        frontier,
        ruling,
        held: undefined,
      });
    },
    async robots(url) {
      const copy = await frontier.robots(originOf(url));
      return copy && robotsVerdict(copy, agentToken, url);
    },
    urls: (search) => frontier.urls(crawl, search),
    async record(url) {
      const story = await frontier.look(crawl, url);
      return story?.state === 'settled' ? story.record : undefined;
    },
    results: frontier.results,
    kept: async () => await frontier.kept?.(crawl),
    previous,
    changes: (than = previous) =>
      than === undefined ? nothing() : changesIn({ folder, manifest, previous: than, given }),
    itemChanges: (than = previous) =>
      than === undefined
        ? nothing()
        : itemChangesIn({ folder, manifest, previous: than, given, key: job.itemKey }),
    close: () => frontier.close(),
  };
}

async function* nothing(): AsyncIterable<never> {}

function isBusy(folder: string): boolean {
  try {
    lockFolder(folder).release();
    return false;
  } catch {
    return true;
  }
}
