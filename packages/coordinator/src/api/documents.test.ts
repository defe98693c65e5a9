import { type ApiScope, routes } from '@webfarer/protocol/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiServer, openApiServer } from '../api-server.fixture.ts';
import { mostOwn } from '../teams/own-documents.ts';

let api: ApiServer;
let admin: string;
/** All secrets that were handed out. */
const secrets: string[] = [];

beforeAll(async () => {
  api = await openApiServer();
  admin = api.admin;
  secrets.push(admin);
});
afterAll(() => api.stop());

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function ask(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await api.ask(method, path, body, token);
  return { ...answer, body: (answer.body ?? {}) as Record<string, unknown> };
}

async function newToken(...asked: Parameters<ApiServer['newToken']>): Promise<{ token: string; id: string }> {
  const made = await api.newToken(...asked);
  secrets.push(made.token);
  return made;
}

const items = ({ body }: Answer) => body['items'] as Record<string, unknown>[];
const job = (name: string, more = {}) => ({
  job: { name, seeds: [`https://${name}.test/`], ...more },
});

it('the operator token of the folder is an admin, who makes tokens for others', async () => {
  expect((await ask(admin, 'GET', '/v1/whoami')).body).toMatchObject({ scope: 'admin', team: 'default' });
  const viewer = await newToken('viewer', 'red');
  expect((await ask(viewer.token, 'GET', '/v1/whoami')).body).toEqual({
    id: viewer.id,
    scope: 'viewer',
    team: 'red',
  });
  for (const [method, path] of [
    ['GET', '/v1/tokens'],
    ['GET', '/v1/audit'],
    ['GET', '/v1/teams'],
    ['PUT', '/v1/policies/x'],
  ] as const)
    expect(
      (await ask(viewer.token, method, path, method === 'PUT' ? { policy: {} } : undefined)).status,
    ).toBe(403);
  expect((await ask('x'.repeat(43), 'GET', '/v1/whoami')).status).toBe(401);
  const { token: worker } = await newToken('worker');
  expect((await ask(worker, 'GET', '/v1/whoami')).status).toBe(403);
});

it('a revoked token is refused with the answer, a rotated one is accepted with both secrets', async () => {
  const { token, id } = await newToken('viewer');
  const rotated = await ask(admin, 'POST', `/v1/tokens/${id}/rotate`, {});
  const next = String(rotated.body['token']);
  secrets.push(next);
  for (const secret of [token, next]) expect((await ask(secret, 'GET', '/v1/whoami')).status).toBe(200);
  await ask(admin, 'POST', `/v1/tokens/${id}/rotate`, { overlapMs: 0 });
  for (const secret of [token, next]) expect((await ask(secret, 'GET', '/v1/whoami')).status).toBe(401);
  const other = await newToken('viewer');
  expect((await ask(admin, 'POST', `/v1/tokens/${other.id}/revoke`)).body).toMatchObject({ id: other.id });
  expect((await ask(other.token, 'GET', '/v1/whoami')).status).toBe(401);
  expect((await ask(admin, 'POST', `/v1/tokens/${other.id}/rotate`, {})).status).toBe(404);
  expect((await ask(admin, 'GET', '/v1/tokens/none')).status).toBe(404);
});

