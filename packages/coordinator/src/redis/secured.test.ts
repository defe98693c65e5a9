import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type HostLease, systemClock } from '@webfarer/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../../../test/fake-web/certificates.ts';
import { type RedisServers, startRedis } from '../../../../test/redis/servers.ts';
import { frontierSuite } from '../frontier/suite/frontier.suite.ts';
import { answered, crawlA, offerOf, outcome, settings, worker } from '../frontier/suite/world.fixture.ts';
import { joinStore } from '../store/join-store.ts';
import { openRedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { aclRules } from './refusals/rights.ts';
import { openStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-secured-'));
const trusted = getCACertificates();
let one: RedisServers;
let cluster: RedisServers;

async function securedServers(primaries: number): Promise<RedisServers> {
  const replicasEach = primaries === 1 ? 0 : 1;
  const servers = await startRedis({ primaries, replicasEach, certificates: folder });
  for (const node of servers.nodes)
    await node.ask('ACL', 'SETUSER', 'webfarer', 'on', '>a/secret', ...aclRules());
  return servers;
}

beforeAll(async () => {
  const { caFile } = await makeCertificates(folder, ['localhost']);
  setDefaultCACertificates([...trusted, readFileSync(caFile, 'utf8')]);
  [one, cluster] = await Promise.all([securedServers(1), securedServers(3)]);
});

afterAll(async () => {
  setDefaultCACertificates(trusted);
  await Promise.all([one.stop(), cluster.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const signedIn = (servers: RedisServers) => servers.secureUrl('webfarer:a%2Fsecret');

describe('a store behind TLS, for a user who may do no more than a crawl needs', () => {
  const under = {
    name: 'Redis behind TLS',
    async open(clock: Parameters<typeof openRedisFrontier>[0]['clock']) {
      await one.nodes[0]?.ask('FLUSHALL');
      const store = await openStore({ url: signedIn(one), replicas: 0, clock: systemClock() });
      return await openRedisFrontier({ store, clock, time: 'given', groups: 16 });
    },
  };
  frontierSuite(under);

  it('may neither erase everything nor read what is of others', async () => {
    const store = await openStore({ url: signedIn(one), replicas: 0, clock: systemClock() });
    for (const args of [
      ['FLUSHALL'],
      ['GET', 'other'],
      ['CONFIG', 'SET', 'appendonly', 'no'],
      ['SHUTDOWN'],
    ]) {
      await expect(store.run([{ key: '{wf}', args }])).rejects.toMatchObject({ code: 'store-denied' });
    }
    await store.close();
  });

  it.each([
    ['one server', () => one],
    ['a cluster whose nodes encrypt among themselves', () => cluster],
  ])('is crawled on with strict durability on %s', async (_, servers) => {
    for (const { role, ask } of servers().nodes) if (role === 'primary') await ask('FLUSHALL');
    const url = signedIn(servers());
    const joined = await joinStore({ url, durability: 'strict', insecure: false }, systemClock());
    expect(joined.warnings.join()).not.toContain('not encrypted');
    const { frontier } = joined;
    await frontier.openCrawl({ ...settings, gapMs: 0 });
    const seeds = Array.from({ length: 20 }, (_, n) => offerOf(`http://h${n}.test/`));
    expect(new Set(await frontier.offer(crawlA, seeds))).toEqual(new Set(['accepted']));
    const leases: HostLease[] = [];
    // A primary that is slow to answer is not waited for.
    await expect
      .poll(
        async () => leases.push(...(await frontier.lease({ worker, hosts: 20, urlsPerHost: 1 })).leases),
        {
          timeout: 10_000,
        },
      )
      .toBe(20);
    const reports = leases.map(({ id, crawl, host, fence, entries: [entry] }) => {
      const offers = seeds.map(({ url }) => offerOf(`${url}next`));
      const settled = [outcome(entry!, { offers })];
      return { id, crawl, host, fence, settled, news: answered, close: true };
    });
    expect(await frontier.report(reports)).toHaveLength(20);
    expect(await frontier.balance(crawlA)).toMatchObject({ done: 20 });
    await frontier.close();
  });

  it('is refused with a wrong password, and with none', async () => {
    const wrong = one.secureUrl('webfarer:wrong');
    for (const url of [wrong, `redis://localhost:${one.nodes[0]?.tlsPort}`]) {
      const joining = joinStore({ url, durability: 'strict', insecure: false }, systemClock());
      await expect(joining).rejects.toMatchObject({ code: 'store-silent' });
    }
  });
});
