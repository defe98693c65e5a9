import { hash } from './hash.ts';

export const webSizes = {
  S: { hosts: 50, leaves: 33, spread: 21 },
  M: { hosts: 500, leaves: 72, spread: 57 },
  L: { hosts: 5_000, leaves: 302, spread: 211 },
} as const;
export type WebSize = keyof typeof webSizes;

/** What a host is, beyond the mix of pages that every serving host has. README.md describes each. */
export type HostClass =
  | 'serve'
  | 'to-www'
  | 'secure'
  | 'dead'
  | 'no-name'
  | 'calendar-trap'
  | 'path-trap'
  /** Serves, but robots.txt keeps us out; which way is `robots`. */
  | 'shut';

export type RobotsKind =
  | 'absent'
  | 'forbidden-403'
  | 'empty'
  | 'rules'
  | 'wildcard'
  | 'only-us'
  | 'closed'
  | 'not-us'
  | 'broken-500'
  | 'twin'
  | 'delay'
  | 'patience'
  | 'sitemap';

export interface Host {
  index: number;
  name: string;
  site: string;
  class: HostClass;
  robots: RobotsKind;
  sitemap: 'none' | 'plain' | 'gzip-index';
  /** Links carry session ids that normalisation strips. */
  sessions: boolean;
  /** Leaves 5 and 9 ask to come back later, with Retry-After. */
  retryAfter: boolean;
  /** Leaf 5 answers 500 for ever. */
  broken: boolean;
  /** Extra portion of `/dir/` pages that lead to every other host. */
  hub: boolean;
  /** Number of leaf pages. */
  leaves: number;
  /** 0 when robots.txt names none. */
  crawlDelayMs: number;
  address: string;
}

interface Slot {
  /** `prefix.word`: the host `prefix.word7.test`; or only `word`: `word7.test`. */
  name: string;
  class?: HostClass;
  robots?: RobotsKind;
  sitemap?: 'plain' | 'gzip-index';
  sessions?: boolean;
  retryAfter?: boolean;
  broken?: boolean;
  crawlDelayMs?: number;
  /** Special only in every n-th block of 50 hosts, plain in the others: keeps rare things rare in M and L. */
  every?: number;
}

/** Addresses on which the server listens; names are spread over them, so that several share one. */
export const addresses: readonly string[] = Array.from({ length: 16 }, (_, n) => `127.1.${n >> 2}.${n + 1}`);
/** Answered by DNS, but nothing listens there. */
export const deadAddress = '127.1.255.1';

export const slotsPerBlock = 50;
const slots: readonly Slot[] = [
  { name: 'www.hub' },
  { name: 'hub', class: 'to-www', robots: 'twin' },
  { name: 'blog.hub', robots: 'empty' },
  { name: 'www.shop', robots: 'rules', sessions: true },
  { name: 'shop', class: 'to-www', robots: 'twin' },
  { name: 'static.shop' },
  { name: 'bank', class: 'secure' },
  { name: 'closed', class: 'shut', robots: 'closed' },
  { name: 'sick', class: 'shut', robots: 'broken-500', every: 5 },
  { name: 'calm', robots: 'delay', crawlDelayMs: 100 },
  { name: 'slowly', robots: 'delay', crawlDelayMs: 200 },
  { name: 'patience', class: 'shut', robots: 'patience', every: 5 },
  { name: 'dead', class: 'dead', every: 2 },
  { name: 'gone', class: 'no-name', every: 2 },
  { name: 'calendar', class: 'calendar-trap', every: 5 },
  { name: 'spiral', class: 'path-trap', every: 5 },
  { name: 'atlas', robots: 'sitemap', sitemap: 'plain' },
  { name: 'www.museum', robots: 'sitemap', sitemap: 'gzip-index' },
  { name: 'museum', class: 'to-www', robots: 'twin' },
  { name: 'www.news' },
  { name: 'blog.news', sessions: true },
  { name: 'news' },
  { name: 'forum', robots: 'wildcard', sessions: true },
  { name: 'friend', robots: 'only-us' },
  { name: 'stranger', class: 'shut', robots: 'not-us', every: 2 },
  { name: 'guarded', robots: 'forbidden-403' },
  { name: 'busy', retryAfter: true, every: 2 },
  { name: 'faulty', broken: true, every: 2 },
  ...['alpha', 'bravo', 'delta', 'gamma', 'kappa', 'omega', 'sigma', 'theta', 'zeta'].map((name) => ({
    name,
  })),
  ...['river', 'stone', 'cloud', 'field', 'maple', 'amber'].flatMap((word) => [
    { name: `www.${word}` },
    { name: `blog.${word}` },
  ]),
  { name: 'coral' },
];

const slotByName = new Map(slots.map((slot, index) => [slot.name, index]));

export function hostCount(size: WebSize): number {
  return webSizes[size].hosts;
}

/** Host `index` of the web, from nothing but the seed and the index. */
export function makeHost(size: WebSize, seed: number, index: number): Host {
  const block = Math.floor(index / slotsPerBlock);
  const full = slots[index % slotsPerBlock] as Slot;
  const slot: Slot = full.every !== undefined && block % full.every !== 0 ? { name: full.name } : full;
  const { leaves, spread } = webSizes[size];
  const labels = slot.name.split('.');
  const kind = slot.class ?? 'serve';
  return {
    index,
    name: `${slot.name}${block}.test`,
    site: `${labels[labels.length - 1]}${block}.test`,
    class: kind,
    robots: slot.robots ?? 'absent',
    sitemap: slot.sitemap ?? 'none',
    sessions: slot.sessions ?? false,
    retryAfter: slot.retryAfter ?? false,
    broken: slot.broken ?? false,
    hub: index % slotsPerBlock === 0,
    leaves: leaves + (hash(seed, index, 0, 1) % spread),
    crawlDelayMs: slot.crawlDelayMs ?? 0,
    address:
      kind === 'dead' ? deadAddress : (addresses[hash(seed, index, 0, 2) % addresses.length] as string),
  };
}

const hostPattern = /^((?:[a-z]+\.)?[a-z]+)(0|[1-9]\d{0,5})\.test$/;

/** The index of a lower-case host name, or -1. */
export function hostIndexOf(size: WebSize, name: string): number {
  const match = hostPattern.exec(name);
  const slot = match ? slotByName.get(match[1] as string) : undefined;
  if (match === null || slot === undefined) return -1;
  const index = Number(match[2]) * slotsPerBlock + slot;
  return index < hostCount(size) ? index : -1;
}

/** The `www.` twin that a host of class `to-www` leads to: the slot of the same word before it. */
export function twinIndex(host: Host): number {
  const block = Math.floor(host.index / slotsPerBlock);
  const word = (slots[host.index % slotsPerBlock] as Slot).name;
  return block * slotsPerBlock + (slotByName.get(`www.${word}`) as number);
}

/** All hosts of the same registered domain, the host itself included. */
export function siteMembers(size: WebSize, host: Host): number[] {
  const block = Math.floor(host.index / slotsPerBlock);
  const word = lastLabel((slots[host.index % slotsPerBlock] as Slot).name);
  const members: number[] = [];
  slots.forEach((slot, n) => {
    const index = block * slotsPerBlock + n;
    if (lastLabel(slot.name) === word && index < hostCount(size)) members.push(index);
  });
  return members;
}

function lastLabel(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