it('policies are written in versions, by their team', async () => {
  const red = (await newToken('operator', 'red')).token;
  const blue = (await newToken('operator', 'blue')).token;
  const put = (token: string, body: object) => ask(token, 'PUT', '/v1/policies/gentle', body);
  const first = await put(red, { policy: { limits: { pages: 10 } }, latest: 0 });
  expect(first.body).toMatchObject({ name: 'gentle', version: 1, team: 'red' });
  expect((await put(red, { policy: { limits: { pages: 20 } }, latest: 0 })).status).toBe(409);
  expect((await put(red, { policy: { limits: { page: 20 } } })).body).toMatchObject({ code: 'job-invalid' });
  expect((await put(blue, { policy: {} })).status).toBe(403);
  const reaching = { policy: { fetch: { allowPrivate: ['10.0.0.0/8'] } } };
  expect((await put(red, reaching)).body).toMatchObject({ code: 'forbidden' });
  expect((await put(admin, { policy: { limits: { pages: 30 } } })).body).toMatchObject({
    version: 2,
    team: 'red',
  });
  expect((await ask(blue, 'GET', '/v1/policies/gentle')).body).toMatchObject({ version: 2 });
  expect((await ask(blue, 'GET', '/v1/policies/gentle?version=1')).body).toEqual(first.body);
  const versions = await ask(blue, 'GET', '/v1/policies/gentle/versions?limit=1');
  expect(items(versions)).toEqual([first.body]);
  const more = await ask(blue, 'GET', `/v1/policies/gentle/versions?after=${String(versions.body['next'])}`);
  expect(items(more)).toMatchObject([{ version: 2 }]);
  expect(items(await ask(blue, 'GET', '/v1/policies'))).toMatchObject([{ name: 'gentle', version: 2 }]);
  const created = await ask(red, 'POST', '/v1/crawls', job('polite', { policy: 'gentle' }));
  expect(created.body['job']).toMatchObject({
    policy: { name: 'gentle', version: 2 },
    limits: { pages: 30 },
  });
  expect((await ask(blue, 'DELETE', '/v1/policies/gentle')).status).toBe(403);
  expect((await ask(red, 'DELETE', '/v1/policies/gentle')).status).toBe(204);
  expect((await ask(red, 'GET', '/v1/policies/gentle')).status).toBe(404);
  expect((await ask(red, 'GET', '/v1/policies/gentle?version=1')).body).toEqual(first.body);
});

it('a crawl of another team is as if there were none, on every route that names one', async () => {
  const red = (await newToken('operator', 'red')).token;
  const blue = (await newToken('operator', 'blue')).token;
  const created = await ask(red, 'POST', '/v1/crawls', job('secret'));
  expect(created.status).toBe(201);
  expect((created.body['job'] as Record<string, unknown>)['team']).toBe('red');
  const names = (answer: Answer) => items(answer).map((one) => one['name']);
  expect(names(await ask(red, 'GET', '/v1/crawls'))).toContain('secret');
  expect(names(await ask(blue, 'GET', '/v1/crawls'))).not.toContain('secret');
  expect(names(await ask(admin, 'GET', '/v1/crawls'))).toContain('secret');
  const named = Object.values(routes).filter(({ path }) => path.includes('{crawl}'));
  expect(named.length).toBeGreaterThan(5);
  const tried = { job: {}, changes: { limits: { pages: 1 } }, url: 'https://secret.test/' };
  for (const { method, path, ...route } of named) {
    if (route.scope === 'public') continue;
    for (const crawl of ['secret', String(created.body['id'])]) {
      const at = path.replace('{crawl}', crawl).replace(/\{\w+\}/g, '1');
      // A request that does not fit its schema is refused before anyone looks for the crawl.
      const query = 'url' in route.query.shape ? `?url=${encodeURIComponent(tried.url)}` : '';
      const body = 'body' in route ? (method === 'PATCH' ? { changes: tried.changes } : {}) : undefined;
      const theirs = await ask(blue, method, at + query, body);
      const missing = await ask(blue, method, at.replace(crawl, 'nothing') + query, body);
      expect([method, path, theirs.status]).toEqual([method, path, missing.status]);
      expect(JSON.stringify(theirs.body).replaceAll(crawl, 'nothing')).toBe(JSON.stringify(missing.body));
      if (missing.status !== 400) expect([path, theirs.status]).toEqual([path, 404]);
    }
  }
  expect((await ask(red, 'GET', '/v1/crawls/secret')).status).toBe(200);
  expect((await ask(blue, 'POST', '/v1/crawls', job('mine', { team: 'red' }))).status).toBe(403);
  const move = { changes: { team: 'blue' } };
  expect((await ask(red, 'PATCH', '/v1/crawls/secret', move)).status).toBe(403);
});

