import { WebfarerError } from '@webfarer/protocol';
import { placeName, resolveJob } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { isWithin, parseRange } from '../egress/address.ts';

/** What a worker lets its coordinators decide about this machine. */
export interface WorkerConsent {
  /** Private addresses that a job may read, as jobs name them. */
  allowPrivate: readonly string[];
  /** Whether the modules that a job names, scrapers and savers, may run. */
  modules: boolean;
  /** Places of object storage that captures may be sent to, or that they are in, as `placeName` says. */
  storage: readonly string[];
}

/** The flags of a worker; undefined, which is everything, where all its coordinators are on this machine. */
export function consentOf(
  urls: readonly string[],
  {
    allowPrivate = [],
    allowModules = false,
    allowStorage = [],
  }: { allowPrivate?: string[]; allowModules?: boolean; allowStorage?: string[] },
): WorkerConsent | undefined {
  if (urls.every(isHere)) return undefined;
  // As a job would say it, so that both sides write the same place in the same way.
  const { fetch } = resolveJob({ seeds: ['example.org'], fetch: { allowPrivate } });
  const storage = allowStorage.map((place) => place.replace(/\/+$/, ''));
  return { allowPrivate: fetch.allowPrivate, modules: allowModules, storage };
}

function isHere(url: string): boolean {
  return /^(?:https?|wss?):\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i.test(url);
}

/** Named by the owner as it is, or an address or network, with or without scheme and port, within one of theirs. */
function isAllowed(place: string, { allowPrivate }: WorkerConsent): boolean {
  if (allowPrivate.includes(place)) return true;
  const part = parseRange(addressIn(place));
  if (!part) return false;
  return allowPrivate.some((own) => {
    const whole = parseRange(own);
    return whole !== undefined && isWithin(part, whole);
  });
}

/** `http://10.0.0.5:8080` and `10.0.0.5:8080` are at 10.0.0.5. */
function addressIn(place: string): string {
  const host = place.replace(/^https?:\/\//i, '').replace(/\/$/, '');
  return /^(\[[^\]]*\]|[\d.]+)(?::\d+)?$/.exec(host)?.[1] ?? place;
}

/** A coordinator elsewhere cannot have this machine read its own network, run code or use its credentials without its owner's word. */
export function requireConsent({ job }: LinkCrawl, consent: WorkerConsent | undefined): void {
  if (!consent) return;
  const places = job.fetch.allowPrivate.filter((place) => !isAllowed(place, consent));
  const modules = [job.scraper, ...job.save].filter(({ kind }) => kind === 'module').length;
  const flags = places.map((place) => `--allow-private ${place}`);
  if (modules > 0 && !consent.modules) flags.push('--allow-modules');
  const stores = job.save
    .flatMap((target) => (target.kind === 'warc' && target.objects ? [placeName(target.objects)] : []))
    .filter((place) => !consent.storage.some((ok) => place === ok || place.startsWith(`${ok}/`)));
  flags.push(...stores.map((place) => `--allow-storage ${place}`));
  if (flags.length === 0) return;
  const wishes = [
    ...(places.length > 0 ? [`read private addresses (${places.join(', ')})`] : []),
    ...(modules > 0 && !consent.modules ? ['run modules of this machine'] : []),
    ...stores.map((place) => `send captures to ${place} with the credentials of this machine`),
  ];
  throw new WebfarerError('usage', `the crawl ${job.name} wants to ${wishes.join(' and ')}`, {
    next: `If you agree, start the worker again with:  ${flags.join(' ')}`,
  });
}
