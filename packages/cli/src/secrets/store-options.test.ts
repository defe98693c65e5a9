import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificates } from '../../../../test/fake-web/certificates.ts';
import { type RedisServers, startRedis } from '../../../../test/redis/servers.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';
import { storeOptionsIn } from './store-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-store-options-'));
let servers: RedisServers;
let url: string;

beforeAll(async () => {
  await makeCertificates(folder, ['localhost']);
  servers = await startRedis({ certificates: folder, settings: { 'tls-auth-clients': 'yes' } });
  url = `rediss://localhost:${servers.nodes[0]?.tlsPort}`;
});
afterAll(async () => {
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(env: NodeJS.ProcessEnv, ...argv: string[]) {
  const { context, out, err } = fakeWorld(folder, {}, argv);
  const secrets = {
    ...(env.WEBFARER_STORE === undefined ? {} : { store: env.WEBFARER_STORE }),
    storeOptions: storeOptionsIn(env),
  };
  const exit = await runCli(argv, { ...context, clock: systemClock(), local: localCrawls, secrets });
  return { exit, out: out(), err: err() };
}

const typed = ['--store-ca', 'ca.pem', '--store-cert', 'server.pem', '--store-key', 'server.key'];
const inEnvironment = {
  WEBFARER_STORE_CA: 'ca.pem',
  WEBFARER_STORE_CERT: 'server.pem',
  WEBFARER_STORE_KEY: 'server.key',
};

describe('how a store is reached', () => {
  test('is said by options, by the environment, or in the address', async () => {
    const words = ['store', 'crawls', '--json'];
    const files = `ca=${folder}/ca.pem&cert=${folder}/server.pem&key=${folder}/server.key`;
    const found = [
      await run({}, ...words, '--store', url, ...typed),
      await run(inEnvironment, ...words, '--store', url),
      await run({ ...inEnvironment, WEBFARER_STORE: url }, ...words),
      await run({}, ...words, '--store', `${url}?${files}`),
    ];
    expect(found.map(({ exit, err }) => [exit, err])).toEqual(found.map(() => [0, '']));
  });

  test('counts in this order: options, the address, the environment', async () => {
    const wrong = { ...inEnvironment, WEBFARER_STORE_CA: 'none.pem' };
    const words = ['store', 'crawls', '--json', '--store'];
    expect((await run(wrong, ...words, url)).err).toContain(`${folder}/none.pem: no`);
    expect((await run(wrong, ...words, `${url}?ca=${folder}/ca.pem`)).exit).toBe(0);
    expect((await run(wrong, ...words, url, '--store-ca', 'ca.pem')).exit).toBe(0);
  });

  test('says nothing without a store, and is refused with the next step', async () => {
    const { exit, err } = await run({}, 'crawl', 'example.org', '--store-ca', 'ca.pem');
    expect([exit, err]).toEqual([2, expect.stringContaining('--store-ca needs --store')]);
    const refused = await run({}, 'store', 'crawls', '--store', url, '--store-ca', 'ca.pem');
    expect(refused.err).toContain('requires a client certificate');
    expect(refused.err).toContain('--store-cert FILE --store-key FILE');
    expect(refused.err).not.toMatch(/^\s+at /m);
  });
});

test('the rights that crawls need are printed', async () => {
  const { exit, out } = await run({}, 'store', 'acl', '--user', 'crawler');
  expect(exit).toBe(0);
  expect(out).toMatch(/^ACL SETUSER crawler on >PASSWORD resetkeys ~\{g\* ~\{wf\}\* .* \+fcall .*\n$/);
});

test('doctor checks a store: reachable, rights and settings', async () => {
  const doctor = ['doctor', '--json', '--dns', '127.0.0.1:9', '--store'];
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { of: string; name: string; ok: boolean; text: string })
      .filter(({ of }) => of === 'the store');
  const good = lines((await run({}, ...doctor, url, ...typed)).out);
  expect(good.map(({ name, ok }) => [name, ok])).toEqual([
    ['store', true],
    ['rights', true],
    ['settings', true],
  ]);
  await servers.nodes[0]?.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  const evicting = await run({}, ...doctor, url, ...typed);
  expect([evicting.exit, lines(evicting.out).find(({ ok }) => !ok)?.text]).toEqual([
    4,
    expect.stringContaining('evicts keys (allkeys-lru)'),
  ]);
  const refused = lines((await run({}, ...doctor, url)).out);
  expect(refused).toMatchObject([{ name: 'store', ok: false, next: expect.stringContaining('--store-ca') }]);
});