it('quotas of a team are enforced when a crawl is created', async () => {
  const green = (await newToken('operator', 'green')).token;
  const put = (body: object) => ask(admin, 'PUT', '/v1/teams/green', body);
  const team = await put({ weight: 2, quotas: { crawls: 1 }, version: 0 });
  expect(team.body).toMatchObject({ name: 'green', weight: 2, quotas: { crawls: 1 } });
  expect((await put({ version: 0 })).status).toBe(409);
  const used = {
    crawls: 0,
    seedBytes: 0,
    pagesToday: 0,
    pagesThisMonth: 0,
    bytesToday: 0,
    bytesThisMonth: 0,
  };
  const inForce = { crawls: 1, seedBytes: 20_000_000 };
  expect((await ask(green, 'GET', '/v1/teams/green')).body).toEqual({ ...team.body, inForce, used });
  expect((await ask(green, 'GET', '/v1/teams/red')).status).toBe(404);
  expect((await ask(green, 'POST', '/v1/crawls', job('g1'))).status).toBe(201);
  expect((await ask(green, 'POST', '/v1/crawls', job('g2'))).body).toMatchObject({
    status: 429,
    code: 'quota',
  });
  const seedBytes = job('g1').job.seeds.join('').length;
  expect((await ask(green, 'GET', '/v1/teams/green')).body).toMatchObject({ used: { crawls: 1, seedBytes } });
  // What is resumed is opened as well.
  await put({ quotas: { crawls: 2 } });
  expect((await ask(green, 'POST', '/v1/crawls', job('g2'))).status).toBe(201);
  await ask(green, 'POST', '/v1/crawls/g1/stop');
  await put({ quotas: { crawls: 1 } });
  expect(await ask(green, 'POST', '/v1/crawls/g1/resume')).toMatchObject({
    status: 429,
    body: { code: 'quota', detail: expect.stringContaining('1 open crawls, and its quota is 1') as string },
  });
  expect((await ask(green, 'GET', '/v1/crawls/g1')).body).toMatchObject({ state: 'stopped' });
  expect((await ask(admin, 'DELETE', '/v1/teams/green')).status).toBe(204);
  expect((await ask(green, 'POST', '/v1/crawls/g1/resume')).status).toBe(200);
});

it('a team that nobody has described reads its default quotas, and no other team does', async () => {
  const plain = (await newToken('viewer', 'plain')).token;
  expect(await ask(plain, 'GET', '/v1/teams/plain')).toMatchObject({
    status: 200,
    body: {
      name: 'plain',
      version: 0,
      quotas: {},
      inForce: { crawls: 400, seedBytes: 20_000_000 },
      // Nothing that it fetches is counted, because no quota needs it.
      used: { crawls: 0, seedBytes: 0 },
    },
  });
  expect((await ask(plain, 'GET', '/v1/teams/plain')).body['used']).not.toHaveProperty('pagesToday');
  expect((await ask(plain, 'GET', '/v1/teams/green')).status).toBe(404);
});

it('notes every change with who made it, and no secret', async () => {
  const { token, id } = await newToken('operator', 'red');
  await ask(token, 'PUT', '/v1/policies/noted', { policy: {} });
  await ask(token, 'PUT', '/v1/policies/noted', { policy: { nonsense: 1 } });
  await ask(token, 'GET', '/v1/policies/noted');
  const log = await ask(admin, 'GET', '/v1/audit?limit=1000');
  expect(log.body['dropped']).toBe(0);
  expect(items(log).filter(({ who }) => who === id)).toEqual([
    {
      atMs: expect.any(Number) as number,
      who: id,
      team: 'red',
      action: 'putPolicy',
      what: '/v1/policies/noted',
      detail: '{"name":"noted","version":1}',
    },
  ]);
  const made = items(log).find(
    ({ action, detail }) => action === 'createToken' && String(detail).includes(id),
  );
  expect(made).toMatchObject({ what: '/v1/tokens', detail: JSON.stringify({ id }) });
  const actions = new Set(items(log).map(({ action }) => action));
  for (const action of [
    'createToken',
    'revokeToken',
    'rotateToken',
    'createCrawl',
    'putTeam',
    'deletePolicy',
  ])
    expect([...actions]).toContain(action);
  const everything = JSON.stringify([log, await ask(admin, 'GET', '/v1/tokens')]);
  for (const secret of secrets) expect(everything).not.toContain(secret.split('_').slice(2).join('_'));
});

