import type { Entry, Settlement } from '@webfarer/protocol';
import { targetOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context/context.ts';
import type { StoredAnswer } from '../context/stored-answers.ts';
import { type HeldLease, renewLeases } from './held-lease.ts';
import { CHALLENGES_OF_HOST } from './challenged-hosts.ts';
import { cookieNews } from './kept-cookies.ts';
import { createPermits } from './permits.ts';
import { explainGap, fetchEntry } from './fetch-entry.ts';
import { settlePage } from '../page/pipeline.ts';
import { HookError } from '../page/own-code.ts';
import { outcome, recordOf, refusedRecord, tellHooks } from '../page/records.ts';
import { createReaders, type Reader } from './readers.ts';
import { createVisits } from './visits.ts';
import { type HostState, newsOf, paceOf, type SessionParts, type Step } from './session.ts';

/** The longest pause for which a session keeps its lease. */
const HELD_PAUSE_MAX_MS = 90_000;

/**
 * Works through one host lease: robots first, then one URL after the other with the gap between them.
 * Ends early, giving the rest back untouched, when the host is in trouble, the network is away, the lease
 * is lost or the worker is told to halt.
 */
export async function runHostSession(
  held: HeldLease,
  context: CrawlContext,
  parts: SessionParts,
): Promise<void> {
  const { clock, reporter } = parts;
  const asked = paceOf(held.lease, context.job);
  const host: HostState = { endedAtMs: null, gapMs: asked.gapMs, why: 'gap', health: 'none' };
  explainGap(host, asked);
  const session = parts.fetch.open(held.lease.host);
  const own = { held, context, parts, host, asked, session, pace };
  const permits = createPermits(own);
  const { renderer } = parts;
  const readers = createReaders(
    own,
    (reading) =>
      renderer && context.job.render !== 'never'
        ? createVisits({ session: reading, permits, renderer, files: context.loaded })
        : undefined,
    HELD_PAUSE_MAX_MS,
  );
  const { urlRests } = parts;
  const { crawl } = held.ref;
  const { backoffMs } = context.job.fetch.retries;
  const queue = [...held.lease.entries];
  let pending: Settlement[] = [];
  let stop = false;
  const isSuspect = queue.some(({ deaths = 0 }) => deaths > 0);
  let isBegun = false;
  let wakeUp: AbortSignal | undefined;

  /** Waits until the host may be contacted again and the lease outlasts the longest fetch. False: give up. */
  async function pace(): Promise<boolean> {
    // A timer may fire a moment early, and another lane may learn meanwhile that the host must rest: look again.
    for (;;) {
      const { endedAtMs, gapMs, why, detail } = newsOf(host);
      const due = endedAtMs === null ? 0 : endedAtMs + gapMs;
      if (stop || clock.now() >= due || wakeUp?.aborted) break;
      // Others can use the connection meanwhile: the host waits in the queue.
      if (due - clock.now() > HELD_PAUSE_MAX_MS) stop = true;
      if (stop) break;
      wakeUp ??= AbortSignal.any([parts.halt, parts.drop, held.lost]);
      held.pause = { untilMs: due, why, detail, left: queue.length + 1 };
      await clock.sleep(Math.max(0, Math.ceil(due - clock.now())), wakeUp).catch(() => undefined);
    }
    held.pause = undefined;
    if (stop) return false;
    if (parts.halt.aborted || parts.drop.aborted || held.lost.aborted) return false;
    if (isSuspect && !isBegun && !(await announce())) return false;
    if (clock.now() + context.job.fetch.timeoutMs < held.deadlineMs) return true;
    await renewLeases(parts, [held]);
    return !held.lost.aborted && clock.now() + context.job.fetch.timeoutMs < held.deadlineMs;
  }

  /**
   * Before the first request for a URL with which a worker died before: from now on its death would be that URL's fault,
   * and only from now on. All others save this round trip.
   */
  async function announce(): Promise<boolean> {
    const news = newsOf(host);
    const report = { ...held.ref, part: held.lease.part, settled: [], begun: true, close: false, news };
    isBegun = (await reporter.add(report)).ok;
    if (!isBegun) held.lose();
    return isBegun && !parts.drop.aborted && !held.lost.aborted;
  }

  /** Its life in a span, from its turn to its outcome. */
  async function traced(entry: Entry): Promise<Step> {
    const about = () => ({
      'url.full': entry.url,
      'server.address': held.lease.host,
      'webfarer.crawl': context.job.name,
      'webfarer.depth': entry.depth,
    });
    return await parts.tracing.run('webfarer.url', about, async (span) => {
      const step = await takeOne(entry);
      const [one] = step.settled;
      if (one?.kind === 'outcome')
        span.set({ 'webfarer.verdict': one.record.verdict, 'webfarer.reason': one.record.reason });
      return step;
    });
  }

  async function takeOne(entry: Entry): Promise<Step> {
    try {
      // Whatever is done with it from here on may be what ends workers, its robots.txt included.
      if (isSuspect && !(await pace())) return { settled: [], goOn: false };
      if (context.stored && entry.kind !== 'check') {
        const answer = await context.stored.take(entry.url);
        if (answer) return await handleAgain(entry, answer);
      }
      if (parts.challenged.isLeftAlone(crawl, held.lease.host, clock.now())) {
        const detail = `not requested: the last ${CHALLENGES_OF_HOST} answers were challenges`;
        return { settled: [refusedRecord(entry, 'challenge', detail, clock.wall())], goOn: true };
      }
      const ask = () => permits.ask(targetOf(entry.url));
      const permit = await parts.tracing.run('webfarer.robots', () => ({}), ask);
      if (permit.kind === 'no') return { settled: [permit.settle(entry)], goOn: true };
      if (permit.kind === 'later') return { settled: [], goOn: false };
      if (!(await pace())) return { settled: [], goOn: false };
      const reader = await readers.next();
      return reader ? await read(entry, reader, permit.crawlDelayMs) : { settled: [], goOn: false };
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      const times = { startedAtMs: clock.wall(), durationMs: 0 };
      const detail = error.message;
      const facts = { verdict: 'failed', reason: 'handler', detail, times, charged: true } as const;
      return { settled: [outcome(recordOf(entry, facts))], goOn: true };
    }
  }

  async function read(entry: Entry, reader: Reader, crawlDelayMs: number): Promise<Step> {
    const ended = reader.login?.begin();
    try {
      const errand = { ...reader.own, ...reader, ...permits, entry, crawlDelayMs };
      const step = await fetchEntry(errand);
      if (!step.again) return step;
      if (!(await pace())) return { settled: [], goOn: false };
      return await fetchEntry({ ...errand, askedAgain: true });
    } finally {
      ended?.();
    }
  }

  /** It was allowed when it was fetched, and the host is not contacted: neither what robots.txt says nor the gap counts. */
  async function handleAgain(entry: Entry, { page, kept, asksRobots }: StoredAnswer): Promise<Step> {
    if (asksRobots) await permits.ask(targetOf(entry.url));
    return { settled: [await settlePage({ context, entry, page, parts, kept })], goOn: true };
  }

  async function settle(entry: Entry, settled: Settlement[]): Promise<void> {
    for (const one of settled) {
      await tellHooks(context, one);
      if (one.kind === 'retry') urlRests.failed({ crawl, entry, reason: one.reason, backoffMs });
    }
    pending.push(...settled);
  }

  /** A URL that backs off stays in the queue, and goes back untouched if nothing else is left. */
  function nextDue(): Entry | undefined {
    const at = queue.findIndex((entry) => urlRests.dueMs(crawl, entry) <= clock.now());
    return at < 0 ? undefined : queue.splice(at, 1)[0];
  }

  /** With nothing on the host but URLs that back off, the host waits for the first of them. */
  function restUntilDue(): void {
    const untilMs = Math.min(...queue.map((entry) => urlRests.dueMs(crawl, entry)));
    const now = clock.now();
    if (queue.length === 0 || untilMs <= now) return;
    Object.assign(host, { endedAtMs: now, gapMs: untilMs - now, why: 'backoff' });
    Object.assign(host, urlRests.whyOf(crawl, queue));
  }

  async function lane(): Promise<void> {
    for (let entry = nextDue(); entry && !stop; entry = nextDue()) {
      if (parts.halt.aborted || parts.drop.aborted || held.lost.aborted) break;
      const stillIn = context.scope.decide({ ...entry, url: targetOf(entry.url), parentCost: 0 });
      if (!stillIn.in && stillIn.reason !== 'cost' && entry.depth > 0) {
        await settle(entry, [refusedRecord(entry, 'scope', stillIn.rule ?? stillIn.reason, clock.wall())]);
        continue;
      }
      const { settled, goOn } = await traced(entry);
      await settle(entry, settled);
      if (!goOn) stop = true;
      if (!stop && queue.length > 0 && pending.length > 0) void tell(false).catch(() => held.lose());
    }
  }

  function tell(close: boolean): Promise<unknown> {
    const settled = pending;
    pending = [];
    const { robots, offers } = permits.news();
    const sent = reporter.add({
      ...held.ref,
      part: held.lease.part,
      settled,
      close,
      ...(robots.length > 0 ? { robots } : {}),
      ...(offers.length > 0 ? { offers } : {}),
      ...cookieNews(held),
      news: newsOf(host),
    });
    // The lease is over for the coordinator: whatever else this session does would be dropped there.
    return sent.then((answer) => {
      if (!answer.ok) held.lose();
    });
  }

  try {
    if (queue.every((entry) => urlRests.dueMs(crawl, entry) > clock.now())) restUntilDue();
    else await Promise.all(Array.from({ length: asked.connections }, lane));
  } finally {
    await tell(true).finally(() => session.close());
    await readers.close();
  }
}
