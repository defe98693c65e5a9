import type {
  CrawlId,
  HostKey,
  LeaseId,
  LeaseReport,
  PageRecord,
  ReportAnswer,
  Settlement,
  Url,
} from '@webfarer/protocol';
import { frameBounds } from '@webfarer/protocol/link';
import { expect, test } from 'vitest';
import { joinAnswers, packFrame, reportFrames } from './report-frames.ts';

type Outcome = Extract<Settlement, { kind: 'outcome' }>;

function page(n: number, changes: Partial<Outcome> = {}): Outcome {
  const url = `http://a.test/${n}` as Url;
  const record = { url, verdict: 'done', reason: 'ok', items: 0, links: 0 } as PageRecord;
  return { kind: 'outcome', url, record, offers: [], edges: [], items: [], dropped: {}, ...changes };
}

function report(id: string, settled: Settlement[], changes: Partial<LeaseReport> = {}): LeaseReport {
  const news = { endedAgoMs: 1, gapMs: 2, why: 'gap', health: 'ok' } as const;
  const ref = { id: id as LeaseId, crawl: 'c' as CrawlId, host: 'a.test' as HostKey, fence: 1 };
  return { ...ref, settled, news, close: true, ...changes };
}

const bounds = { bytes: 5_000, reports: 3, settled: 10 };
const pages = (count: number) => Array.from({ length: count }, (_, n) => page(n));

test('what fits goes as one frame, more reports than fit as several', () => {
  expect(reportFrames([report('a', pages(1)), report('b', pages(1))], bounds)).toHaveLength(1);
  const many = reportFrames(
    ['a', 'b', 'c', 'd'].map((id) => report(id, [])),
    bounds,
  );
  expect(many.map(({ of }) => of)).toEqual([[0, 1, 2], [3]]);
});

test('a long report is cut between pages; only its last part closes the lease, and its news come with all', () => {
  const robots = [{ origin: 'http://a.test', fetchedAtMs: 1, state: 'absent' as const, body: '' }];
  const frames = reportFrames([report('a', pages(12), { robots })], bounds);
  const parts = frames.flatMap(({ reports }) => reports);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.map(({ close }) => close)).toEqual(parts.map((_, i) => i === parts.length - 1));
  expect(parts.map((part) => part.robots?.length ?? 0)).toEqual(parts.map((_, i) => (i === 0 ? 1 : 0)));
  const urls = parts.flatMap(({ settled }) =>
    settled.map((one) => (one.kind === 'outcome' ? one.record.url : '')),
  );
  expect(urls).toEqual(pages(12).map(({ url }) => url));
  const answers = frames.map(({ of }) => of.map((): ReportAnswer => ({ ok: true, accepted: 1, known: 2 })));
  const sum = { ok: true, accepted: parts.length, known: 2 * parts.length };
  expect(joinAnswers(1, frames, answers)).toEqual([sum]);
  answers[1] = [{ ok: false }];
  expect(joinAnswers(1, frames, answers)).toEqual([{ ok: false }]);
});

test('no page is too large to be told of: links go first, then its data, with the figure', () => {
  const huge = frameBounds.bytes;
  const edges = { length: 9, packed: new Uint8Array(huge) };
  const [links] = reportFrames([report('a', [page(1, { edges })])]);
  expect(packFrame(links?.reports ?? []).edges).toBe('');
  const [data] = reportFrames([report('a', [page(1, { edges, items: ['x'.repeat(huge)] })])]);
  const [settled] = data?.reports[0]?.settled ?? [];
  expect(settled).toMatchObject({ items: [], record: { verdict: 'failed', reason: 'handler' } });
  expect(JSON.stringify(settled)).toMatch(/takes \d+ MB, more than the link can carry/);
});
