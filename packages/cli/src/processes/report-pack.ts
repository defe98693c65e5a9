import {
  type LeaseReport,
  type Offer,
  packEdges,
  type PageRecord,
  type Settlement,
  type Url,
} from '@webfarer/protocol';

/**
 * Reports as bytes, packed by the worker process, so that the one process that stores them has little to do:
 * a length, JSON of that length, then the links of all pages as the store keeps them. Offers of a page that
 * differ in nothing but the URL are one string.
 */
type Outcome = Extract<Settlement, { kind: 'outcome' }>;

interface SentOutcome {
  kind: 'outcome';
  record: PageRecord;
  offers: SentOffers[];
  /** Their number, and how many bytes they take behind the JSON. */
  edges: [count: number, bytes: number];
  items: unknown[];
  dropped: Outcome['dropped'];
}

type SentOffers = [
  kind: Offer['kind'],
  depth: number,
  cost: number,
  hops: number,
  urls: string,
  label?: string,
];

interface SentReport extends Omit<LeaseReport, 'settled' | 'offers'> {
  settled: (SentOutcome | Exclude<Settlement, Outcome>)[];
  offers?: SentOffers[];
}

export function packReports(reports: LeaseReport[]): Uint8Array {
  const edges: Uint8Array[] = [];
  const sent = reports.map(({ settled, offers, ...rest }): SentReport => {
    const all = settled.map((one) => (one.kind === 'outcome' ? packOutcome(one, edges) : one));
    return { ...rest, settled: all, ...(offers ? { offers: packOffers(offers) } : {}) };
  });
  const json = Buffer.from(JSON.stringify(sent));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, ...edges]);
}

export function unpackReports(bytes: Uint8Array): LeaseReport[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 4 + all.readUInt32LE(0);
  const sent = JSON.parse(all.toString('utf8', 4, at)) as SentReport[];
  const take = (length: number) => all.subarray(at, (at += length));
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
  for (const { url, kind, depth, cost, hops, label } of offers) {
    const same = last && last[0] === kind && last[1] === depth && last[2] === cost && last[3] === hops;
    if (last && same && last[5] === label) {
      last[4] += `\n${url}`;
      continue;
    }
    last = label === undefined ? [kind, depth, cost, hops, url] : [kind, depth, cost, hops, url, label];
    runs.push(last);
  }
  return runs;
}

function unpackOffers(runs: SentOffers[]): Offer[] {
  const offers: Offer[] = [];
  for (const [kind, depth, cost, hops, urls, label] of runs) {
    for (const url of urls.split('\n') as Url[]) {
      offers.push(
        label === undefined ? { url, kind, depth, cost, hops } : { url, kind, depth, cost, label, hops },
      );
    }
  }
  return offers;
}
