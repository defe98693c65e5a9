import { type JobInput, type PageRecord, type Url, WebfarerError } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { type Page, storedPage } from '@webfarer/worker';
import type { FolderReader } from '../crawl/local-port.ts';
import { holdsCrawl } from '../folder/folders.ts';
import { contextOutside } from '../handlers/outside-context.ts';
import { storedRecords } from '../handlers/stored-records.ts';
import { type AgentWorld, patienceMs, type ToolCall } from './agent-world.ts';
import { folderTitle, pagesFolder } from './agent-folders.ts';
import { agentCrawl, agentUrl } from './agent-rules.ts';
import { awaitRun } from './await-run.ts';

export interface PageQuery {
  url: string;
  /** A copy that is not older is answered without a request. */
  maxAgeMs: number;
  /** The whole page, with navigation and the like. */
  whole: boolean;
}

export interface FetchedPage {
  url: string;
  /** After redirects. */
  finalUrl: string;
  status: number;
  title: string;
  language: string | undefined;
  /** What robots.txt says of the URL, in words. */
  robots: string;
  fetchedAtMs: number;
  /** Whether this call made a request. */
  requested: boolean;
  folder: string;
  markdown: string;
}

/**
 * Fetches one page through the engine: each host has a crawl of its own whose whole queue is the page that is wanted. So
 * robots.txt is read once a day, the host keeps its gap and its back-off over calls and restarts, and what an agent
 * has seen is in an archive.
 */
export async function fetchPage(world: AgentWorld, query: PageQuery, call: ToolCall): Promise<FetchedPage> {
  const { rules, turns, clock } = world;
  const url = agentUrl(rules, query.url);
  const folder = pagesFolder(rules.folder, url);
  return await turns.run(folder, async () => {
    call.signal.throwIfAborted();
    const wanted = { folder, url, query };
    const stored = await reading(world, folder, async (reader) => {
      const { record } = await followed(reader, url);
      const isFresh =
        record !== undefined && isAnswer(record) && clock.now() - record.startedAtMs <= query.maxAgeMs;
      return isFresh ? await answerOf(world, reader, { ...wanted, requested: false }) : undefined;
    });
    if (stored) return stored;
    const fetched = await whenFree(world, call, async () => {
      await fetchOnce(world, wanted, call);
      return await reading(world, folder, async (reader) => {
        // Another server queued its own page between our queueing and our opening.
        if ((await reader.record(url))?.reason === 'dropped') throw replaced(folder);
        return await answerOf(world, reader, { ...wanted, requested: true });
      });
    });
    if (fetched) return fetched;
    throw new WebfarerError('internal', `${folder} is gone`);
  });
}

/** What a host in trouble has answered, or what nobody has asked for yet, is asked for again. */
function isAnswer({ verdict, reason }: PageRecord): boolean {
  return verdict === 'done' || reason === 'robots';
}

/** Undefined: there is no crawl yet. */
async function reading<T>(
  { local }: AgentWorld,
  folder: string,
  read: (reader: FolderReader) => Promise<T>,
): Promise<T | undefined> {
  if (!holdsCrawl(folder)) return undefined;
  const reader = await local.readFolder(folder).catch(unlessMissing);
  try {
    return reader && (await read(reader));
  } finally {
    await reader?.close();
  }
}

interface Wanted {
  folder: string;
  url: Url;
}

const busyPauseMs = 250;

/** Another server may work in the same folder for a moment: two clients with one configuration each start one. */
async function whenFree<T>({ clock }: AgentWorld, { signal }: ToolCall, work: () => Promise<T>): Promise<T> {
  const until = clock.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOthers(error) || clock.now() > until) throw error;
      await clock.sleep(busyPauseMs, signal);
    }
  }
}

/** Another process works in the folder, or has made it just now, with another page first. */
function isOthers(error: unknown): boolean {
  return error instanceof WebfarerError && ['folder-busy', 'folder-foreign'].includes(error.code);
}

function replaced(folder: string): WebfarerError {
  return new WebfarerError('folder-busy', `Another process replaced the queue of ${folder}.`, {
    next: 'Ask again in a moment.',
  });
}

async function fetchOnce(world: AgentWorld, { folder, url }: Wanted, { signal }: ToolCall): Promise<void> {
  const { local, rules, opener, clock } = world;
  const begun = await reading(world, folder, async ({ input }) => (input as JobInput).seeds);
  if (begun && (await local.queueFolder(folder, [url])) === 0) throw budgetSpent(world, url);
  const options = agentCrawl(rules, opener, { folder, input: pageJob(world, begun ?? [url]) });
  // One that was killed before it had a queue begins anew.
  const fresh = begun === undefined && holdsCrawl(folder);
  const { run } = await local.openLocal({ ...options, rescope: true, fresh, withoutOutputs: true });
  const outcome = await awaitRun(run, { clock, waitMs: patienceMs, signal });
  if (outcome.is !== 'over') await run.stop({ now: outcome.is === 'cancelled' });
  signal.throwIfAborted();
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof WebfarerError && error.code === 'not-found')) throw error;
}

