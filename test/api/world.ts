import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { OpenApiDocument } from '@webfarer/protocol/api';
import { originFor } from '../fake-web/pages.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { type NetworkProcess, networkProcess } from '../network/process.ts';
import { plainHosts } from '../prove/dry-and-water.ts';
import { labJob, until } from '../prove/lab.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';

/** What one team has, by the names of the path parameters that lead to it. */
export type TeamThings = Record<
  'crawl' | 'schedule' | 'webhook' | 'message' | 'policy' | 'team' | 'consumer' | 'file',
  string
>;
export const teams = ['red', 'blue'] as const;
export type Team = (typeof teams)[number];

/** Object storage that only this team may use. */
export const storageOf = (team: Team): string => `${team}-archive`;
/** A host that the team has a rule and an opt-out for, in its own crawls. */
export const ruledBy = (team: Team): string => `ruled-by-${team}.test`;

/** A coordinator with a worker on a store of its own, two teams, and something of each kind for both. */
export interface ApiWorld {
  readonly url: string;
  readonly document: OpenApiDocument;
  readonly coordinator: NetworkProcess;
  readonly redis: RedisServers;
  /** The admin token of the data folder. */
  readonly admin: string;
  /** Every secret that was handed out. */
  readonly tokens: string[];
  readonly of: Record<Team, TeamThings>;
  /** The value of a request header in its crawl, its schedule and its policy. */
  readonly secrets: Record<Team, string>;
  /** What belongs to no team, by the names of path parameters. */
  readonly shared: Record<
    'match' | 'host' | 'worker' | 'coordinator' | 'token' | 'session' | 'login' | 'site' | 'account',
    string
  >;
  /** A job that can begin, of one page. */
  readonly job: Record<string, unknown>;
  newToken(scope: string, team?: string, more?: object): Promise<{ id: string; token: string }>;
  ask(method: string, path: string, body?: unknown, token?: string): Promise<unknown>;
  stop(): Promise<void>;
}

const finishWithinMs = 240_000;
const scraper = resolve(import.meta.dirname, '../prove/titles-scraper.ts');

