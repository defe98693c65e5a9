import type { FetchedFacts, PageRecord } from '@webfarer/protocol';

/**
 * How a page was fetched, as stores keep it: `WORKER WAITED PHASES`, with a hyphen for what is not known. Phases are `r`
 * for a reused connection, or the milliseconds of look-up, connection and TLS. There is one for every page: as JSON it
 * would take three times as much.
 */
export type FetchedText = string;

/** A record as it is stored: everything but how it was fetched as it is. */
export type Stored<R> = Omit<R, 'fetched'> & { f?: FetchedText };

const unknown = '-';

export function packFetched<R extends Pick<PageRecord, 'fetched'>>(record: R): Stored<R> {
  if (record.fetched === undefined) return record as Stored<R>;
  const { fetched, ...rest } = record;
  return { ...rest, f: textOf(fetched) } as Stored<R>;
}

export function unpackFetched<R extends Pick<PageRecord, 'fetched'>>(stored: Stored<R>): R {
  const { f, ...record } = stored;
  return (f === undefined ? record : { ...record, fetched: readText(f) }) as unknown as R;
}

function textOf({ by, waitedMs, reused, dnsMs, connectMs, tlsMs }: FetchedFacts): FetchedText {
  const start = `${by ?? unknown} ${word(waitedMs)}`;
  if (reused) return `${start} r`;
  const phases = [dnsMs, connectMs, tlsMs].map(word);
  while (phases.at(-1) === unknown) phases.pop();
  return [start, ...phases].join(' ');
}

function word(ms: number | undefined): string {
  return ms === undefined ? unknown : String(ms);
}

function readText(text: FetchedText): FetchedFacts {
  const [by = unknown, waited, first, connect, tls] = text.split(' ');
  const facts: FetchedFacts = {};
  if (by !== unknown) facts.by = by;
  const isKnown = (text: string | undefined): text is string => text !== undefined && text !== unknown;
  if (isKnown(waited)) facts.waitedMs = Number(waited);
  if (isKnown(first) && first !== 'r') facts.dnsMs = Number(first);
  if (isKnown(connect)) facts.connectMs = Number(connect);
  if (isKnown(tls)) facts.tlsMs = Number(tls);
  if (first === 'r') facts.reused = true;
  return facts;
}
