import { type JobInput, type Url, WebfarerError } from '@webfarer/protocol';
import { endedBy } from '@webfarer/protocol/crawl';
import type { CrawlRun, Progress, Summary } from '../crawl/crawl-run.ts';
import { folderName } from '../folder/folders.ts';
import { agentFolder, folderTitle } from './agent-folders.ts';
import { agentCrawl, agentUrl } from './agent-rules.ts';
import type { AgentWorld, ToolCall } from './agent-world.ts';
import { type Awaited, awaitRun } from './await-run.ts';
import type { RunningCrawl, RunningCrawls } from './running-crawls.ts';

export interface SiteQuery {
  url: string;
  /** Names the folder; the host of the URL when absent. */
  name?: string | undefined;
  maxPages: number;
  maxDepth: number;
  maxMinutes: number;
  stay: 'path' | 'host' | 'site';
  include: string[];
  exclude: string[];
  waitMs: number;
}

export interface SiteAnswer {
  folder: string;
  /** `running`: it continues, and the same call waits for it again. */
  state: string;
  /** Why it ended before every page was fetched. */
  endedBy?: string;
  pages: { done: number; failed: number; refused: number; queued: number };
  bytes: number;
  byReason: Record<string, number>;
  /** Seeds that were not fetched, and why. */
  notFetched: string[];
  waitingFor?: string;
  next?: string;
}

/**
 * Crawls a site in its folder, or resumes the crawl that is there: also one that ran in a server that was killed. The
 * call ends when the crawl does or when the client's patience is over. A client that cancels stops the crawl.
 */
export async function crawlSite(
  world: AgentWorld,
  { query, running, call }: { query: SiteQuery; running: RunningCrawls; call: ToolCall },
): Promise<SiteAnswer> {
  const { rules, opener, local, clock } = world;
  const url = agentUrl(rules, query.url);
  const folder = agentFolder(rules.folder, query.name ?? folderName(url));
  const maxPages = Math.min(query.maxPages, rules.maxPages);
  const options = agentCrawl(rules, opener, { folder, input: siteJob(url, { ...query, maxPages }) });
  const { crawl } = await running.join(folder, () => local.openLocal(options).catch(otherCrawl));
  const outcome = await waitFor(crawl, {
    report: ({ balance, waitingFor }) =>
      call.progress(balance.done, maxPages, progressWords(balance, waitingFor)),
    awaited: () => awaitRun(crawl.run, { clock, waitMs: query.waitMs, signal: call.signal }),
  });
  const title = folderTitle(rules.folder, folder);
  if (outcome.is === 'over') return siteAnswer(title, outcome.summary);
  return await stillRunning(title, crawl.run);
}

interface Waiting {
  report: (progress: Progress) => Promise<void>;
  awaited: () => Promise<Awaited>;
}

/** The last call that waits for a crawl stops it by its cancellation. */
async function waitFor(crawl: RunningCrawl, { report, awaited }: Waiting): Promise<Awaited> {
  crawl.waiters++;
  const over = new AbortController();
  const telling = tell(crawl.run, over.signal, report);
  try {
    const outcome = await awaited();
    if (outcome.is === 'cancelled' && crawl.waiters === 1) await crawl.run.stop();
    return outcome;
  } finally {
    crawl.waiters--;
    over.abort();
    await telling;
  }
}

const progressEvery = '1s';

async function tell(run: CrawlRun, signal: AbortSignal, report: Waiting['report']): Promise<void> {
  const steps = run.progress(progressEvery)[Symbol.asyncIterator]();
  const stopped = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  while (!signal.aborted) {
    // A crawl that fails is reported by those who wait for its end.
    const step = await Promise.race([steps.next().catch(() => undefined), stopped]);
    if (!step || step.done === true) return;
    await report(step.value).catch(() => undefined);
  }
}

function progressWords(
  { done, failed, queued }: Progress['balance'],
  waitingFor: string | undefined,
): string {
  const trouble = failed > 0 ? `, ${failed} failed` : '';
  return `${done} pages${trouble}, ${queued} queued${waitingFor === undefined ? '' : `; ${waitingFor}`}`;
}

function siteJob(url: Url, query: SiteQuery): JobInput {
  return {
    name: folderName(url).replace(/\.crawl$/, ''),
    seeds: [url],
    scope: { stay: query.stay, include: query.include, exclude: query.exclude },
    limits: {
      pages: query.maxPages,
      depth: query.maxDepth,
      duration: `${query.maxMinutes}m`,
      perHost: { pages: 'none' },
      perSite: { pages: 'none' },
    },
  };
}

/** What to do about it in the words of a tool, not of a command line. */
function otherCrawl(error: unknown): never {
  const isOther = error instanceof WebfarerError && ['folder-foreign', 'scope-changed'].includes(error.code);
  if (!isOther) throw error;
  throw new WebfarerError('conflict', `${error.message}.`, {
    next: 'Give the crawl another name, or ask for the same url, stay, include and exclude as before.',
    cause: error,
  });
}

function siteAnswer(folder: string, summary: Summary): SiteAnswer {
  const { state, limitedBy, pause } = summary;
  const why =
    limitedBy === undefined ? (pause?.text ?? endedBy(summary.snapshot)) : `the limit of ${limitedBy}`;
  return {
    folder,
    state,
    ...(why === undefined ? {} : { endedBy: why }),
    ...countsOf(summary.snapshot),
    notFetched: summary.unfetchedSeeds.map(
      ({ url, verdict, code, detail }) =>
        `${url}: ${verdict}(${code})${detail === undefined ? '' : `, ${detail}`}`,
    ),
  };
}

async function stillRunning(folder: string, run: CrawlRun): Promise<SiteAnswer> {
  const snapshot = await run.snapshot();
  return {
    folder,
    state: 'running',
    ...countsOf(snapshot),
    notFetched: [],
    next: 'The crawl continues. Call crawl_site with the same arguments to wait for it.',
  };
}

function countsOf({
  balance,
  bytes,
  byReason,
}: Summary['snapshot']): Pick<SiteAnswer, 'pages' | 'bytes' | 'byReason'> {
  const { done, failed, refused, queued } = balance;
  return { pages: { done, failed, refused, queued }, bytes, byReason };
}
