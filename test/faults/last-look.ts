import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { PerformanceObserver } from 'node:perf_hooks';
import { systemClock, type Url } from '../../packages/protocol/src/index.ts';
import { createEgress } from '../../packages/worker/src/egress/egress.ts';
import type { FetchRequest } from '../../packages/worker/src/fetch/fetch.ts';

/** How long a worker is blind: from its last look at the clock to what it then does, in microseconds. */
export interface BlindTimes {
  /** To the first packet of a new connection. */
  checkToSynUs: Spread;
  /** To the request on a connection that stands. */
  checkToSendUs: Spread;
}

interface Spread {
  p50: number;
  p99: number;
  max: number;
}

/**
 * A process that is frozen in this time sends what it was about to, however long it was frozen: the only requests
 * that no rule can hold back. Measured at the real egress, with a clock that notes when it was looked at.
 */
export async function measureBlindTimes(requests: number): Promise<BlindTimes> {
  const looks: number[] = [];
  const clock = systemClock();
  const now = (): number => {
    looks.push(performance.now());
    return clock.now();
  };
  const connected: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) connected.push(startTime);
  });
  observer.observe({ entryTypes: ['net'] });
  const sent: number[] = [];
  const onSend = (): void => void sent.push(performance.now());
  subscribe('undici:client:sendHeaders', onSend);
  // Each request needs a connection of its own.
  const server = createServer((_, response) => response.setHeader('connection', 'close').end('x'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const egress = createEgress({ clock: { now, wall: now, sleep: clock.sleep } });
  try {
    for (let n = 0; n < requests; n++) {
      const answer = await egress.open('127.0.0.1').fetch(requestFor(`http://127.0.0.1:${port}/` as Url));
      if (!answer.ok) throw new Error(answer.detail);
    }
    for (let tries = 0; connected.length < requests && tries < 100; tries++)
      await new Promise((done) => setTimeout(done, 20));
    return {
      checkToSynUs: spreadOf(connected.map((atMs) => sinceLastLook(looks, atMs))),
      checkToSendUs: spreadOf(sent.map((atMs) => sinceLastLook(looks, atMs))),
    };
  } finally {
    observer.disconnect();
    unsubscribe('undici:client:sendHeaders', onSend);
    await egress.close();
    server.close();
  }
}

function requestFor(url: Url): FetchRequest {
  return {
    url,
    method: 'GET',
    headers: [],
    timeoutMs: 5_000,
    maxBytes: 1_000,
    maxDecodedBytes: 1_000,
    allowPrivate: ['127.0.0.0/8'],
    signal: new AbortController().signal,
  };
}

function sinceLastLook(looks: readonly number[], atMs: number): number {
  return (atMs - (looks.findLast((look) => look <= atMs) ?? 0)) * 1_000;
}

function spreadOf(values: number[]): Spread {
  if (values.length === 0) throw new Error('nothing was measured');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * part)] as number);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
