import {
  type CrawlId,
  type LeaseReport,
  type Offer,
  type ReportAnswer,
  type Settlement,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { createKnownOffers, type KnownOffers } from './known-offers.ts';

const offer = (url: string, label?: string) =>
  ({ url: url as Url, kind: 'page', depth: 1, cost: 0, hops: 0, ...(label ? { label } : {}) }) as Offer;

function report(links: string[], loose?: string[], crawl = 'c'): LeaseReport {
  const settled = [{ kind: 'outcome', offers: links.map((url) => offer(url)) }] as unknown as Settlement[];
  const own = { crawl: crawl as CrawlId, settled };
  return { ...own, ...(loose ? { offers: loose.map((url) => offer(url)) } : {}) } as LeaseReport;
}

function links({ settled: [first], offers = [] }: LeaseReport): string[] {
  const found = first?.kind === 'outcome' ? first.offers : [];
  return [...found, ...offers].map(({ url }) => url);
}

/** A store that knows whatever was offered in its epoch, and rejects what was trimmed in another. */
function createStore() {
  const sent: string[][] = [];
  return {
    epoch: 'e1',
    sent,
    send(reports: LeaseReport[]): Promise<ReportAnswer[]> {
      for (const one of reports) sent.push(links(one));
      if (reports.some(({ trimmedIn }) => trimmedIn !== undefined && trimmedIn !== this.epoch))
        return Promise.reject(new WebfarerError('epoch-changed', 'gone back'));
      const { epoch } = this;
      return Promise.resolve(
        reports.map((one) => ({ ok: true, accepted: links(one).length, known: 0, epoch })),
      );
    },
  };
}

async function sentBy(known: KnownOffers, reports: LeaseReport[], answers: ReportAnswer[]) {
  let sent: LeaseReport[] = [];
  await known.report(reports, (trimmed) => {
    sent = trimmed;
    return Promise.resolve(answers);
  });
  return sent.map(links);
}

test('leaves out what the store knows, and says in which epoch it knew it', async () => {
  const [known, store] = [createKnownOffers(), createStore()];
  const send = store.send.bind(store);
  await known.report([report(['a', 'b'], ['c'])], send);
  let trimmed: LeaseReport[] = [];
  await known.report([report(['b', 'd', 'a'], ['c', 'e']), report(['z'])], (reports) => {
    trimmed = reports;
    return store.send(reports);
  });
  expect(store.sent).toEqual([['a', 'b', 'c'], ['d', 'e'], ['z']]);
  expect(trimmed.map(({ trimmedIn }) => trimmedIn)).toEqual(['e1', undefined]);
});

test('sends the whole report when the epoch of the store has changed, and learns anew', async () => {
  const [known, store] = [createKnownOffers(), createStore()];
  const send = store.send.bind(store);
  await known.report([report(['a', 'b'])], send);
  store.epoch = 'e2';
  expect(await known.report([report(['a', 'b', 'c'])], send)).toMatchObject([{ ok: true, accepted: 3 }]);
  expect(store.sent.splice(0)).toEqual([['a', 'b'], ['c'], ['a', 'b', 'c']]);
  await known.report([report(['a'])], send);
  await known.report([report(['a', 'x'])], send);
  expect(store.sent).toEqual([['a'], ['x']]);
});

test('drops what it knows as soon as an answer names another epoch', async () => {
  const known = createKnownOffers();
  await sentBy(known, [report(['a'])], [{ ok: true, accepted: 1, known: 0, epoch: 'e1' }]);
  await sentBy(known, [report(['b'])], [{ ok: true, accepted: 1, known: 0, epoch: 'e2' }]);
  expect(await sentBy(known, [report(['a', 'b'])], [])).toEqual([['a']]);
});

test('keeps crawls apart, and offers a known URL again under another label', async () => {
  const known = createKnownOffers();
  await sentBy(known, [report(['a'])], [{ ok: true, accepted: 1, known: 0, epoch: 'e1' }]);
  expect(await sentBy(known, [report(['a'], [], 'other')], [])).toEqual([['a']]);
  const labelled = { ...report([]), offers: [offer('a', 'shop')] };
  expect(await sentBy(known, [labelled], [{ ok: true, accepted: 0, known: 1, epoch: 'e1' }])).toEqual([
    ['a'],
  ]);
  expect(await sentBy(known, [labelled], [])).toEqual([[]]);
});

test('offers again what was over a budget, came too late, failed or has no epoch', async () => {
  const known = createKnownOffers();
  const reports = [report(['a', 'b']), report(['c']), report(['d'])];
  // One of two was dropped, nobody says which; the other lease was over; the last was kept in an outbox.
  const answers: ReportAnswer[] = [
    { ok: true, accepted: 1, known: 0, epoch: 'e1' },
    { ok: false },
    { ok: true, accepted: 1, known: 0 },
  ];
  await sentBy(known, reports, answers);
  await sentBy(known, [report(['a'])], []);
  await expect(known.report([report(['a'])], () => Promise.reject(new Error('lost')))).rejects.toThrow(
    'lost',
  );
  expect(await sentBy(known, [report(['a', 'b', 'c', 'd'])], [])).toEqual([['a', 'b', 'c', 'd']]);
});

test('forgets the oldest, and leaves retries as they are', async () => {
  const known = createKnownOffers(2);
  for (const url of ['a', 'b', 'c', 'd', 'e'])
    await sentBy(known, [report([url])], [{ ok: true, accepted: 1, known: 0, epoch: 'e1' }]);
  expect(await sentBy(known, [report(['a', 'b', 'c', 'd', 'e'])], [])).toEqual([['a', 'b']]);
  const retry = { crawl: 'c', settled: [{ kind: 'retry', url: 'x' }] } as unknown as LeaseReport;
  await known.report([retry], (sent) => {
    expect(sent).toEqual([retry]);
    return Promise.resolve([]);
  });
});

test('offers a known URL again with data, and then no more', async () => {
  const known = createKnownOffers();
  await sentBy(known, [report(['a'])], [{ ok: true, accepted: 1, known: 0, epoch: 'e1' }]);
  const asked = { ...report([]), offers: [{ ...offer('a'), request: { data: 1 } }] };
  const answer: ReportAnswer = { ok: true, accepted: 0, known: 1, epoch: 'e1' };
  expect(await sentBy(known, [asked], [answer])).toEqual([['a']]);
  expect(await sentBy(known, [asked], [answer])).toEqual([[]]);
});
