import { type HostKey, systemClock } from '@webfarer/protocol';
import { type ApiScope, hostRoutes } from '@webfarer/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Crawl } from '../../crawl/crawl.ts';
import { followRules } from '../../host-rules/follow-rules.ts';
import type { HostRules } from '../../host-rules/host-rules.ts';
import type { Registry } from '../../registry/registry.ts';
import { openSqliteRegistry } from '../../registry/sqlite-registry.ts';
import { type RegistryWatch, watchRegistry } from '../../registry/watch-registry.ts';
import { appOf } from '../http/app.fixture.ts';
import type { App } from '../http/app.ts';
import type { CrawlHistory } from '../call/crawl-history.ts';
import type { CrawlDirectory } from '../call/crawl-directory.ts';
import { mostOwn } from '../../teams/own-documents.ts';
import { hostHandlers } from './hosts.ts';

const clock = systemClock();
let registry: Registry;
let watch: RegistryWatch;
let rules: HostRules;
let app: App;

beforeEach(async () => {
  registry = openSqliteRegistry({ path: ':memory:', clock });
  watch = watchRegistry({
    registry,
    clock,
    failed(error) {
      throw error;
    },
  });
  rules = await followRules(watch);
  const hosts: Crawl['hosts'] = async () => [
    {
      host: 'a.example',
      state: 'waiting',
      queued: 3,
      pages: 5,
      bytes: 600,
      troubles: 0,
      dueInMs: 500,
      why: 'gap',
    },
  ];
  const crawls = {
    find: async (name) => (name === 'none' ? undefined : ({ name } as CatalogEntry)),
    running: ({ name }) => (name === 'elsewhere' ? undefined : ({ hosts } as Crawl)),
  } as CrawlDirectory;
  const history: CrawlHistory = {
    samples: async () => [],
    hosts: async ({ name }) => ({
      samples: [{ atMs: 20_000, gap: false }],
      hosts: [{ host: `${name}.example` as HostKey, pages: [7], troubles: [null] }],
    }),
  };
  const handlers = hostHandlers({ crawls, history, registry, registryWatch: watch, rules, clock });
  app = appOf({
    routes: hostRoutes,
    handlers: () => handlers,
    // `operator`, or `operator b` for one of the team b.
    authenticate(header) {
      const [scope = '', team = 'a'] = header('authorization')?.slice('Bearer '.length).split(' ') ?? [];
      return { id: scope, scope: scope as ApiScope, team };
    },
  });
});
afterEach(async () => {
  await watch.stop();
  await registry.close();
});

