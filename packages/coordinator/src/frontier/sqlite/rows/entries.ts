import {
  type Band,
  type Entry,
  type EntryKind,
  type HostKey,
  type Offer,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { entryKinds } from '@webfarer/protocol/link';
import type { Database } from '../../../sqlite/node-sqlite.ts';

/** One known URL, as stored. `rest` is the URL behind its host: port if any, path and query. */
export interface EntryRow {
  id: number;
  pair: number;
  rest: string;
  bits: number;
  parent: number | null;
  cost: number | null;
  /** A label as it is; bytes where there is a request: see `askedAs`. */
  label: string | Uint8Array | null;
  attempt: number | null;
  deaths: number | null;
  /** Its place in the queue; null while it has the one it was given first, its id. See `placeIn`. */
  ord: number | null;
  record: number | null;
}

export interface EntryRows {
  /** `ord`: its place, where that is not its id. */
  insert(row: {
    id: number;
    pair: number;
    rest: string;
    parent: number | null;
    offer: Offer;
    ord: number | null;
  }): void;
  get(id: number): EntryRow | undefined;
  /** The next number for an entry or a new place in a queue. Never used twice. */
  nextId(): number;
  lastId(): number;
  /** Gives it a new place; its deaths are forgotten. */
  requeue(id: number, attempt: number, ord: number): void;
  /** Asks for it as this offer does, found on this entry. */
  upgrade(id: number, offer: Offer, parent: number | null): void;
  chargeDeath(id: number, deaths: number): void;
  settle(id: number, record: number): void;
  urlOf(id: number): Url;
  toEntry(row: EntryRow, host: HostKey): Entry;
  reload(): void;
}

/** Sitemaps come before everything else on their host. */
export function classOf(kind: EntryKind): number {
  return kind === 'sitemap' ? 0 : 1;
}

/** Numbers of entries and places are below this. */
const bandSize = 2 ** 31;

/** A place in a host's queue: behind all of a lower band, and in its band by number. */
export function placeIn(band: Band | 0, number: number): number {
  return band * bandSize + number;
}

export function bandOf(place: number | null): Band | 0 {
  return Math.floor((place ?? 0) / bandSize) as Band | 0;
}

export function kindOf(bits: number): EntryKind {
  return entryKinds[(bits >> 1) & 3] as EntryKind;
}

// Lowest bit: https. Then two bits of kind, eight of redirect hops, the rest depth.
const hopsLimit = 255;

function pack(rest: Offer): number {
  const hops = Math.min(rest.hops, hopsLimit);
  return (
    (rest.url.charCodeAt(4) === 0x73 ? 1 : 0) +
    entryKinds.indexOf(rest.kind) * 2 +
    hops * 8 +
    rest.depth * 2048
  );
}

/** Where a URL's host starts: behind `http://` or `https://`. */
function hostStart(url: string): number {
  return url.charCodeAt(4) === 0x3a ? 7 : 8;
}

/** What is left of a URL without its scheme and host. */
export function restOf(url: Url, host: HostKey): string {
  return url.slice(hostStart(url) + host.length);
}

export function joinUrl(bits: number, host: HostKey, rest: string): Url {
  return `${(bits & 1) === 1 ? 'https' : 'http'}://${host}${rest}` as Url;
}

const recentUrls = 1000;

/**
 * What an entry is asked for as. Few have a label and fewer a request, and a column more would cost every entry a byte: so
 * both share one, a label as text, a request with or without a label as bytes of JSON.
 */
export function askedAs(column: EntryRow['label']): Pick<Offer, 'label' | 'request'> {
  if (column === null) return {};
  if (typeof column === 'string') return { label: column };
  return JSON.parse(Buffer.from(column).toString()) as Pick<Offer, 'label' | 'request'>;
}

function askedColumn({ label, request }: Offer): EntryRow['label'] {
  return request === undefined ? (label ?? null) : Buffer.from(JSON.stringify({ label, request }));
}

export function entryRows(db: Database): EntryRows {
  const insert = db.prepare(
    'INSERT INTO entries (id, pair, rest, bits, parent, cost, label, ord) VALUES (?,?,?,?,?,?,?,?)',
  );
  // Most have neither cost nor label nor band, and every bound value takes its time.
  const insertPlain = db.prepare('INSERT INTO entries (id, pair, rest, bits, parent) VALUES (?,?,?,?,?)');
  const get = db.prepare('SELECT * FROM entries WHERE id = ?');
  const requeue = db.prepare(
    'UPDATE entries SET attempt = ?, deaths = NULL, ord = ?, record = NULL WHERE id = ?',
  );
  const upgrade = db.prepare('UPDATE entries SET bits = ?, parent = ?, cost = ?, label = ? WHERE id = ?');
  const chargeDeath = db.prepare('UPDATE entries SET deaths = ? WHERE id = ?');
  const settle = db.prepare('UPDATE entries SET record = ? WHERE id = ?');
  const place = db.prepare(
    `SELECT e.bits, e.rest, h.name FROM entries e JOIN pairs p ON p.id = e.pair JOIN hosts h ON h.id = p.host
     WHERE e.id = ?`,
  );
  const selectLast = db.prepare(
    "SELECT (SELECT max(id) FROM entries) AS id, (SELECT value FROM meta WHERE key = 'ord') AS ord",
  );
  let last = 0;

  /** Entries that stand together in a queue were mostly found on the same few pages. */
  const recent = new Map<number, Url>();

  function urlOf(id: number): Url {
    const known = recent.get(id);
    if (known !== undefined) return known;
    const { bits, rest, name } = place.get(id) as { bits: number; rest: string; name: HostKey };
    const url = joinUrl(bits, name, rest);
    if (recent.size >= recentUrls) recent.clear();
    recent.set(id, url);
    return url;
  }

  const rows: EntryRows = {
    insert({ id, pair, rest, parent, offer, ord }) {
      const bits = pack(offer);
      const asked = askedColumn(offer);
      if (offer.cost === 0 && asked === null && ord === null)
        return void insertPlain.run(id, pair, rest, bits, parent);
      const cost = offer.cost === 0 ? null : offer.cost;
      insert.run(id, pair, rest, bits, parent, cost, asked, ord);
    },
    get: (id) => get.get(id) as EntryRow | undefined,
    nextId() {
      // Fingerprints carry the number in 32 bits, signed.
      if (last >= 0x7fff_ffff) throw new WebfarerError('internal', 'this store cannot hold more URLs');
      return ++last;
    },
    lastId: () => last,
    requeue: (id, attempt, ord) => void requeue.run(attempt === 0 ? null : attempt, ord, id),
    upgrade(id, offer, parent) {
      upgrade.run(pack(offer), parent, offer.cost === 0 ? null : offer.cost, askedColumn(offer), id);
    },
    chargeDeath: (id, deaths) => void chargeDeath.run(deaths, id),
    settle: (id, record) => void settle.run(record, id),
    urlOf,
    toEntry(row, host) {
      const entry: Entry = {
        url: joinUrl(row.bits, host, row.rest),
        kind: kindOf(row.bits),
        depth: Math.floor(row.bits / 2048),
        cost: row.cost ?? 0,
        hops: (row.bits >> 3) & hopsLimit,
        attempt: row.attempt ?? 0,
      };
      if (row.deaths !== null) entry.deaths = row.deaths;
      const band = bandOf(row.ord);
      if (band !== 0) entry.band = band;
      if (row.label !== null) Object.assign(entry, askedAs(row.label));
      if (row.parent !== null) entry.referrer = urlOf(row.parent);
      return entry;
    },
    reload() {
      recent.clear();
      const row = selectLast.get() as { id: number | null; ord: number | null };
      last = Math.max(row.id ?? 0, row.ord ?? 0);
    },
  };
  rows.reload();
  return rows;
}
