import type { Entry, FailedReason, Offer, RobotsCopy, Settlement, Url } from '@webfarer/protocol';
import { obeysRobots } from '@webfarer/protocol/job';
import { originOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context/context.ts';
import type { FetchTimes } from '../fetch/fetch.ts';
import { judgeFailure, otherOrigins } from './host-probe.ts';
import type { HostSession } from './session.ts';
import { outcome, recordOf, refusedRecord, toTryAgain } from '../page/records.ts';
import type { RobotsAnswer } from '../fetch/robots.ts';
import { readAlong } from './robots-chain.ts';
import { blame } from '../page/verdict.ts';
import { HookError } from '../page/own-code.ts';
import { isYoung } from './robots-age.ts';

/** Tries of an unreachable robots.txt before its URLs are refused; spread over the policy's giveUpAfter. */
const ROBOTS_TRIES = 3;

export type Permit =
  | { kind: 'yes'; crawlDelayMs: number }
  | { kind: 'no'; settle: (entry: Entry) => Settlement }
  /** Not now: the host must rest first. */
  | { kind: 'later' };

export interface Permits {
  ask(url: Url): Promise<Permit>;
  /** What was learnt since the last report: robots copies, and the sitemaps they name. */
  news(): { robots: RobotsCopy[]; offers: Offer[] };
  /** Origins of the host that answered when they were asked for robots.txt, whatever they answered. */
  answeredOrigins(): Iterable<string>;
}

/** No page without a robots decision that is fresh enough; unknown means no. */
export function createPermits(options: HostSession): Permits {
  const { held, context, parts, host } = options;
  const { clock, robotsFiles } = parts;
  const policy = context.job.robots;
  const copies = new Map(held.lease.robots.map((copy) => [copy.origin, copy]));
  let learnt: RobotsCopy[] = [];
  let offers: Offer[] = [];
  /** Origins whose sitemaps were. */
  const offered = new Set<string>();

  const fresh = (copy: RobotsCopy | undefined): copy is RobotsCopy =>
    copy !== undefined && copy.state !== 'unreachable' && isYoung(copy, clock.wall(), policy.maxAgeMs);

  const givenUp = (copy: RobotsCopy) =>
    copy.state === 'unreachable' &&
    (copy.tries ?? 1) >= ROBOTS_TRIES &&
    isYoung(copy, clock.wall(), policy.maxAgeMs) &&
    copy.fetchedAtMs - (copy.firstTriedAtMs ?? copy.fetchedAtMs) >= policy.giveUpAfterMs * 0.9;

  function learn(copy: RobotsCopy): void {
    copies.set(copy.origin, copy);
    learnt.push(copy);
  }

  function decide(copy: RobotsCopy, url: Url): Permit {
    const verdict = robotsFiles.verdict(copy, context.agentToken, url);
    if (!verdict.allowed) {
      const rule = verdict.rule ?? 'robots.txt';
      return { kind: 'no', settle: (entry) => refusedRecord(entry, 'robots', rule, clock.wall()) };
    }
    const crawlDelayMs = verdict.crawlDelayMs ?? 0;
    if (crawlDelayMs > context.job.politeness.crawlDelayMaxMs) {
      const detail = `Crawl-delay: ${crawlDelayMs / 1_000}`;
      return { kind: 'no', settle: (entry) => refusedRecord(entry, 'crawl-delay', detail, clock.wall()) };
    }
    host.gapMs = Math.max(host.gapMs, crawlDelayMs);
    if (crawlDelayMs > 0 && host.gapMs === crawlDelayMs && host.why !== 'rule') host.why = 'crawl-delay';
    return { kind: 'yes', crawlDelayMs };
  }

  async function refresh(origin: string): Promise<Permit | undefined> {
    const answer = await readAlong(origin, options);
    if (answer === 'busy' || answer === 'halted') return { kind: 'later' };
    if (parts.drop.aborted) return { kind: 'later' };
    if (answer.kind === 'copy') {
      if (answer.copy.state !== 'unreachable') {
        host.health = 'ok';
        const detail = offerSitemaps(origin, answer.sitemaps);
        learn(detail === undefined ? answer.copy : { ...answer.copy, detail });
        return undefined;
      }
      return unreachable(origin, answer.copy);
    }
    if (answer.kind === 'redirect') return { kind: 'later' };
    return await silent(origin, answer);
  }

  /** It answered, but not with rules: wait and try again, three times over giveUpAfter, then refuse. */
  function unreachable(origin: string, copy: RobotsCopy): Permit | undefined {
    const before = copies.get(origin);
    const counting = before?.state === 'unreachable' && isYoung(before, clock.wall(), policy.maxAgeMs);
    const next: RobotsCopy = {
      ...copy,
      tries: (counting ? (before.tries ?? 1) : 0) + 1,
      firstTriedAtMs: counting ? (before.firstTriedAtMs ?? before.fetchedAtMs) : copy.fetchedAtMs,
    };
    learn(next);
    host.health = 'ok';
    if (givenUp(next)) return undefined;
    host.gapMs = Math.max(host.gapMs, policy.giveUpAfterMs / (ROBOTS_TRIES - 1));
    host.why = 'robots';
    host.detail = `robots.txt: ${copy.detail ?? copy.status ?? 'no answer'}`;
    return { kind: 'later' };
  }

  /** Nobody answered at all: the trouble of the host or of this origin alone, or our own network's. */
  async function silent(origin: string, failure: Extract<RobotsAnswer, { kind: 'failed' }>): Promise<Permit> {
    const { reason, detail } = failure;
    if (reason === 'private-address' || reason === 'port')
      return { kind: 'no', settle: (entry) => refusedRecord(entry, reason, detail, clock.wall()) };
    const unanswered = { ...failure, reason };
    if (blame[reason] === 'none') return { kind: 'no', settle: (entry) => tried(entry, unanswered, 0) };
    // Another port or scheme of the same host may be fine: then only what lies behind this one fails.
    const others = otherOrigins(options, origin, answeredOrigins());
    if ((await judgeFailure(options, unanswered, others)) !== 'answers') return { kind: 'later' };
    return { kind: 'no', settle: (entry) => tried(entry, unanswered, context.job.fetch.retries.count) };
  }

  function* answeredOrigins(): Iterable<string> {
    for (const { origin, state, status } of copies.values())
      if (state !== 'unreachable' || status !== undefined) yield origin;
  }

  /**
   * Once per session, even if another crawl read the file: a worker cannot know how long the store remembers them, and
   * offering a known one changes nothing. Answers what went wrong.
   */
  function offerSitemaps(origin: string, sitemaps: readonly string[]): string | undefined {
    if (!policy.sitemaps || offered.has(origin)) return undefined;
    offered.add(origin);
    const found = sitemapOffers(context, sitemaps);
    offers.push(...found.offers);
    return found.trouble;
  }

  return {
    answeredOrigins,
    news() {
      const told = { robots: learnt, offers };
      learnt = [];
      offers = [];
      return told;
    },
    async ask(url) {
      if (!obeysRobots(context.job, held.lease.host)) return { kind: 'yes', crawlDelayMs: 0 };
      const origin = originOf(url);
      let copy = copies.get(origin);
      if (!fresh(copy) && !(copy && givenUp(copy))) {
        const refused = await refresh(origin);
        if (refused) return refused;
        copy = copies.get(origin);
      } else if (copy) offerSitemaps(origin, robotsFiles.sitemaps(copy));
      if (copy && givenUp(copy)) {
        const detail = copy.detail ?? `robots.txt answered ${copy.status ?? 'nothing'}`;
        return {
          kind: 'no',
          settle: (entry) => refusedRecord(entry, 'robots-unreachable', detail, clock.wall()),
        };
      }
      return copy ? decide(copy, url) : { kind: 'later' };
    },
  };
}

/** `trouble`: what the user's own code said of the last one that it failed on. No page is to blame for it. */
function sitemapOffers(
  context: CrawlContext,
  sitemaps: readonly string[],
): { offers: Offer[]; trouble: string | undefined } {
  const offers: Offer[] = [];
  let trouble: string | undefined;
  for (const text of sitemaps.slice(0, context.sitemaps.perHost)) {
    try {
      const url = context.normalise(text);
      if (url === undefined) continue;
      const verdict = context.scope.decide({ url, depth: 0, parentCost: 0, kind: 'sitemap', hops: 0 });
      if (verdict.in) offers.push({ url, kind: 'sitemap', depth: 0, cost: 0, hops: 0 });
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      trouble = `sitemap ${text}: ${error.message}`;
    }
  }
  return { offers, trouble };
}

/** One try of a URL whose robots.txt could not be fetched, on a host that answers elsewhere. */
function tried(
  entry: Entry,
  { reason, detail, times }: { reason: FailedReason; detail: string; times: FetchTimes },
  retries: number,
): Settlement {
  if (entry.attempt < retries) return toTryAgain(entry, times, { reason, detail });
  return outcome(recordOf(entry, { verdict: 'failed', reason, detail, times, charged: true }));
}
