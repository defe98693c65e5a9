import type { Entry, PageRecord, Settlement } from '../../packages/protocol/src/index.ts';

type Ending = Pick<PageRecord, 'verdict' | 'reason' | 'status'>;

const endings: { from: number; ending: Ending }[] = [
  { from: 0, ending: { verdict: 'done', reason: 'ok', status: 200 } },
  { from: 80, ending: { verdict: 'done', reason: 'http-4xx', status: 404 } },
  { from: 90, ending: { verdict: 'failed', reason: 'timeout' } },
  { from: 94, ending: { verdict: 'failed', reason: 'http-5xx', status: 503 } },
  { from: 97, ending: { verdict: 'refused', reason: 'robots' } },
];

/** By the number at the end of the URL: most are pages, some end as pages of a real site do. */
export function settlementOf({ url, kind, depth, attempt }: Entry): Settlement {
  const share = Number(/\d+$/.exec(url)?.[0]) % 100;
  const { ending } = endings.findLast(({ from }) => share >= from) as (typeof endings)[0];
  const record: PageRecord = {
    url,
    kind,
    depth,
    ...ending,
    attempts: attempt + 1,
    bytes: ending.verdict === 'done' ? 20_000 : 0,
    startedAtMs: 1_700_000_000_000,
    durationMs: 120,
    links: 0,
    items: 0,
    title: `Page ${share}`,
    mime: 'text/html',
  };
  return { kind: 'outcome', url, record, offers: [], edges: [], items: [], dropped: {} };
}
