import { systemClock, type WorkerId } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { testClock } from '../suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, settings } from '../suite/world.fixture.ts';
import { onlyCrawl } from './only-crawl.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const clock = testClock();

async function coordinator() {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  return await openRedisFrontier({ store, clock, time: 'given', groups: 4 });
}

it('a coordinator that still works on a deleted crawl does nothing to another one of its name', async () => {
  const [here, late] = [await coordinator(), await coordinator()];
  await openSeeded(late, { ...settings, gapMs: 0 });
  const nonce = (await late.nonceOf(crawlA)) ?? '';
  const old = onlyCrawl(late, { id: crawlA, nonce });
  await old.offer(crawlA, [offerOf('http://a.test/')]);
  expect(await old.state(crawlA)).toBe('running');
  await here.erase([{ id: crawlA, nonce }]);
  await openSeeded(here, { ...settings, gapMs: 0 });
  await here.offer(crawlA, [offerOf('http://b.test/')]);
  // It has looked since, and would find the new one by the id.
  await late.sweepWhole();
  expect(await late.nonceOf(crawlA)).not.toBe(nonce);
  const codeOf = (call: Promise<unknown>) => call.then(String, ({ code }: { code?: string }) => code);
  expect(await codeOf(old.setState(crawlA, 'paused'))).toBe('not-found');
  expect(await codeOf(old.seed(crawlA, [offerOf('http://c.test/')], { last: true }))).toBe('not-found');
  expect(await codeOf(old.finish(crawlA))).toBe('not-found');
  const worker = 'w' as WorkerId;
  expect(await old.lease({ worker, hosts: 1, urlsPerHost: 1, crawls: [crawlA] })).toMatchObject({
    leases: [],
  });
  expect(await codeOf(old.leaseHost({ worker, crawl: crawlA, host: 'b.test' as never }))).toBe('not-found');
  expect(await here.state(crawlA)).toBe('running');
  expect(await here.balance(crawlA)).toMatchObject({ known: 1, queued: 1 });
  await here.close();
  await late.close();
});
