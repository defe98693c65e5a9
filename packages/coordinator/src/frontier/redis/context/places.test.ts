import { systemClock, type WorkerId } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import type { StoreCall } from '../../../redis/client/call.ts';
import { openStore } from '../../../redis/store.ts';
import { type TestClock, testClock } from '../../suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, settings } from '../../suite/world.fixture.ts';
import { openRedisFrontier, type RedisFrontier } from '../redis-frontier.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 16;
const hours = 3_600_000;
const ask = { worker: 'w' as WorkerId, hosts: 32, urlsPerHost: 1 };
const opened: RedisFrontier[] = [];

afterEach(async () => {
  for (const frontier of opened.splice(0)) await frontier.close();
});

/** Processes that sweep at each step, and how often scripts are sent that change or ask groups. */
async function lab() {
  const { url, nodes } = await servers();
  await nodes[0]?.ask('FLUSHALL');
  const clock = testClock();
  let calls: StoreCall[] = [];
  const open = async () => {
    const fault = (sent: StoreCall[]) => void calls.push(...sent);
    const store = await openStore({ url, replicas: 0, clock: systemClock(), fault });
    const frontier = await openRedisFrontier({ store, clock, time: 'given', groups });
    opened.push(frontier);
    return frontier;
  };
  /** How many groups a step sweeps, and how many it only asks whether they have changed. */
  async function step(frontier: RedisFrontier): Promise<{ swept: number; asked: number }> {
    calls = [];
    await frontier.sweep();
    const swept = calls.filter(({ script }) => script?.name.startsWith('wf_sweep_')).length;
    return { swept, asked: calls.filter(({ args }) => String(args[1]).endsWith('}v')).length };
  }
  return { clock, open, step };
}

/** Until what has changed is known to be over. */
async function rest(frontier: RedisFrontier, clock: TestClock): Promise<void> {
  for (let n = 0; n < 3; n++) {
    clock.advance(1_100);
    await frontier.sweep();
  }
}

const hosts = Array.from({ length: 80 }, (_, n) => offerOf(`http://h${n}.test/`));

it('groups that have not changed are asked by one command, and swept in their turn alone', async () => {
  const { clock, open, step } = await lab();
  const frontier = await open();
  await openSeeded(frontier, { ...settings, gapMs: hours });
  await frontier.offer(crawlA, hosts);
  expect((await step(frontier)).swept).toBe(groups);
  await rest(frontier, clock);
  expect(await step(frontier)).toEqual({ swept: 1, asked: groups });
  await frontier.offer(crawlA, [offerOf('http://new.test/')]);
  expect((await step(frontier)).swept).toBeLessThanOrEqual(2);
});

it('what another process does in a group at rest is found by the next sweep', async () => {
  const { clock, open } = await lab();
  const [here, there] = [await open(), await open()];
  await openSeeded(here, { ...settings, gapMs: hours });
  await here.offer(crawlA, hosts);
  const { leases } = await here.lease({ ...ask, hosts: hosts.length });
  const news = { endedAgoMs: 0, gapMs: hours, why: 'gap', health: 'ok' } as const;
  await here.report(leases.map((lease) => ({ ...lease, settled: [], news, close: true })));
  await rest(here, clock);
  await there.sweep();
  // A host for most groups, so that the turn of one of them explains nothing.
  for (const offer of Array.from({ length: 30 }, (_, n) => offerOf(`http://late${n}.test/`))) {
    expect(here.dueInMs(crawlA)).toBeGreaterThan(hours / 2);
    await there.offer(crawlA, [offer]);
    await here.sweep();
    expect(here.dueInMs(crawlA)).toBe(0);
    const [lease] = (await there.lease({ ...ask, hosts: 1 })).leases;
    await there.report([{ ...lease!, settled: [], news, close: true }]);
    await rest(here, clock);
  }
});

it('a group with hosts that a full site shuts out is swept each time, beside the one whose turn it is', async () => {
  const { clock, open, step } = await lab();
  const frontier = await open();
  await openSeeded(frontier, { ...settings, gapMs: hours, limits: { sitePages: 1 } });
  await frontier.offer(
    crawlA,
    ['a', 'b', 'c'].map((name) => offerOf(`http://${name}.one.test/`)),
  );
  await frontier.offer(crawlA, hosts);
  expect((await frontier.lease({ ...ask, hosts: 100 })).leases).toHaveLength(hosts.length + 1);
  await rest(frontier, clock);
  const swept: number[] = [];
  for (let n = 0; n < 2 * groups; n++) swept.push((await step(frontier)).swept);
  expect(swept).toEqual(swept.map(() => 2));
});
