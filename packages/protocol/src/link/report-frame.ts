import type { Url } from '../base/brands.ts';
import { packEdges } from './edge-codec.ts';
import type { Band, Offer, PageRequest } from '../base/entry.ts';
import type { LeaseReport, Settlement } from './link.ts';
import type { PageRecord } from '../crawl/record.ts';

/**
 * Reports as a worker sends them, packed there, so that the one process that stores them has little to do: the links
 * of all pages stand behind each other as the store keeps them, and offers of a page that differ in nothing but the
 * URL are one string.
 */
export interface SentReports {
  reports: SentReport[];
  /** The links of all pages, base64. */
  edges: string;
}

export type Outcome = Extract<Settlement, { kind: 'outcome' }>;

export interface SentOutcome {
  kind: 'outcome';
  record: PageRecord;
  offers: SentOffers[];
  /** Their number, and how many bytes of all links are theirs. */
  edges: [count: number, bytes: number];
  items: unknown[];
  dropped: Outcome['dropped'];
}

export type SentOffers = [
  kind: Offer['kind'],
  depth: number,
  cost: number,
  hops: number,
  urls: string,
  label?: string | null,
  band?: Band | null,
  request?: PageRequest,
];

export interface SentReport extends Omit<LeaseReport, 'settled' | 'offers'> {
  settled: (SentOutcome | Exclude<Settlement, Outcome>)[];
  offers?: SentOffers[];
}

/** What is sent of a report, and the links of its pages, which stand apart. */
export function packReport({ settled, offers, ...rest }: LeaseReport, edges: Uint8Array[]): SentReport {
  const all = settled.map((one) => (one.kind === 'outcome' ? packOutcome(one, edges) : one));
  return { ...rest, settled: all, ...(offers ? { offers: packOffers(offers) } : {}) };
}

/** The reports as they were; links stay in the form the store keeps them. */
export function unpackSent(sent: SentReport[], edges: Uint8Array): LeaseReport[] {
  let at = 0;
  const take = (length: number) => edges.subarray(at, (at += length));
  return sent.map(({ settled, offers, ...rest }) => ({
    ...rest,
    settled: settled.map((one) => (one.kind === 'outcome' ? unpackOutcome(one, take) : one)),
    ...(offers ? { offers: unpackOffers(offers) } : {}),
  }));
}

function packOutcome({ record, offers, edges, items, dropped }: Outcome, blobs: Uint8Array[]): SentOutcome {
  const packed =
    edges.length === 0 ? new Uint8Array() : 'packed' in edges ? edges.packed : packEdges(record.url, edges);
  blobs.push(packed);
  return {
    kind: 'outcome',
    record,
    offers: packOffers(offers),
    edges: [edges.length, packed.length],
    // What JSON has no word for is stored as null, here as there.
    items: items.map((item) => item ?? null),
    dropped,
  };
}

function unpackOutcome(
  { record, offers, edges: [length, bytes], items, dropped }: SentOutcome,
  take: (length: number) => Uint8Array,
): Outcome {
  const packed = take(bytes);
  const edges = length === 0 ? [] : { length, packed };
  return { kind: 'outcome', url: record.url, record, offers: unpackOffers(offers), edges, items, dropped };
}

/** A URL never holds a line end. */
function packOffers(offers: Offer[]): SentOffers[] {
  const runs: SentOffers[] = [];
  let last: SentOffers | undefined;
  for (const { url, kind, depth, cost, hops, label, band, request } of offers) {
    if (request !== undefined) {
      runs.push([kind, depth, cost, hops, url, label ?? null, band ?? null, request]);
      last = undefined;
      continue;
    }
    const same = last && last[0] === kind && last[1] === depth && last[2] === cost && last[3] === hops;
    if (last && same && (last[5] ?? undefined) === label && last[6] === band) {
      last[4] += `\n${url}`;
      continue;
    }
    last = label === undefined ? [kind, depth, cost, hops, url] : [kind, depth, cost, hops, url, label];
    if (band !== undefined) last = [kind, depth, cost, hops, url, label ?? null, band];
    runs.push(last);
  }
  return runs;
}

function unpackOffers(runs: SentOffers[]): Offer[] {
  const offers: Offer[] = [];
  for (const [kind, depth, cost, hops, urls, label, band, request] of runs) {
    for (const url of urls.split('\n') as Url[]) {
      const offer: Offer =
        typeof label === 'string'
          ? { url, kind, depth, cost, label, hops }
          : { url, kind, depth, cost, hops };
      if (band !== undefined && band !== null) offer.band = band;
      if (request !== undefined) offer.request = request;
      offers.push(offer);
    }
  }
  return offers;
}
