import { type DatedClock, isStorageTrouble, type Job, type Pause, WebfarerError } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import {
  msLeft,
  renewalText,
  type SeenCrawl,
  spentQuota,
  type TeamQuotas,
  type TeamUsage,
} from './team-usage.ts';
import type { Teams } from './teams.ts';

/** A crawl that is open here. */
export interface MeteredCrawl {
  readonly id: string;
  readonly name: string;
  /** Its team may change while it runs. */
  readonly job: Pick<Job, 'team'>;
  /** About to end: it is counted once more then. */
  readonly ending: boolean;
  /** Over all coordinators of its store. */
  used(): Promise<CrawlUse>;
  /** Grants nothing more while there is a pause; undefined ends it. */
  hold(pause: Pause | undefined): void;
}

export interface CrawlUse {
  pages: number;
  bytes: number;
}

export interface QuotaKeeperOptions {
  teams: Teams;
  clock: DatedClock;
  crawls: () => Iterable<MeteredCrawl>;
  failed: (error: unknown) => void;
}

/**
 * Counts what crawls really fetch, and holds those of a team whose quota is used up, until it is stopped. It looks at totals that there are
 * anyway, every few seconds, so pages cost nothing more. Near the end of a quota it looks sooner: a team exceeds it by what is in
 * flight, and by what it fetches in a fraction of a second.
 */
export interface QuotaKeeper {
  /**
   * Counts one crawl now: before it is deleted, or first handed out, or after it ended, with what it used then. What the
   * store does not take is counted later.
   */
  look(crawl: MeteredCrawl, used?: CrawlUse): Promise<void>;
  stop(): Promise<void>;
}

const LOOK_MS = 3_000;
/** Where a quota may be used up before the next look, and as long as the pace of a team is not known. */
const SOON_MS = 250;

export function createQuotaKeeper({ teams, clock, crawls, failed }: QuotaKeeperOptions): QuotaKeeper {
  const stopped = new AbortController();
  const teamOf = ({ job }: MeteredCrawl) => job.team ?? defaultTeam;

  /** Undefined: it was deleted, or its store does not answer now. */
  async function seen(crawl: MeteredCrawl, last: CrawlUse | undefined): Promise<SeenCrawl | undefined> {
    const { id, name } = crawl;
    if (last) return { crawl: name, id, ...last };
    return await crawl.used().then(
      (used) => ({ crawl: name, id, ...used }),
      (error: unknown) => {
        if (isStorageTrouble(error) || (error instanceof WebfarerError && error.code === 'not-found'))
          return undefined;
        throw error;
      },
    );
  }

  /** What teams had used at the last look. */
  const before = new Map<string, { atMs: number; usage: TeamUsage }>();

  /** Ends the wait for the next look: a crawl has begun, and how fast it is will show. */
  let hurry = new AbortController();

  /** Answers when to look again. */
  async function lookAt(team: string, all: readonly MeteredCrawl[], last?: CrawlUse): Promise<number> {
    const quotas = await teams.quotasOf(team);
    if (!quotas) {
      for (const crawl of all) crawl.hold(undefined);
      return LOOK_MS;
    }
    const found = await Promise.all(all.map((crawl) => seen(crawl, last)));
    const usage = await teams.count(
      team,
      found.filter((one) => one !== undefined),
    );
    const pause = pauseOf(team, { quotas, usage, nowMs: clock.wall() });
    for (const crawl of all) crawl.hold(pause);
    const [atMs, then] = [clock.now(), before.get(team)];
    if (!last) before.set(team, { atMs, usage });
    if (pause) return LOOK_MS;
    const leftMs = msLeft(quotas, usage, then && { usage: then.usage, agoMs: atMs - then.atMs });
    // Half of it: the pace may grow meanwhile.
    return Math.min(LOOK_MS, Math.max(SOON_MS, leftMs / 2));
  }

  async function run(): Promise<void> {
    for (let waitMs = LOOK_MS; !stopped.signal.aborted; ) {
      await clock.sleep(waitMs, AbortSignal.any([stopped.signal, hurry.signal])).catch(() => undefined);
      waitMs = LOOK_MS;
      if (hurry.signal.aborted) {
        hurry = new AbortController();
        waitMs = SOON_MS;
        continue;
      }
      const open = Array.from(crawls()).filter(({ ending }) => !ending);
      const byTeam = Map.groupBy(open, teamOf);
      for (const team of before.keys()) if (!byTeam.has(team)) before.delete(team);
      for (const [team, all] of byTeam) {
        if (stopped.signal.aborted) return;
        waitMs = Math.min(waitMs, await lookAt(team, all).catch(trouble));
      }
    }
  }

  /** What is only refused or unreachable now is looked at again soon. */
  function trouble(error: unknown): number {
    if (!(error instanceof WebfarerError) && !stopped.signal.aborted) failed(error);
    return LOOK_MS;
  }

  const running = run();
  return {
    async look(crawl, used) {
      // A coordinator that stops counts its crawls with its next start.
      if (stopped.signal.aborted) return;
      const waitMs = await lookAt(teamOf(crawl), [crawl], used).catch(trouble);
      if (waitMs < LOOK_MS) hurry.abort();
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

function pauseOf(
  team: string,
  { quotas, usage, nowMs }: { quotas: TeamQuotas; usage: TeamUsage; nowMs: number },
): Pause | undefined {
  const spent = spentQuota(quotas, usage, nowMs);
  if (!spent) return undefined;
  return {
    cause: 'quota',
    text: `the team ${team} has fetched ${spent.text}. It resumes at ${renewalText(spent)}, or when an admin raises ${spent.quota}`,
    retryInMs: Math.max(0, Math.round(spent.renewsAtMs - nowMs)),
  };
}
