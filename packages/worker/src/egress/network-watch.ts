import type { Clock, FailedReason, Url } from '@webfarer/protocol';
import { originOf } from '@webfarer/protocol/url';
import type { Egress } from './egress.ts';

/** Tells "our network is away" from "that host is away", before anything is charged to the host. */
export interface NetworkWatch {
  /** A request to this host was answered; `ip` is absent behind a proxy. */
  succeeded(host: string, ip: string | undefined, url: Url): void;
  /** Called on every failure that a missing network could explain. Calls at the same time share one look. */
  judge(host: string, reason: FailedReason): Promise<'host' | 'offline'>;
  /** Resolves as soon as the network is back; rejects with the signal's reason. */
  waitUntilOnline(signal: AbortSignal): Promise<void>;
  /** What was seen, for a person: `No network: 3 hosts and DNS do not answer`. */
  sentence(): string;
  /** Milliseconds until the next look while offline. */
  readonly retryMs: number;
}

export interface NetworkWatchOptions {
  clock: Clock;
  egress: Pick<Egress, 'probeDns' | 'reach'>;
  allowPrivate: readonly string[];
  /** A look right at the failure could still see the last moment of a network that is going away. */
  settleMs?: number;
  /** With name servers that answer, no host for this long is the hosts' own doing. */
  believeHostsAfterMs?: number;
  /** How long one probe may take. */
  probeMs?: number;
}

/** One look at the network. */
interface Look {
  startedAtMs: number;
  dns: 'answers' | 'silent' | 'unused';
  /** Hosts that worked lately, and whether they accept a connection now. */
  reached: Map<string, boolean>;
}

const recentMs = 10 * 60_000;
const maxGood = 64;
// One more than is needed to judge by three others, because the host in question may be among them.
const maxProbes = 4;
const firstRetryMs = 1_000;
const maxRetryMs = 15_000;

export function createNetworkWatch(options: NetworkWatchOptions): NetworkWatch {
  const {
    clock,
    egress,
    allowPrivate,
    settleMs = 250,
    believeHostsAfterMs = 10 * 60_000,
    probeMs = 3_000,
  } = options;
  /** Hosts that answered, least recent first. */
  const good = new Map<string, { url: Url; atMs: number }>();
  const never = new AbortController().signal;
  let offlineSinceMs: number | undefined;
  let lastLook: Look | undefined;
  let judging: Promise<Look> | undefined;
  let nextLookAtMs = 0;
  let recovery: { done: Promise<void>; waiters: number; stop: AbortController } | undefined;

  async function look(): Promise<Look> {
    const startedAtMs = clock.now();
    const places = [...good].filter(([, { atMs }]) => startedAtMs - atMs < recentMs).slice(-maxProbes);
    const [dns, ...open] = await Promise.all([
      egress.probeDns(),
      ...places.map(async ([, { url }]) => {
        const answer = await egress.reach({ url, allowPrivate, timeoutMs: probeMs, signal: never });
        // A certificate problem is an answer too.
        return answer.ok || answer.reason === 'tls-error';
      }),
    ]);
    const reached = new Map(places.map(([host], i) => [host, open[i] === true]));
    lastLook = { startedAtMs, dns, reached };
    return lastLook;
  }

  /** Others than the host in question: `some` answers, `none` of at least two does, or there are too `few`. */
  function others(seen: Look, host: string | undefined): 'some' | 'none' | 'few' {
    const answeredSince = [...good].some(([name, { atMs }]) => name !== host && atMs >= seen.startedAtMs);
    const rest = [...seen.reached].filter(([name]) => name !== host);
    if (answeredSince || rest.some(([, open]) => open)) return 'some';
    return rest.length >= 2 ? 'none' : 'few';
  }

  function isAway(seen: Look, host: string | undefined, needsDns: boolean): boolean {
    const hosts = others(seen, host);
    if (seen.dns === 'silent') return needsDns || hosts !== 'some';
    if (hosts !== 'none') return false;
    return offlineSinceMs === undefined || clock.now() - offlineSinceMs < believeHostsAfterMs;
  }

  async function settleAndLook(): Promise<Look> {
    await clock.sleep(settleMs);
    return look();
  }

  /**
   * Looks again and again until the network is there, further and further apart, but never by more than a quarter of
   * the time that it was away: what it cost anyway.
   */
  async function recover(stop: AbortSignal): Promise<void> {
    const sinceMs = clock.now();
    for (;;) {
      const delayMs = Math.min(maxRetryMs, Math.max(firstRetryMs, (clock.now() - sinceMs) / 4));
      nextLookAtMs = clock.now() + delayMs;
      await clock.sleep(delayMs, stop);
      if (offlineSinceMs === undefined || !isAway(await look(), undefined, true)) break;
    }
    offlineSinceMs = undefined;
  }

  return {
    succeeded(host, ip, url) {
      offlineSinceMs = undefined;
      if (ip === undefined) return;
      good.delete(host);
      good.set(host, { url: `${originOf(url)}/` as Url, atMs: clock.now() });
      if (good.size > maxGood) good.delete(good.keys().next().value as string);
    },
    async judge(host, reason) {
      const settledAtMs = clock.now() + settleMs;
      let seen: Look;
      do {
        judging ??= settleAndLook().finally(() => {
          judging = undefined;
        });
        seen = await judging;
        // A look that was under way already may have seen the network just before it went.
      } while (seen.startedAtMs < settledAtMs);
      if (!isAway(seen, host, reason === 'dns-failed')) return 'host';
      offlineSinceMs ??= clock.now();
      return 'offline';
    },
    async waitUntilOnline(signal) {
      signal.throwIfAborted();
      if (!recovery) {
        const stop = new AbortController();
        const done = recover(stop.signal).finally(() => {
          recovery = undefined;
        });
        recovery = { done, waiters: 0, stop };
      }
      const shared = recovery;
      shared.waiters += 1;
      try {
        await untilAborted(shared.done, signal);
      } finally {
        shared.waiters -= 1;
        if (shared.waiters === 0) shared.stop.abort();
      }
    },
    sentence() {
      const silent = [...(lastLook?.reached.values() ?? [])].filter((open) => !open).length;
      const hosts = silent === 0 ? [] : [silent === 1 ? '1 host' : `${silent} hosts`];
      const names = lastLook?.dns === 'silent' ? ['DNS'] : [];
      const who = [...hosts, ...names];
      const verb = who.length === 1 && silent <= 1 ? 'does' : 'do';
      return who.length === 0 ? 'No network' : `No network: ${who.join(' and ')} ${verb} not answer`;
    },
    get retryMs() {
      return recovery ? Math.max(0, nextLookAtMs - clock.now()) : firstRetryMs;
    },
  };
}

function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
