import type { JobInput, Url } from '@webfarer/protocol';
import type { FolderReader } from '../crawl/local-port.ts';
import { folderTitle, mapFolder } from './agent-folders.ts';
import { agentCrawl, agentUrl } from './agent-rules.ts';
import { type AgentWorld, patienceMs, type ToolCall } from './agent-world.ts';
import { awaitRun } from './await-run.ts';
import type { RunningCrawls } from './running-crawls.ts';

export interface MapQuery {
  url: string;
  /** Pages to read for links; sitemaps are read besides. */
  maxPages: number;
  stay: 'path' | 'host' | 'site';
  mostUrls: number;
}

export interface MapAnswer {
  folder: string;
  /** What the site is known to have so far. */
  found: number;
  /** `fetched` where it was asked for, with its status; `found` where it was only seen. */
  urls: { url: string; is: string; status?: number; title?: string }[];
  /** There are more than `urls` lists. */
  more: boolean;
}

/** Lists the URLs of a site from its sitemaps and the links of a few pages. Nothing of it is saved but the list. */
export async function mapSite(
  world: AgentWorld,
  { query, running, call }: { query: MapQuery; running: RunningCrawls; call: ToolCall },
): Promise<MapAnswer> {
  const { rules, opener, local, turns, clock } = world;
  const url = agentUrl(rules, query.url);
  const folder = mapFolder(rules.folder, url);
  const maxPages = Math.min(query.maxPages, rules.maxPages);
  return await turns.run(folder, async () => {
    call.signal.throwIfAborted();
    const options = agentCrawl(rules, opener, { folder, input: mapJob(url, { ...query, maxPages }) });
    const { crawl } = await running.join(folder, () =>
      local.openLocal({ ...options, fresh: true, withoutOutputs: true }),
    );
    const outcome = await awaitRun(crawl.run, { clock, waitMs: patienceMs, signal: call.signal });
    if (outcome.is !== 'over') await crawl.run.stop({ now: outcome.is === 'cancelled' });
    call.signal.throwIfAborted();
    const reader = await local.readFolder(folder);
    try {
      return { folder: folderTitle(rules.folder, folder), ...(await urlsIn(reader, query.mostUrls)) };
    } finally {
      await reader.close();
    }
  });
}

function mapJob(url: Url, { maxPages, stay }: MapQuery): JobInput {
  return {
    name: 'map',
    seeds: [url],
    scope: { stay },
    limits: { pages: maxPages, perHost: { pages: 'none' }, perSite: { pages: 'none' } },
    robots: { giveUpAfter: '20s' },
    fetch: { retries: { count: 1, backoff: '3s', deadAfter: 2 } },
    save: ['none'],
  };
}

const atOnce = 1_000;

async function urlsIn(
  reader: FolderReader,
  most: number,
): Promise<Pick<MapAnswer, 'found' | 'urls' | 'more'>> {
  const urls: MapAnswer['urls'] = [];
  let found = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await reader.urls({ filter: {}, after, limit: atOnce });
    for (const known of page.urls) {
      const isPage = ('record' in known ? known.record : known.entry).kind === 'page';
      if (!isPage) continue;
      found++;
      if (urls.length < most) urls.push(mapped(known));
    }
    after = page.next;
  }
  return { found, urls: urls.toSorted((a, b) => (a.url < b.url ? -1 : 1)), more: found > urls.length };
}

type Known = Awaited<ReturnType<FolderReader['urls']>>['urls'][number];

function mapped(known: Known): MapAnswer['urls'][number] {
  if (!('record' in known)) return { url: known.entry.url, is: 'found' };
  const { url, verdict, reason, status, title } = known.record;
  return {
    url,
    is: verdict === 'done' ? 'fetched' : `${verdict}(${reason})`,
    ...(status === undefined ? {} : { status }),
    ...(title === undefined ? {} : { title }),
  };
}