export async function openWorld(under: string): Promise<ApiWorld> {
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const fake = await startFakeWeb({ size: 'S', seed: 6 });
    ends.push(() => fake.stop());
    const redis = await startRedis({ parent: under });
    ends.push(() => redis.stop());
    const coordinator = standingCoordinator(join(under, 'data'), redis.url);
    ends.push(() => coordinator.kill());
    await coordinator.start();
    const world = await furnish({ fake, redis, coordinator });
    return { ...world, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const listening = /^Listening on (http:\/\/\S+)$/m;

/** As an operator starts one; `command`: another copy of the product. */
export function standingCoordinator(folder: string, store: string, command?: string): NetworkProcess {
  const storages = `${folder}.storages.json`;
  const places = teams.map((team) => [storageOf(team), { at: `file://${folder}.${team}`, teams: [team] }]);
  writeFileSync(storages, JSON.stringify(Object.fromEntries(places)));
  return networkProcess({
    name: 'coordinator',
    folder,
    command,
    words: () => [
      'coordinator',
      '--data',
      folder,
      '--listen',
      '127.0.0.1:0',
      '--store',
      store,
      '--with-worker',
      '--storages',
      storages,
    ],
    atWork: (printed) => listening.test(printed),
  });
}

export function urlOf(coordinator: NetworkProcess): string {
  return listening.exec(coordinator.output())?.[1] ?? '';
}

interface Parts {
  fake: FakeWeb;
  redis: RedisServers;
  coordinator: NetworkProcess;
}

async function furnish({ fake, redis, coordinator }: Parts): Promise<Omit<ApiWorld, 'stop'>> {
  const url = urlOf(coordinator);
  const admin = (await readFile(join(coordinator.folder, 'operator.token'), 'utf8')).trim();
  const worker = (await readFile(join(coordinator.folder, 'worker.token'), 'utf8')).trim();
  const tokens = [admin, worker];
  const ask: ApiWorld['ask'] = (method, path, body, token = admin) =>
    answered({ url: url + path, method, body, token });
  const newToken: ApiWorld['newToken'] = async (scope, team = 'default', more = {}) => {
    const made = (await ask('POST', '/v1/tokens', { scope, team, ...more })) as { id: string; token: string };
    tokens.push(made.token);
    return made;
  };
  const hosts = plainHosts(fake.web)
    .toSorted((a, b) => a.leaves - b.leaves)
    .slice(0, teams.length);
  const of = {} as Record<Team, TeamThings>;
  const secrets = { red: `key-of-red-${randomUUID()}`, blue: `key-of-blue-${randomUUID()}` };
  for (const [n, team] of teams.entries()) {
    const seeds = hosts.slice(n, n + 1).map((host) => `${originFor(fake.web, host, 'http')}/`);
    const job = labJob(fake, {
      name: `${team}-crawl`,
      team,
      seeds,
      scope: { stay: 'host' },
      fetch: { ...labJob(fake).fetch, headers: { 'x-api-key': secrets[team] } },
      politeness: { gap: '2ms', slowFactor: 0 },
      scraper,
    });
    await ask('POST', '/v1/crawls', { job });
    of[team] = await thingsOf(team, { ask, newToken }, secrets[team]);
  }
  for (const team of teams) {
    const { crawl } = of[team];
    await until(
      `the crawl of ${team} to end`,
      async () => ((await ask('GET', `/v1/crawls/${crawl}`)) as { state: string }).state === 'finished',
      finishWithinMs,
    );
    const { items } = (await ask('GET', `/v1/crawls/${crawl}/files`)) as { items: { path: string }[] };
    const { token } = lastLine(await ask('GET', `/v1/crawls/${crawl}/results?limit=1`)) as { token: string };
    await ask('POST', `/v1/crawls/${crawl}/consumers/reader`, { token });
    of[team].file = encodeURIComponent(items.find(({ path }) => path.endsWith('.warc.gz'))?.path ?? '');
  }
  await ask('PUT', '/v1/host-rules/slow.test', { gapMs: 9_000 });
  const optOut = { reason: 'please do not', contact: 'owner@lab.test', date: '2026-11-16' };
  await ask('PUT', '/v1/opt-outs/slow.test', optOut);
  const [one] = ((await ask('GET', '/v1/coordinators')) as { items: { id: string }[] }).items;
  const [linked] = ((await ask('GET', '/v1/workers')) as { items: { worker: string }[] }).items;
  const shared = {
    match: 'slow.test',
    host: 'slow.test',
    coordinator: one?.id ?? '',
    worker: linked?.worker ?? '',
    token: (await newToken('viewer')).id,
    session: 'nobody',
    login: 'none',
    site: 'a.test',
    account: 'ada',
  };
  const document = (await ask('GET', '/v1/openapi.json')) as OpenApiDocument;
  const job = labJob(fake, {
    seeds: hosts.slice(0, 1).map((host) => `${originFor(fake.web, host, 'http')}/`),
    scope: { stay: 'path' },
    limits: { pages: 1 },
  }) as Record<string, unknown>;
  return { url, document, coordinator, redis, admin, tokens, of, secrets, shared, job, newToken, ask };
}

async function thingsOf(team: Team, { ask, newToken }: Pick<ApiWorld, 'ask' | 'newToken'>, secret: string) {
  const { token } = await newToken('operator', team);
  const fetch = { headers: { 'x-api-key': secret } };
  const job = { seeds: [`https://${team}.test/`], fetch };
  const schedule = { name: team, when: { cron: '0 0 1 1 *' }, run: { job } };
  await ask('PUT', `/v1/schedules/${team}-schedule`, { schedule }, token);
  await ask('PUT', `/v1/policies/${team}-policy`, { policy: { limits: { pages: 5 }, fetch } }, token);
  await ask('PUT', `/v1/teams/${team}`, { note: `the team ${team}` });
  await ask('PUT', `/v1/host-rules/${ruledBy(team)}`, { block: true }, token);
  const optOut = { reason: 'please do not', contact: 'owner@lab.test', date: '2026-11-16' };
  await ask('PUT', `/v1/opt-outs/${ruledBy(team)}`, optOut, token);
  // Nothing is sent by one that is disabled; its test message waits.
  const webhook = { url: `https://${team}.test/hook`, events: ['crawl.finished'], enabled: false };
  const { id } = (await ask('POST', '/v1/webhooks', webhook, token)) as { id: string };
  const { message } = (await ask('POST', `/v1/webhooks/${id}/test`, undefined, token)) as { message: string };
  return {
    crawl: `${team}-crawl`,
    schedule: `${team}-schedule`,
    policy: `${team}-policy`,
    webhook: id,
    message,
    team,
    consumer: 'reader',
    file: '',
  };
}

interface Question {
  url: string;
  method: string;
  body: unknown;
  token: string;
}

async function answered({ url, method, body, token }: Question): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`);
  return text === '' || answer.headers.get('content-type')?.includes('ndjson') ? text : JSON.parse(text);
}

function lastLine(text: unknown): unknown {
  return JSON.parse(String(text).trim().split('\n').at(-1) ?? '');
}
