import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RedisServers, startRedis } from '../../../test/redis/servers.ts';
import { type ApiServer, openApiServer } from './api-server.fixture.ts';
import { aclRules } from './redis/refusals/rights.ts';

let folder: string;
let servers: RedisServers;
let api: ApiServer | undefined;
const patience = { timeout: 60_000, interval: 200 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-refusal-'));
});
afterEach(async () => {
  await api?.stop();
  api = undefined;
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: Parameters<typeof startRedis>[0], from: (url: string) => string): Promise<void> {
  servers = await startRedis(options);
  const url = from(servers.url);
  api = await openApiServer({ host: { store: { url, durability: 'strict', insecure: false } } });
}

const ready = async (path = '/ready') => {
  const answer = await fetch(`${api?.server.url}${path}`);
  const { acknowledges, cause, reason } = (await answer.json()) as Record<string, string>;
  return { status: answer.status, acknowledges, cause, reason };
};
const list = async () => await api?.ask('GET', '/v1/crawls');
const scrape = async () => {
  const headers = { authorization: `Bearer ${api?.admin}` };
  return await (await fetch(`${api?.server.url}/metrics`, { headers })).text();
};
const events = () =>
  readFileSync(join(api?.folder ?? '', 'events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"store-'))
    .map((line) => JSON.parse(line) as { type: string; text?: string });

it('reads a renewed password without a restart, and says meanwhile what is wrong', async () => {
  const file = join(folder, 'password');
  writeFileSync(file, 'crawler:first\n');
  servers = await startRedis();
  const [node] = servers.nodes;
  await node?.ask('ACL', 'SETUSER', 'crawler', 'on', '>first', ...aclRules());
  const url = `${servers.url}?password-file=${file}`;
  api = await openApiServer({ host: { store: { url, durability: 'strict', insecure: false } } });
  expect(await ready()).toEqual({ status: 200, acknowledges: true });
  await node?.ask('ACL', 'SETUSER', 'crawler', 'resetpass', '>second');
  // Connections that have signed in go on: only a new one tells.
  expect(await ready()).toMatchObject({ status: 503, reason: expect.stringContaining('the password') });
  await node?.ask('CLIENT', 'KILL', 'USER', 'crawler');
  await expect.poll(list, patience).toMatchObject({
    status: 503,
    body: {
      code: 'store-silent',
      detail: expect.stringContaining(`the password was rejected (from ${file}`),
    },
  });
  expect(events()).toMatchObject([{ type: 'store-trouble', text: expect.stringContaining(file) }]);
  writeFileSync(file, 'crawler:second\n');
  await expect.poll(() => ready(), patience).toEqual({ status: 200, acknowledges: true });
  expect(await list()).toMatchObject({ status: 200 });
  await expect.poll(() => events().at(-1), patience).toMatchObject({ type: 'store-answers' });
}, 120_000);

it('is not ready while the store is silent, and refuses questions rather than let them wait', async () => {
  await open({}, (url) => url);
  expect(await ready()).toMatchObject({ status: 200 });
  await servers.nodes[0]?.kill('SIGSTOP');
  expect(await ready()).toMatchObject({ status: 503, acknowledges: false, cause: 'store' });
  await expect.poll(list, patience).toMatchObject({ status: 503, body: { code: 'store-silent' } });
  // What tells of it is read at the same time.
  expect(await scrape()).toContain('webfarer_store_trouble{cause="store"} 1');
  await servers.nodes[0]?.kill('SIGCONT');
  await expect.poll(() => ready(), patience).toMatchObject({ status: 200 });
}, 120_000);

it('serves API and console while a replica is missing, and says that it cannot acknowledge everything', async () => {
  await open({ primaries: 1, replicasEach: 1, cluster: false }, (url) => url);
  await servers.nodes[1]?.kill('SIGSTOP');
  const job = { name: 'waits', seeds: ['https://waits.test/'] };
  const created = api?.ask('POST', '/v1/crawls', { job });
  await expect
    .poll(() => ready('/ready/acknowledges'), patience)
    .toMatchObject({ status: 503, acknowledges: false, cause: 'store-replicas' });
  expect(await ready()).toMatchObject({ status: 200, acknowledges: false, cause: 'store-replicas' });
  expect(await list()).toMatchObject({ status: 200 });
  await servers.nodes[1]?.kill('SIGCONT');
  expect(await created).toMatchObject({ status: 201 });
  await expect.poll(() => ready('/ready/acknowledges'), patience).toMatchObject({ status: 200 });
}, 120_000);
