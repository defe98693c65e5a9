import { type Clock, isStorageTrouble, type Job, type Pause, WebfarerError } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import { renewalText, type SeenCrawl, spentQuota, type TeamQuotas, type TeamUsage } from './team-usage.ts';
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
  clock: Clock;
  crawls: () => Iterable<MeteredCrawl>;
  failed: (error: unknown) => void;
}

/**
 * Counts what crawls really fetch, and holds those of a team whose quota is used up, until it is stopped. It looks at totals that there are
 * anyway, every few seconds, so pages cost nothing more, and a team exceeds its quota by what it fetches meanwhile.
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

  async function lookAt(team: string, all: readonly MeteredCrawl[], last?: CrawlUse): Promise<void> {
    const quotas = await teams.quotasOf(team);
    if (!quotas) {
      for (const crawl of all) crawl.hold(undefined);
      return;
    }
    const found = await Promise.all(all.map((crawl) => seen(crawl, last)));
    const usage = await teams.count(
      team,
      found.filter((one) => one !== undefined),
    );
    const pause = pauseOf(team, { quotas, usage, nowMs: clock.now() });
    for (const crawl of all) crawl.hold(pause);
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(LOOK_MS, stopped.signal).catch(() => undefined);
      const open = Array.from(crawls()).filter(({ ending }) => !ending);
      for (const [team, all] of Map.groupBy(open, teamOf)) {
        if (stopped.signal.aborted) return;
        await lookAt(team, all).catch(trouble);
      }
    }
  }

  /** What is only refused or unreachable now is looked at again soon. */
  function trouble(error: unknown): void {
    if (!(error instanceof WebfarerError) && !stopped.signal.aborted) failed(error);
  }

  const running = run();
  return {
    async look(crawl, used) {
      // A coordinator that stops counts its crawls with its next start.
      if (!stopped.signal.aborted) await lookAt(teamOf(crawl), [crawl], used).catch(trouble);
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
