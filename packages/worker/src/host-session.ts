import { type Entry, inFlightOn, type Settlement } from '@webfarer/protocol';
import type { CrawlContext } from './context.ts';
import type { HeldLease } from './held-lease.ts';
import { createPermits } from './permits.ts';
import { fetchEntry } from './fetch-entry.ts';
import { refusedRecord, tellHooks } from './records.ts';
import { type HostState, newsOf, type SessionParts, type Step } from './session.ts';

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
  const host: HostState = {
    endedAtMs: null,
    gapMs: context.job.politeness.gapMs,
    why: 'gap',
    health: 'none',
  };
  const permits = createPermits({ held, context, parts, host, pace });
  const queue = [...held.lease.entries];
  let pending: Settlement[] = [];
  let stop = false;
  let wakeUp: AbortSignal | undefined;

  /** Waits until the host may be contacted again and the lease outlasts the longest fetch. False: give up. */
  async function pace(): Promise<boolean> {
    if (host.endedAtMs !== null) {
      const { endedAtMs, gapMs, why } = newsOf(host);
      const due = (endedAtMs ?? 0) + gapMs;
      if (clock.now() < due) wakeUp ??= AbortSignal.any([parts.halt, parts.drop, held.lost]);
      held.pause = { untilMs: due, why, left: queue.length + 1 };
      // A timer may fire a moment early: look at the clock again before believing it.
      while (clock.now() < due && !wakeUp?.aborted) {
        await clock.sleep(Math.max(0, Math.ceil(due - clock.now())), wakeUp).catch(() => undefined);
      }
    }
    held.pause = undefined;
    if (parts.halt.aborted || parts.drop.aborted || held.lost.aborted) return false;
    if (clock.now() + context.job.fetch.timeoutMs < held.deadlineMs) return true;
    const askedAtMs = clock.now();
    const [answer] = await parts.link.renew([held.ref]).catch(() => []);
    if (!answer?.ok) return false;
    held.extend(askedAtMs + answer.ttlMs);
    return clock.now() + context.job.fetch.timeoutMs < held.deadlineMs;
  }

  async function takeOne(entry: Entry): Promise<Step> {
    const permit = await permits.ask(entry.url);
    if (permit.kind === 'no') return { settled: [permit.settle(entry)], goOn: true };
    if (permit.kind === 'later') return { settled: [], goOn: false };
    if (!(await pace())) return { settled: [], goOn: false };
    const hasOthers = () => queue.some(({ attempt }) => attempt === 0);
    const errand = { entry, context, parts, host, held, crawlDelayMs: permit.crawlDelayMs, hasOthers };
    const step = await fetchEntry(errand);
    if (!step.again) return step;
    if (!(await pace())) return { settled: [], goOn: false };
    return await fetchEntry({ ...errand, askedAgain: true });
  }

  function settle(settled: Settlement[]): void {
    for (const one of settled) tellHooks(context, one);
    pending.push(...settled);
  }

  async function lane(): Promise<void> {
    for (let entry = queue.shift(); entry && !stop; entry = queue.shift()) {
      if (parts.halt.aborted || parts.drop.aborted || held.lost.aborted) break;
      const stillIn = context.scope.decide({ ...entry, parentCost: 0 });
      if (!stillIn.in && stillIn.reason !== 'cost' && entry.depth > 0) {
        settle([refusedRecord(entry, 'scope', stillIn.rule ?? stillIn.reason, clock.now())]);
        continue;
      }
      const { settled, goOn } = await takeOne(entry);
      settle(settled);
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
      settled,
      close,
      ...(robots.length > 0 ? { robots } : {}),
      ...(offers.length > 0 ? { offers } : {}),
      news: newsOf(host),
    });
    // The lease is over for the coordinator: whatever else this session does would be dropped there.
    return sent.then((answer) => {
      if (!answer.ok) held.lose();
    });
  }

  const lanes = inFlightOn(context.job, held.lease.host);
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    await tell(true);
  }
}
