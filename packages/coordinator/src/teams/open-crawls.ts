import { WebfarerError } from '@webfarer/protocol';
import type { TeamQuotas } from './team-usage.ts';

/** What an open crawl takes of the memory of its coordinators. */
export interface OpenCrawl {
  team: string;
  crawl: string;
  seedBytes: number;
}

/** What a team has open. */
export interface OpenSums {
  crawls: number;
  seedBytes: number;
}

/**
 * The open crawls of each team, counted as they are opened: a request to open one more visits no other, unless its team is
 * at a quota. Standing coordinators open all crawls of their store, so each counts all of them, those that another has just
 * created a moment later.
 */
export interface OpenCrawls {
  /** It is open from now on. Again, it is the same crawl. */
  enter(crawl: OpenCrawl): void;
  leave(crawl: Pick<OpenCrawl, 'team' | 'crawl'>): void;
  of(team: string): OpenSums;
  /** Throws `quota` where one more would be too much for its team. One that is open already is not one more. */
  judge(crawl: OpenCrawl, quotas: TeamQuotas): void;
}

/** `isOpen`: whether the crawl of this name is open here, or about to be. */
export function countOpenCrawls(isOpen: (crawl: string) => boolean): OpenCrawls {
  const teams = new Map<string, OpenSums & { bytesOf: Map<string, number> }>();

  function leave({ team, crawl }: Pick<OpenCrawl, 'team' | 'crawl'>): void {
    const open = teams.get(team);
    const bytes = open?.bytesOf.get(crawl);
    if (!open || bytes === undefined) return;
    open.bytesOf.delete(crawl);
    open.crawls--;
    open.seedBytes -= bytes;
    if (open.crawls === 0) teams.delete(team);
  }

  /** Nobody says when a crawl has ended: those that have are found when their places are needed. */
  function prune(team: string): void {
    for (const crawl of teams.get(team)?.bytesOf.keys() ?? []) if (!isOpen(crawl)) leave({ team, crawl });
  }

  function overrun(
    { team, crawl, seedBytes }: OpenCrawl,
    quotas: TeamQuotas,
  ): 'crawls' | 'seedBytes' | undefined {
    const open = teams.get(team);
    if (open?.bytesOf.has(crawl)) return undefined;
    if (quotas.crawls !== undefined && (open?.crawls ?? 0) >= quotas.crawls) return 'crawls';
    const bytes = (open?.seedBytes ?? 0) + seedBytes;
    return quotas.seedBytes !== undefined && bytes > quotas.seedBytes ? 'seedBytes' : undefined;
  }

  return {
    enter({ team, crawl, seedBytes }) {
      leave({ team, crawl });
      const open = teams.get(team) ?? { crawls: 0, seedBytes: 0, bytesOf: new Map() };
      teams.set(team, open);
      open.bytesOf.set(crawl, seedBytes);
      open.crawls++;
      open.seedBytes += seedBytes;
    },
    leave,
    of(team) {
      prune(team);
      const { crawls, seedBytes } = teams.get(team) ?? { crawls: 0, seedBytes: 0 };
      return { crawls, seedBytes };
    },
    judge(asked, quotas) {
      if (!isOpen(asked.crawl)) leave(asked);
      if (!overrun(asked, quotas)) return;
      prune(asked.team);
      const over = overrun(asked, quotas);
      if (over) throw tooMuch(over, asked, { quotas, open: teams.get(asked.team) });
    },
  };
}

function tooMuch(
  over: 'crawls' | 'seedBytes',
  { team, seedBytes }: OpenCrawl,
  { quotas, open }: { quotas: TeamQuotas; open: OpenSums | undefined },
): WebfarerError {
  const count = (n = 0) => n.toLocaleString('en');
  const has =
    over === 'crawls'
      ? `${count(open?.crawls)} open crawls, and its quota is ${count(quotas.crawls)}`
      : `${count(open?.seedBytes)} bytes of seeds in open crawls, this crawl has ${count(seedBytes)} more, and the quota is ${count(quotas.seedBytes)}`;
  return new WebfarerError('quota', `the team ${team} has ${has}`, {
    next: `Wait until crawls of the team are over, stop one, or ask an admin to raise ${over} of the team: PUT /v1/teams/${team}.`,
  });
}

/** Of a job as it was written, or resolved: the text of its seeds. A file or a sitemap counts by its name. */
export function seedBytesIn(seeds: unknown): number {
  if (typeof seeds === 'string') return Buffer.byteLength(seeds);
  if (typeof seeds !== 'object' || seeds === null) return 0;
  return Object.values(seeds).reduce<number>((sum, one) => sum + seedBytesIn(one), 0);
}
