import { join } from 'node:path';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { ownCaptures } from '@webfarer/worker/archive';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Crawler, startCrawler, until } from './lab.ts';

export type StoreKind = 'redis' | 'cluster';

export type Durability = 'strict' | 'available';

/** What `strict` would refuse. */
const lax = { appendfsync: 'everysec' };

/** `redis`: one server. `cluster`: three primaries with a replica each. */
export function startStore(kind: StoreKind, durability: Durability = 'strict'): Promise<RedisServers> {
  const settings = durability === 'strict' ? {} : lax;
  return startRedis(kind === 'cluster' ? { primaries: 3, replicasEach: 1, settings } : { settings });
}

/** A process of its own with a folder of its own, one of several that share a crawl. */
export interface Member {
  folder: string;
  crawler: Crawler;
}

export interface SharedCrawlOptions {
  /** The job, as a file. */
  job: string;
  url: string;
  count: number;
  durability?: Durability;
  /** Where their folders go, and how their names begin. */
  under: string;
  name?: string;
}

export function startMembers(options: SharedCrawlOptions): Member[] {
  const { job, url, count, under, name = 'member', durability } = options;
  return Array.from({ length: count }, (_, n) => {
    const folder = join(under, `${name}-${n + 1}.crawl`);
    return { folder, crawler: startMember(job, folder, url, durability) };
  });
}

export function startMember(job: string, folder: string, url: string, durability?: Durability): Crawler {
  const more = durability === undefined ? [] : ['--durability', durability];
  return startCrawler(job, folder, { args: ['--store', url, ...more] });
}

/** All of them must find by themselves that the crawl is over. */
export async function membersEnded(members: Member[]): Promise<void> {
  const codes = await Promise.all(members.map(({ crawler }) => crawler.ended));
  for (const [n, code] of codes.entries())
    if (code !== 0) throw new Error(`process ${n + 1} ended with ${code}:\n${members[n]?.crawler.output()}`);
}

/** Kills a member when about so many requests were made, and types its command again. Answers what may be repeated. */
export async function killOne(
  fake: FakeWeb,
  member: Member,
  { requests, restart }: { requests: number; restart: () => Crawler },
): Promise<number> {
  await until('enough requests', async () => (await fake.stats()).requests >= requests, 240_000);
  member.crawler.child.kill('SIGKILL');
  await member.crawler.ended;
  const open = await openRequests(fake, member.folder);
  member.crawler = restart();
  return open;
}

/** URLs that were asked for and have no outcome yet: of the killed process these may be asked for once more. */
async function openRequests(fake: FakeWeb, folder: string): Promise<number> {
  const log = await fake.log();
  const reader = await readFolder(folder);
  try {
    const settled = new Set<string>();
    for await (const { url } of reader.results.records(reader.crawl)) settled.add(url);
    const asked = log.filter(({ path }) => path !== '/robots.txt').map((entry) => urlOf(fake, entry));
    return new Set(asked.filter((url) => !settled.has(url))).size;
  } finally {
    await reader.close();
  }
}

function urlOf(fake: FakeWeb, { scheme, host, path }: LogEntry): string {
  return `${scheme}://${host}:${scheme === 'http' ? fake.httpPort : fake.httpsPort}${path}`;
}

/** Who fetched how much, and captures that no folder or more than one has. */
export async function shares(members: Member[]): Promise<{ captures: number[]; misplaced: number }> {
  const captures: number[] = [];
  let all = 0;
  for (const { folder } of members) {
    const reader = await readFolder(folder);
    try {
      let own = 0;
      all = 0;
      for await (const { saved } of reader.results.records(reader.crawl)) if (saved?.length) all++;
      for await (const { saved } of ownCaptures(reader.results.records(reader.crawl), reader.member))
        if (saved) own++;
      captures.push(own);
    } finally {
      await reader.close();
    }
  }
  return { captures, misplaced: Math.abs(all - captures.reduce((sum, own) => sum + own, 0)) };
}