async function ask(method: string, path: string, body?: unknown, scope = 'operator') {
  const answer = await app(
    new Request(`http://127.0.0.1/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${scope}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    { cutOff: () => undefined },
  );
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

const optOut = { reason: 'we are a small site', contact: 'owner@b.example', date: '2026-11-16' };

describe('host rules', () => {
  it('of a team are bounded, and take no room from other teams and admins', async () => {
    for (let n = 0; n < mostOwn['host-rule']; n++)
      await registry.put('host-rule', `h${n}.example a`, 0, { block: true, by: 'operator', atMs: 0 });
    const rule = { block: true };
    expect(await ask('PUT', 'host-rules/more.example', rule)).toMatchObject({
      status: 429,
      body: { code: 'quota' },
    });
    expect((await ask('PUT', 'host-rules/h7.example', { gapMs: 5_000 })).status).toBe(200);
    expect((await ask('PUT', 'host-rules/more.example', rule, 'operator b')).status).toBe(200);
    expect((await ask('PUT', 'host-rules/more.example?team=a', rule, 'admin')).status).toBe(200);
    expect((await ask('PUT', 'opt-outs/more.example', optOut)).status).toBe(200);
  });

  it('are set, listed, changed and deleted, and hold at once', async () => {
    const first = await ask('PUT', 'host-rules/*.A.example', { gapMs: 5_000, note: 'asked us to' });
    expect(first).toMatchObject({
      status: 200,
      body: { match: '*.a.example', team: 'a', gapMs: 5_000, note: 'asked us to', by: 'operator' },
    });
    expect(rules.of('x.a.example' as HostKey, 'a')).toMatchObject({ kind: 'gap', gapMs: 5_000 });
    expect((await ask('GET', 'hosts/x.a.example', undefined, 'viewer')).body).toMatchObject({
      host: 'x.a.example',
      gapMs: 5_000,
      rule: expect.stringContaining('set by operator'),
    });
    const { version } = first.body as { version: number };
    const changed = await ask('PUT', 'host-rules/*.a.example', { block: true, version });
    expect(changed.status).toBe(200);
    expect(changed.body).not.toHaveProperty('gapMs');
    expect(await ask('PUT', 'host-rules/*.a.example', { block: false, version })).toMatchObject({
      status: 409,
    });
    expect((await ask('GET', 'host-rules', undefined, 'viewer')).body).toMatchObject({
      items: [{ match: '*.a.example', block: true }],
    });
    expect((await ask('DELETE', 'host-rules/*.a.example')).status).toBe(204);
    expect(rules.isEmpty('a')).toBe(true);
    expect((await ask('GET', 'host-rules/*.a.example')).status).toBe(404);
    expect((await ask('DELETE', 'host-rules/*.a.example')).status).toBe(404);
  });

  it.each([
    ['host-rules/a.example', {}],
    ['host-rules/a.example', { gapMs: -1 }],
    ['host-rules/a.example', { block: true, by: 'somebody else' }],
    ['host-rules/http:%2F%2Fa.example', { block: true }],
    ['opt-outs/a.example', { ...optOut, contact: '' }],
    ['opt-outs/a.example', { ...optOut, date: 'yesterday' }],
  ])('refuse %s %j', async (path, body) => {
    expect((await ask('PUT', path, body)).status).toBe(400);
    expect(rules.isEmpty('a')).toBe(true);
  });

  it('are written by operators, and an opt-out is undone by an admin', async () => {
    expect((await ask('PUT', 'host-rules/a.example', { block: true }, 'viewer')).status).toBe(403);
    expect((await ask('PUT', 'opt-outs/b.example', optOut, 'viewer')).status).toBe(403);
    expect((await ask('PUT', 'opt-outs/b.example', optOut)).status).toBe(200);
    expect((await ask('DELETE', 'opt-outs/b.example')).status).toBe(403);
    expect(rules.of('b.example' as HostKey, 'a')).toMatchObject({ reason: 'opt-out' });
    expect((await ask('GET', 'opt-outs/b.example')).body).toMatchObject({ ...optOut, by: 'operator' });
    expect((await ask('GET', 'opt-outs')).body).toMatchObject({ items: [{ match: 'b.example' }] });
    expect((await ask('GET', 'hosts/b.example')).body).toMatchObject({ refused: 'opt-out' });
    expect((await ask('DELETE', 'opt-outs/b.example?team=a', undefined, 'admin')).status).toBe(204);
    expect((await ask('GET', 'hosts/b.example')).body).toEqual({ host: 'b.example' });
    expect((await ask('GET', 'hosts/*.b.example')).status).toBe(400);
  });
});

describe('the rules of teams', () => {
  const block = { block: true };
  const listed = async (who: string) =>
    (
      (await ask('GET', 'host-rules', undefined, who)).body as { items: { match: string; team?: string }[] }
    ).items.map(({ match, team }) => `${match} ${team ?? '*'}`);

  it('hold in the crawls of the team that set them, and only an admin sets them for all', async () => {
    expect((await ask('PUT', 'host-rules/x.example', block)).body).toMatchObject({ team: 'a' });
    expect((await ask('PUT', 'opt-outs/y.example', optOut)).body).toMatchObject({ team: 'a' });
    const all = await ask('PUT', 'host-rules/z.example', block, 'admin');
    expect(all.body).not.toHaveProperty('team');
    await ask('PUT', 'host-rules/x.example?team=c', block, 'admin');
    const standing = async (path: string, who: string) =>
      (await ask('GET', `hosts/${path}`, undefined, who)).body;
    expect(await standing('x.example', 'viewer')).toMatchObject({ refused: 'blocked' });
    expect(await standing('y.example', 'viewer')).toMatchObject({ refused: 'opt-out' });
    for (const name of ['x.example', 'y.example'])
      expect(await standing(name, 'operator b')).toEqual({ host: name });
    expect(await standing('z.example', 'operator b')).toMatchObject({ refused: 'blocked' });
    expect(await standing('x.example', 'admin')).toEqual({ host: 'x.example' });
    expect(await standing('x.example?team=a', 'admin')).toMatchObject({ refused: 'blocked' });
    expect(await listed('viewer')).toEqual(['x.example a', 'z.example *']);
    expect(await listed('viewer b')).toEqual(['z.example *']);
    expect(await listed('admin')).toEqual(['x.example a', 'x.example c', 'z.example *']);
    expect((await ask('GET', 'host-rules/x.example', undefined, 'viewer b')).status).toBe(404);
    expect((await ask('GET', 'host-rules/z.example', undefined, 'viewer b')).status).toBe(200);
  });

  it('are not changed by other teams, and those of an admin by no operator', async () => {
    await ask('PUT', 'host-rules/all.example', block, 'admin');
    await ask('PUT', 'host-rules/given.example?team=a', block, 'admin');
    await ask('PUT', 'host-rules/b.example', block, 'operator b');
    const before = await listed('admin');
    for (const [method, path] of [
      ['PUT', 'host-rules/*'],
      ['PUT', 'opt-outs/*'],
      ['PUT', 'host-rules/x.example?team=*'],
      ['PUT', 'opt-outs/x.example?team=*'],
      ['PUT', 'host-rules/b.example?team=b'],
      ['PUT', 'host-rules/given.example'],
      ['GET', 'host-rules/b.example?team=b'],
      ['GET', 'hosts/b.example?team=b'],
      ['DELETE', 'host-rules/all.example'],
      ['DELETE', 'host-rules/all.example?team=*'],
      ['DELETE', 'host-rules/given.example'],
      ['DELETE', 'host-rules/b.example?team=b'],
    ] as const) {
      const body = method === 'PUT' ? (path.startsWith('opt') ? optOut : block) : undefined;
      expect([method, path, (await ask(method, path, body)).status]).toEqual([method, path, 403]);
    }
    expect((await ask('DELETE', 'host-rules/b.example')).status).toBe(404);
    expect(await listed('admin')).toEqual(before);
    expect((await ask('DELETE', 'host-rules/given.example?team=a', undefined, 'admin')).status).toBe(204);
    expect((await ask('DELETE', 'host-rules/all.example', undefined, 'admin')).status).toBe(204);
  });

  it('have pauses that other teams can wait for', async () => {
    expect((await ask('PUT', 'host-rules/a.example', { gapMs: 600_000 })).status).toBe(200);
    expect((await ask('PUT', 'host-rules/a.example', { gapMs: 600_001 })).status).toBe(403);
    expect((await ask('PUT', 'host-rules/a.example', { gapMs: 600_001 }, 'admin')).status).toBe(200);
  });
});

it('the hosts of a crawl are those of the coordinator that works on it', async () => {
  expect((await ask('GET', 'crawls/lab/hosts?limit=5', undefined, 'viewer')).body).toMatchObject({
    items: [{ host: 'a.example', queued: 3, pages: 5, bytes: 600, troubles: 0 }],
  });
  expect((await ask('GET', 'crawls/none/hosts')).status).toBe(404);
  expect((await ask('GET', 'crawls/elsewhere/hosts')).status).toBe(409);
});

it('what hosts did is told of every crawl, also by a coordinator that does not work on it', async () => {
  expect((await ask('GET', 'crawls/elsewhere/host-history', undefined, 'viewer')).body).toEqual({
    stepMs: 20_000,
    moments: [{ atMs: 20_000, gap: false }],
    items: [{ host: 'elsewhere.example', pages: [7], troubles: [null] }],
  });
  expect((await ask('GET', 'crawls/none/host-history')).status).toBe(404);
});
