import { gzipSync } from 'node:zlib';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { groupOf, suffixRules } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, outcome, quiet, settings } from '../frontier/suite/world.fixture.ts';
import { openRedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openStore } from './store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });

async function open() {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  return await openRedisFrontier({ store, clock: testClock(), time: 'given', groups: 1024 });
}

async function node() {
  const { nodes } = await servers();
  return nodes[0]!;
}

describe('a store that was made with another public suffix list', () => {
  it('goes on with its own', async () => {
    await (await node()).ask('FLUSHALL');
    // As a release would have made it before github.io was in the list.
    const rules = (await suffixRules()).replace('\ngithub.io\n', '\n');
    const kept = gzipSync(rules).toString('base64');
    await (await node()).ask('HSET', '{wf}v', 'suffixes', 'an older list', 'suffixRules', kept);
    const frontier = await open();
    await openSeeded(frontier, { ...settings, gapMs: 0 });
    await frontier.offer(crawlA, [offerOf('https://me.github.io/'), offerOf('https://you.github.io/')]);
    // Both are of one site, and so of one group, by that list.
    const tag = `{g${groupOf('github.io' as never)}}`;
    expect(await (await node()).ask('HGET', `${tag}1c`, 'queued')).toBe('2');
    const ask = { worker: 'w' as WorkerId, hosts: 2, urlsPerHost: 1 };
    await frontier.sweep();
    const { leases } = await frontier.lease(ask);
    const reports = leases.map((lease) => ({
      ...lease,
      settled: [outcome(lease.entries[0]!)],
      news: quiet,
      close: true,
    }));
    expect(await frontier.report(reports)).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await frontier.finish(crawlA)).toBe(true);
    await frontier.close();
  });

  it('is given the list by the release that made it, and refused by others before', async () => {
    await (await node()).ask('FLUSHALL');
    await (await node()).ask('HSET', '{wf}v', 'suffixes', 'an older list');
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining('another public suffix list (an older list)'),
      next: expect.stringContaining('Open it once with the release that created it'),
    });
    await (await node()).ask('FLUSHALL');
    await (await open()).close();
    const kept = await (await node()).askText('HGET', '{wf}v', 'suffixRules');
    expect(kept.length).toBeGreaterThan(10_000);
  });
});
