import type { HostKey, OutcomeReason, PageRecord, Verdict } from '@webfarer/protocol';
import { packFetched, type Stored, unpackFetched } from '../../fetched-text.ts';
import { freshTail, readEntry } from './entry-text.ts';
import type { Reply } from '../../../redis/wire/resp.ts';

/** What is not known from the entry: URL, kind, depth, label, request and referrer are stored once, with it. */
export function recordText(record: PageRecord): string {
  const { url: _url, kind: _kind, depth: _depth, label: _label, request: _request, ...rest } = record;
  const { referrer: _referrer, ...more } = rest;
  return JSON.stringify(packFetched(more));
}

const readRecord = (text: string): PageRecord => unpackFetched(JSON.parse(text) as Stored<PageRecord>);

/** One record of the stream, with what its page yielded, still packed. */
export interface StreamRecord {
  /** `ms-n`: when it was settled, in the time of its group. */
  id: string;
  group: number;
  /** Read from a file that it was drained to. */
  inFile: boolean;
  host: HostKey;
  /** The entry as it was queued first. */
  entry: string;
  record: PageRecord;
  itemsText: string;
  edgesText: string;
}

export function readStreamRecord(group: number, reply: Reply): StreamRecord {
  const [id, flat] = reply as [string, string[]];
  const fields = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) fields.set(flat[i] ?? '', flat[i + 1] ?? '');
  const [host, key, tail] = (fields.get('q') ?? '').split('\n') as [HostKey, string, string];
  const { url, kind, depth, label, request, referrer, attempt } = readEntry(key, tail, host);
  const data = fields.get('d');
  const rest = data === undefined ? unfetched(id, attempt, fields) : readRecord(data);
  const record: PageRecord = { ...rest, url, kind, depth };
  if (label !== undefined) record.label = label;
  if (request !== undefined) record.request = request;
  if (referrer !== undefined) record.referrer = referrer;
  const entry = `${key}\n${freshTail(tail)}`;
  const itemsText = fields.get('i') ?? '';
  return { id, group, inFile: false, host, entry, record, itemsText, edgesText: fields.get('e') ?? '' };
}

/** The outcome of a URL that no worker has reported. */
function unfetched(
  id: string,
  attempts: number,
  fields: Map<string, string>,
): Omit<PageRecord, 'url' | 'kind' | 'depth'> {
  const reason = fields.get('x') as OutcomeReason;
  return {
    reason,
    verdict: fields.get('v') as Verdict,
    ...detailOf(reason, fields.get('t') ?? ''),
    attempts,
    bytes: 0,
    startedAtMs: Number(id.split('-')[0]),
    durationMs: 0,
    links: 0,
    items: 0,
  };
}

function detailOf(reason: OutcomeReason, text: string): { detail?: string } {
  const [count = '', dead = ''] = text.split(' ');
  if (reason === 'poison') return { detail: `${count} workers died while fetching it` };
  if (reason !== 'host-dead') return {};
  return { detail: `${count} failed rounds without a response, the last one: ${dead}` };
}