it('finds changes by who, action, what and when, the newest first', async () => {
  const { token, id } = await newToken('operator', 'red');
  for (const name of ['found-1', 'found-2', 'found-3'])
    await ask(token, 'PUT', `/v1/policies/${name}`, { policy: {} });
  const what = async (query: string) =>
    items(await ask(admin, 'GET', `/v1/audit?order=newest&${query}`)).map((entry) => entry['what']);
  const all = ['/v1/policies/found-3', '/v1/policies/found-2', '/v1/policies/found-1'];
  expect(await what(`who=${id}`)).toEqual(all);
  expect(await what(`who=RED&action=putpolicy&what=FOUND-2`)).toEqual([all[1]]);
  // Of the team, and of the detail.
  expect(await what('who=red&what=%22found-3')).toEqual([all[0]]);
  expect(await what(`who=${id}&action=deletePolicy`)).toEqual([]);
  const log = await ask(admin, 'GET', `/v1/audit?who=${id}&limit=2`);
  expect(items(log).map((entry) => entry['what'])).toEqual([all[2], all[1]]);
  expect(Number(log.body['looked'])).toBeGreaterThan(2);
  const rest = await ask(admin, 'GET', `/v1/audit?who=${id}&after=${String(log.body['next'])}`);
  expect(items(rest).map((entry) => entry['what'])).toEqual([all[0]]);
  const [first, , last] = [...items(log), ...items(rest)].map((entry) => Number(entry['atMs']));
  expect(await what(`who=${id}&fromMs=${first}&toMs=${Number(last) + 1}`)).toEqual(all);
  expect(await what(`who=${id}&toMs=${first}`)).toEqual([]);
  expect(await what(`who=${id}&fromMs=${Number(last) + 1}`)).toEqual([]);
  expect((await ask(admin, 'GET', '/v1/audit?order=random')).status).toBe(400);
});

it('the values of request headers in a policy are seen by those who may write it', async () => {
  const policy = { fetch: { headers: { 'X-Key': 'swordfish' } } };
  const owner = (await newToken('operator', 'red')).token;
  expect((await ask(owner, 'PUT', '/v1/policies/keyed', { policy })).body).toMatchObject({ policy });
  const readers: [ApiScope, string][] = [
    ['viewer', 'red'],
    ['operator', 'blue'],
  ];
  for (const [scope, team] of readers) {
    const { token } = await newToken(scope, team);
    for (const path of ['/v1/policies', '/v1/policies/keyed', '/v1/policies/keyed/versions']) {
      const seen = JSON.stringify((await ask(token, 'GET', path)).body);
      expect(seen).toContain('X-Key');
      expect(seen).not.toContain('swordfish');
    }
  }
  expect((await ask(owner, 'GET', '/v1/policies/keyed')).body).toMatchObject({ policy });
});

it('the status that an operator sees holds the crawls of its team alone', async () => {
  const names: Record<string, string[]> = {};
  for (const team of ['north', 'south']) {
    const { token } = await newToken('operator', team);
    expect((await ask(token, 'POST', '/v1/crawls', job(`${team}-crawl`))).status).toBe(201);
  }
  for (const team of ['north', 'south']) {
    const { token } = await newToken('operator', team);
    const { body } = await ask(token, 'GET', '/status');
    names[team] = (body['crawls'] as { name: string }[]).map(({ name }) => name);
  }
  expect(names).toEqual({ north: ['north-crawl'], south: ['south-crawl'] });
  const all = (await ask(admin, 'GET', '/status')).body['crawls'] as { name: string }[];
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['north-crawl', 'south-crawl']));
});

it('refuses to follow what is not there before it answers anything', async () => {
  for (const query of [
    'topic=list&list=nothing',
    'topic=status&crawl=nothing',
    'topic=results&crawl=nothing',
  ])
    expect((await ask(admin, 'GET', `/v1/events?${query}`)).body, query).toMatchObject({ code: 'not-found' });
});

it('a team has room for a number of webhooks, and takes none from others', async () => {
  const webhook = { url: 'https://many.test/hook', events: ['crawl.finished'], enabled: false };
  const { token: many } = await newToken('operator', 'many');
  const { token: others } = await newToken('operator', 'others');
  for (let n = 0; n < mostOwn.webhook; n++)
    expect((await ask(many, 'POST', '/v1/webhooks', webhook)).status).toBe(201);
  expect(await ask(many, 'POST', '/v1/webhooks', webhook)).toMatchObject({
    status: 429,
    body: { code: 'quota', detail: 'the team many has 100 webhooks' },
  });
  expect((await ask(others, 'POST', '/v1/webhooks', webhook)).status).toBe(201);
});
