import type { Entry, Url } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { FetchAnswer, FetchTimes } from '../fetch/fetch.ts';
import { createAnsweredHosts } from './answered-hosts.ts';
import { fetchEntry, type FetchEntryOptions } from './fetch-entry.ts';

const entry = { url: 'http://a.test/' as Url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 } as Entry;

/** One request whose worker asked for the lease at 1,000, with this answer. */
function optionsFor(answer: FetchAnswer, { attempt = 0, slowFactor = 0, aheadMs = 0 } = {}) {
  const nothing = () => undefined;
  const held = {
    askedAtMs: 1_000,
    deadlineMs: 9e9,
    lost: new AbortController().signal,
    lease: { host: 'a.test' },
  };
  const answeredHosts = createAnsweredHosts();
  return {
    // There is nothing on the host that answered before.
    answeredOrigins: () => [],
    own: {
      held,
      host: {},
      context: { job: { robots: { ignoreFor: [] } } },
      parts: { answeredHosts, network: { judge: async () => 'host' } },
    },
    entry: { ...entry, attempt },
    context: {
      job: { fetch: { retries: { count: 1 }, timeoutMs: 1 }, politeness: { slowFactor } },
      headersTo: () => [],
      proxyFor: nothing,
    },
    parts: {
      drop: new AbortController().signal,
      clock: { now: () => 0, wall: () => aheadMs },
      inFlight: nothing,
      metrics: { observe: nothing },
      network: { judge: async () => 'host' },
      tracing: {
        run: async (_name: string, _about: unknown, work: (span: unknown) => unknown) =>
          await work({ set: nothing }),
      },
    },
    host: {},
    session: { fetch: async () => answer },
    held,
    asked: { gapMs: 0, connections: 1 },
    crawlDelayMs: 0,
  } as unknown as FetchEntryOptions;
}

async function settledBy(answer: FetchAnswer, attempt = 0) {
  return (await fetchEntry(optionsFor(answer, { attempt }))).settled[0];
}

const failure = (times: FetchTimes): FetchAnswer => ({
  ok: false,
  reason: 'timeout',
  detail: 'x',
  contacted: true,
  ...times,
});

it('tells how long a URL waited at its worker, and never a wait below zero', async () => {
  const last = await settledBy(
    failure({ startedAtMs: 1_250.4, durationMs: 80.2, phases: { dnsMs: 2.6 } }),
    1,
  );
  expect(last).toMatchObject({ kind: 'outcome', record: { fetched: { waitedMs: 250, dnsMs: 3 } } });
  const back = await settledBy(failure({ startedAtMs: 10, durationMs: 80, phases: {} }), 1);
  // The machine slept for eight hours before: its dates are right, and no wait is that long.
  const aheadMs = 8 * 3_600_000;
  const later = failure({ startedAtMs: aheadMs + 1_250, durationMs: 80, phases: {} });
  const { settled } = await fetchEntry(optionsFor(later, { attempt: 1, aheadMs }));
  expect(settled[0]).toMatchObject({ record: { startedAtMs: aheadMs + 1_250, fetched: { waitedMs: 250 } } });
  expect(back).toMatchObject({ record: { fetched: { waitedMs: 0 } } });
});

it('tells when a try that is made again began, and how long it took', async () => {
  const again = await settledBy({
    ...failure({ startedAtMs: 1_250.4, durationMs: 80.2 }),
    reason: 'timeout',
  } as FetchAnswer);
  expect(again).toEqual({
    kind: 'retry',
    url: entry.url,
    reason: 'timeout',
    detail: 'x',
    startedAtMs: 1_250,
    durationMs: 80,
  });
});

it('takes a host for as slow as it was, without the time for which this process was busy', async () => {
  const late = (times: Partial<FetchTimes>) =>
    ({
      ...failure({ startedAtMs: 1_000, durationMs: 9_000, ...times }),
      reason: 'bad-encoding',
    }) as FetchAnswer;
  const slow = optionsFor(late({}), { slowFactor: 2 });
  await fetchEntry(slow);
  expect(slow.host).toMatchObject({ gapMs: 18_000 });
  const seenLate = optionsFor(late({ ownMs: 8_000 }), { slowFactor: 2 });
  await fetchEntry(seenLate);
  expect(seenLate.host).toMatchObject({ gapMs: 2_000 });
});
