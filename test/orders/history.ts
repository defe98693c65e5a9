import type { JobInput } from '@webfarer/protocol';
import type { Host } from '../fake-web/hosts.ts';
import { publicUrls } from '../fake-web/pages.ts';
import { monotonicNs } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { Random } from '../fuzz/random.ts';
import { labJob } from '../prove/lab.ts';
import type { OrderedNetwork } from './ordered-network.ts';

/** What a crawl of one history was asked to do, and what became of it. */
export interface History {
  name: string;
  /** The contact in its requests: by it the web's log tells crawls apart. */
  mark: string;
  hosts: readonly Host[];
  /** Its pages of each host. */
  pagesEach: number;
  orders: { what: string; atNs: number }[];
  /** Hosts that were forgotten, and when that was acknowledged. */
  forgotten: Map<string, number>;
  /** Hosts whose pages were queued again: from the first try of such an order to its acknowledgement. */
  retried: { host: string; fromNs: number; toNs: number }[];
  /** Its limit of pages, and the highest that was ever in force. */
  limit: number | 'none';
  mostEver: number;
  /** Each page has counted once so far: none was queued again or forgotten. */
  isCounted: boolean;
  /** When it was deleted or retired, or is known to be gone: afterwards nothing of it is asked for. */
  goneNs?: number;
  /** Whether every page that was not forgotten must have been asked for. */
  isWhole: boolean;
  /** Done beyond every page limit that was in force, and missing where the crawl ended as limited. */
  over: number;
  under: number;
  /** How often not all coordinators came to show what was ordered last. */
  differing: number;
  /** Pages that its counts say too few or too many are done. */
  miscounted: number;
  /** Forgotten hosts that a coordinator lists no more. */
  unbarred: number;
  /** Why it did not end. */
  stuck?: string;
}

export const orderKinds = ['flip', 'limit', 'pace', 'retry', 'stop', 'forget', 'retire', 'delete'] as const;
export type OrderKind = (typeof orderKinds)[number];

/** How crawls are paced while they are given orders, and when they are to end. */
export const pace = { slow: '500ms', quick: '20ms' };

/** Where histories are played. */
export interface Stage {
  fake: FakeWeb;
  network: OrderedNetwork;
  random: Random;
  orders: number;
  /** Which kinds of orders are given at random; one that is named twice twice as often. */
  kinds: readonly OrderKind[];
}

/** Pauses and resumes, of which most harm came, as often as all others together. */
export const allKinds: readonly OrderKind[] = ['flip', 'flip', 'flip', 'flip', ...orderKinds];

/** Every fact of a history that is not random: a crawl of a few pages of some hosts, whose links are not followed. */
export function jobOf(
  fake: FakeWeb,
  history: Pick<History, 'name' | 'mark' | 'hosts' | 'pagesEach' | 'limit'>,
): JobInput {
  const { name, mark, hosts, limit } = history;
  const job = labJob(fake, { seeds: hosts.flatMap((host) => urlsOf(fake, history, host)) });
  return {
    ...job,
    name,
    contact: `https://lab.test/${mark}`,
    scope: { stay: 'host' },
    save: ['none'],
    // Leases that a coordinator took with it when it was killed run out soon.
    fetch: { ...job.fetch, timeout: '3s' },
    limits: { ...job.limits, depth: 0, pages: limit },
    politeness: { gap: pace.slow, slowFactor: 0 },
  };
}

export function newHistory(name: string, hosts: readonly Host[], pagesEach: number): History {
  return {
    name,
    mark: `mark-${name}-end`,
    hosts,
    pagesEach,
    orders: [],
    forgotten: new Map(),
    retried: [],
    limit: 'none',
    mostEver: Number.POSITIVE_INFINITY,
    isCounted: true,
    isWhole: false,
    over: 0,
    under: 0,
    differing: 0,
    miscounted: 0,
    unbarred: 0,
  };
}

export const urlsOf = (fake: FakeWeb, { pagesEach }: Pick<History, 'pagesEach'>, host: Host): string[] =>
  publicUrls(fake.web, host).slice(0, pagesEach);

/** Some pages of a crawl, but not all. */
export const someLimit = ({ random }: Pick<Stage, 'random'>, { hosts, pagesEach }: History): number =>
  Math.ceil(hosts.length * pagesEach * (0.3 + random.below(400) / 1_000));

export function note({ orders }: History, what: string): void {
  orders.push({ what, atNs: monotonicNs() });
}

/** Its orders, each with the second in which it was given. */
export const storyOf = ({ orders }: History): string =>
  orders
    .map(({ what, atNs }) => `${((atNs - (orders[0]?.atNs ?? 0)) / 1e9).toFixed(1)} s ${what}`)
    .join(', ');

/** For a crawl that may exist already, because the coordinator that created it was killed before it could say so. */
export function isThere(error: unknown): void {
  if ((error as { code?: string }).code !== 'conflict') throw error;
}
