import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CrawlId,
  type HostKey,
  type LeaseId,
  type LeaseReport,
  type Offer,
  type PageRecord,
  type Settlement,
  systemClock,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import type { SentReports } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Call, Conversation } from './conversation.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { openOutbox } from './outbox.ts';

let folder: string;
let delivery: Delivery;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-delivery-'));
  const outbox = await openOutbox(join(folder, 'outbox.jsonl'));
  const nothing = () => undefined;
  delivery = createDelivery({ outbox, clock: systemClock(), closed: nothing, refused: nothing });
});
afterEach(async () => {
  await delivery.close();
  rmSync(folder, { recursive: true, force: true });
});

function report(links: string[]): LeaseReport {
  const url = 'http://a.test/' as Url;
  const record = { url, verdict: 'done', reason: 'ok', items: 0, links: 0 } as PageRecord;
  const offers = links.map((link) => ({ url: link, kind: 'page', depth: 1, cost: 0, hops: 0 }) as Offer);
  const news = { endedAgoMs: 1, gapMs: 2, why: 'gap', health: 'ok' } as const;
  const ref = { id: 'l' as LeaseId, crawl: 'c' as CrawlId, host: 'a.test' as HostKey, fence: 1 };
  const outcome: Settlement = { kind: 'outcome', url, record, offers, edges: [], items: [], dropped: {} };
  return { ...ref, settled: [outcome], news, close: false };
}

/** A coordinator on a store of this epoch; it can be lost, and then answers nothing. */
function coordinator(epoch: string) {
  const sent: (string | undefined)[] = [];
  const state = { lost: false };
  const talk = {
    call(request: Call) {
      if (state.lost) return Promise.reject(new WebfarerError('link-lost', 'gone'));
      const { reports } = request as unknown as SentReports;
      const links = reports.map(({ settled: [one] }) => (one?.kind === 'outcome' ? one.offers : []));
      sent.push(...links.map((runs) => runs.map(([, , , , urls]) => urls).join('\n')));
      if (reports.some(({ trimmedIn }) => trimmedIn !== undefined && trimmedIn !== epoch))
        return Promise.reject(new WebfarerError('epoch-changed', 'gone back'));
      return Promise.resolve(
        links.map((runs) => ({
          ok: true,
          accepted: runs.flatMap((r) => r[4].split('\n')).length,
          known: 0,
          epoch,
        })),
      );
    },
  } as unknown as Conversation;
  return { talk, sent, state };
}

test('leaves out what the store knows, as long as its epoch is the same', async () => {
  const first = coordinator('e1');
  await delivery.connect(first.talk);
  await delivery.report([report(['a', 'b'])]);
  await delivery.report([report(['a', 'b', 'c'])]);
  expect(first.sent).toEqual(['a\nb', 'c']);
  delivery.disconnect(first.talk);
  const second = coordinator('e2');
  await delivery.connect(second.talk);
  await delivery.report([report(['a', 'd'])]);
  expect(second.sent).toEqual(['d', 'a\nd']);
});

test('keeps reports with all their links while no coordinator is there', async () => {
  const first = coordinator('e1');
  await delivery.connect(first.talk);
  await delivery.report([report(['a', 'b'])]);
  first.state.lost = true;
  expect(await delivery.report([report(['a', 'b', 'c'])])).toEqual([{ ok: true, accepted: 0, known: 0 }]);
  delivery.disconnect(first.talk);
  await delivery.report([report(['b', 'd'])]);
  expect(delivery.waiting).toBe(2);
  const second = coordinator('e2');
  await delivery.connect(second.talk);
  expect(second.sent).toEqual(['a\nb\nc', 'b\nd']);
  expect(delivery.waiting).toBe(0);
});