/**
 * No link is followed; redirects are, to other sites only with a contact for their owners. An agent waits, so a host in
 * trouble gets two tries a few seconds apart.
 */
function pageJob({ rules }: AgentWorld, seeds: JobInput['seeds']): JobInput {
  return {
    name: 'pages',
    seeds,
    scope: { stay: rules.requests.contact === undefined ? 'site' : 'web' },
    limits: {
      depth: 0,
      pages: rules.maxPages,
      duration: 'none',
      perHost: { pages: 'none' },
      perSite: { pages: 'none' },
    },
    robots: { sitemaps: false, giveUpAfter: '20s' },
    fetch: { retries: { count: 1, backoff: '3s', deadAfter: 2 } },
  };
}

function budgetSpent({ rules }: AgentWorld, url: Url): WebfarerError {
  return new WebfarerError('quota', `${url} was not fetched: a budget of its host is spent.`, {
    next: `The operator allows ${rules.maxPages} pages.`,
  });
}

const mostHops = 10;

async function followed(reader: FolderReader, from: Url): Promise<{ url: Url; record?: PageRecord }> {
  let url = from;
  for (let hops = 0; ; hops++) {
    const record = await reader.record(url);
    if (!record) return { url };
    if (record.redirectTo === undefined || hops === mostHops) return { url, record };
    url = record.redirectTo;
  }
}

async function answerOf(
  world: AgentWorld,
  reader: FolderReader,
  { folder, url, query, requested }: Wanted & { query: PageQuery; requested: boolean },
): Promise<FetchedPage> {
  const { url: finalUrl, record } = await followed(reader, url);
  const stored = storedRecords(folder, reader);
  const found = record?.verdict === 'done' ? stored.of(record) : undefined;
  if (!record || !found) throw await notFetched(world, reader, { url, finalUrl });
  try {
    const context = await contextOutside({}, reader);
    const { page, free } = await storedPage(context, {
      entry: found.entry,
      stored: await found.read(),
    });
    try {
      return {
        url,
        finalUrl,
        status: record.status ?? 0,
        title: page.title ?? '',
        language: page.language,
        robots: await robotsWords(reader, finalUrl),
        fetchedAtMs: record.startedAtMs,
        requested,
        folder: folderTitle(world.rules.folder, folder),
        markdown: await markdownOf(page, query),
      };
    } finally {
      free();
    }
  } finally {
    await stored.close();
  }
}

/** A page without prose has no main content, but what it says is still its text. */
async function markdownOf(page: Page, { whole }: PageQuery): Promise<string> {
  const main = whole ? '' : (await page.main()).markdown;
  return main === '' ? await page.markdown() : main;
}

async function notFetched(
  { rules }: AgentWorld,
  reader: FolderReader,
  { url, finalUrl }: { url: Url; finalUrl: Url },
): Promise<WebfarerError> {
  const { state, lines, code } = await reader.explain(finalUrl);
  const way = url === finalUrl ? '' : ` redirects to ${finalUrl}, which`;
  const isLimited = state === 'queued' && (await reader.balance()).done >= rules.maxPages;
  const why = isLimited ? [`the operator allows ${rules.maxPages} pages of a host`] : lines;
  return new WebfarerError(
    code === 'robots' ? 'nothing-allowed' : 'not-found',
    `${url}${way} was not fetched: ${why.join('; ')}.`,
    nextStep(),
  );

  function nextStep(): { next?: string } {
    if (state === 'queued' && !isLimited) return { next: 'Ask again later.' };
    const isOtherSite = siteOf(hostOf(url)) !== siteOf(hostOf(finalUrl));
    return isOtherSite && rules.requests.contact === undefined ? { next: contactNext } : {};
  }
}

const contactNext =
  'This server follows redirects within a site only, because it has no contact: the operator can start it with --contact me@example.org.';

export async function robotsWords(reader: Pick<FolderReader, 'robots'>, url: Url): Promise<string> {
  const verdict = await reader.robots(url);
  if (!verdict) return 'robots.txt was not read';
  return `${verdict.allowed ? 'allowed' : 'not allowed'}: ${verdict.rule ?? 'no rule applies'}`;
}
