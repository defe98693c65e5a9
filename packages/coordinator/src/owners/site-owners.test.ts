import type { HostKey, PageRecord } from '@webfarer/protocol';
import type { OwnerAnswer, OwnerToken, SiteOwnersSettings } from '@webfarer/protocol/api';
import { siteOwnersSchema } from '@webfarer/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, openApiServer } from '../api-server.fixture.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { fetchedFrom } from './fetched-from.ts';
import { createOwnerLimits } from './owner-limits.ts';
import { holdsToken, ownerToken } from './owner-proof.ts';

const settings: SiteOwnersSettings = siteOwnersSchema.parse({
  name: 'The archive of Example',
  contact: 'mailto:crawler@example.org',
  addresses: ['192.0.2.0/28'],
});

/** What each site has at each URL; all requests that were sent. */
let files: Map<string, { status: number; text: string }>;
let sent: string[];
let one: ApiServer;

beforeEach(async () => {
  files = new Map();
  sent = [];
  const way = {
    async read({ url }: { url: string }) {
      sent.push(url);
      return files.get(url);
    },
  };
  one = await openApiServer({ siteOwners: { settings, way } });
});
afterEach(() => one.stop());

async function ask<T>(path: string, body?: unknown): Promise<{ status: number; body: T }> {
  // Nobody has a token here.
  const answer = await fetch(`${one.server.url}/v1/site-owners${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

const tokenFor = async (host: string): Promise<OwnerToken> =>
  (await ask<OwnerToken>('/tokens', { host })).body;

/** The owner puts the token on the host. */
async function owned(host: string, place: 'well-known' | 'robots' = 'well-known'): Promise<string> {
  const { secret, token, path, line } = await tokenFor(host);
  const at = place === 'robots' ? '/robots.txt' : path;
  const text = place === 'robots' ? `User-agent: *\nDisallow: /a\n${line}\n` : `${token}\n`;
  files.set(`https://${host}${at}`, { status: 200, text });
  return secret;
}

const optOuts = async () => (await one.client().listOptOuts({})).items;
const hostRules = async () => (await one.client().listHostRules({})).items;

describe('the page for the owners of sites', () => {
  it('says who crawls, and answers without a token', async () => {
    const { status, body } = await ask<Record<string, unknown>>('');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'The archive of Example',
      contact: 'mailto:crawler@example.org',
      userAgent: 'webfarer/1.2.3 (+mailto:crawler@example.org)',
      robotsName: 'webfarer',
    });
    const text = await fetch(`${one.server.url}/owners.txt`);
    expect(text.headers.get('content-type')).toContain('text/plain');
    expect(await text.text()).toContain('User-agent: webfarer\nDisallow: /');
  });

  it('does not exist where it is not configured', async () => {
    const other = await openApiServer();
    try {
      for (const path of ['/v1/site-owners', '/v1/site-owners/hosts/a.example', '/owners.txt'])
        expect((await fetch(other.server.url + path)).status).toBe(404);
    } finally {
      await other.stop();
    }
  });

  it('stops all crawls of a host whose owner has put the token there, and notes it', async () => {
    const secret = await owned('a.example');
    const { status, body } = await ask<OwnerAnswer>('/requests', {
      host: 'a.example',
      secret,
      wish: 'stop',
      reason: 'please <b>do not</b>',
      contact: 'owner@a.example',
    });
    expect({ status, refused: body.refused, canResume: body.canResume }).toEqual({
      status: 200,
      refused: 'opt-out',
      canResume: true,
    });
    expect(await optOuts()).toMatchObject([
      { match: 'a.example', reason: 'please <b>do not</b>', contact: 'owner@a.example', by: 'site owner' },
    ]);
    expect((await ask<{ optedOut: boolean }>('/hosts/a.example')).body.optedOut).toBe(true);
    expect((await ask<{ optedOut: boolean }>('/hosts/b.example')).body.optedOut).toBe(false);
    const { items } = await one.client().listAudit({});
    expect(items).toMatchObject([
      { who: 'owner:a.example', action: 'requestAsOwner', detail: '{"wish":"stop"}' },
    ]);
    expect(sent).toEqual(['https://a.example/.well-known/webfarer-owner.txt']);
  });

  it('changes and shows nothing without the token, with that of another, or after a redirect', async () => {
    const { path } = await tokenFor('a.example');
    const url = `https://a.example${path}`;
    const stranger = await tokenFor('a.example');
    const elsewhere = await tokenFor('b.example');
    const owner = await tokenFor('a.example');
    const tries: [string, { status: number; text: string } | undefined][] = [
      ['could not be read', undefined],
      ['answered 404', { status: 404, text: owner.token }],
      ['answered 301', { status: 301, text: owner.token }],
      ['was not found', { status: 200, text: stranger.token }],
      ['was not found', { status: 200, text: elsewhere.token }],
      ['was not found', { status: 200, text: `you asked for ${owner.token}` }],
    ];
    for (const [n, [why, answer]] of tries.entries()) {
      // Each on a host of its own: nobody may ask about one so often.
      const host = `h${n}.a${n}.example`;
      const own = ownerToken(host);
      const text = answer?.text.replaceAll(owner.token, own.token);
      if (answer) files.set(url.replace('a.example', host), { ...answer, text: text ?? '' });
      const { status, body } = await ask<{ detail: string }>('/requests', {
        host,
        secret: own.secret,
        wish: 'stop',
      });
      expect([status, body.detail]).toEqual([403, expect.stringContaining(why)]);
      expect(body).not.toHaveProperty('fetched');
    }
    expect(await optOuts()).toEqual([]);
    expect((await one.client().listAudit({})).items).toEqual([]);
  });

  it('reads the token from robots.txt too, as a line of its own', async () => {
    const secret = await owned('a.example', 'robots');
    const { status } = await ask('/requests', { host: 'a.example', secret, wish: 'look', place: 'robots' });
    expect(status).toBe(200);
    const own = ownerToken('a.example');
    expect(holdsToken(`User-agent: x${own.line}`, own, 'robots')).toBe(false);
    expect(holdsToken(`# hello\r\n${own.line}\r\n`, own, 'robots')).toBe(true);
  });

  it('asks nothing of a host that is refused already, whoever wants it', async () => {
    await one.client().putOptOut({
      params: { match: 'a.example' },
      body: { reason: 'by mail', contact: 'x', date: '2026-11-16' },
    });
    const secret = await owned('a.example');
    const { status } = await ask('/requests', { host: 'a.example', secret, wish: 'resume' });
    expect(status).toBe(409);
    expect(sent).toEqual([]);
    expect(await optOuts()).toHaveLength(1);
  });

  it('never makes what operators decided weaker', async () => {
    const client = one.client();
    await client.putHostRule({ params: { match: '*.example' }, body: { gapMs: 90_000 } });
    await client.putHostRule({ params: { match: 'b.example' }, body: { gapMs: 5_000, note: 'fragile' } });
    for (const host of ['a.example', 'b.example']) {
      const secret = await owned(host);
      const { body } = await ask<OwnerAnswer>('/requests', { host, secret, wish: 'slow', gapMs: 2_000 });
      expect(body.gapMs).toBe(90_000);
    }
    const kept = (await hostRules()).find(({ match }) => match === 'b.example');
    expect(kept).toMatchObject({ note: 'fragile' });
    expect(kept?.by).not.toBe('site owner');
  });

  it('takes bounded text, one host, and no value that it does not know', async () => {
    const { secret } = ownerToken('a.example');
    const right = { host: 'a.example', secret, wish: 'look' };
    for (const wrong of [
      { host: '*' },
      { host: '*.example' },
      { host: 'a.example:8080' },
      { host: 'a.example/x' },
      { host: 'user@a.example' },
      { secret: 'short' },
      { wish: 'delete' },
      { scheme: 'file' },
      { reason: 'x'.repeat(501) },
      { reason: 'a\u202eb' },
      { gapMs: 10 },
    ])
      expect((await ask('/requests', { ...right, ...wrong })).status).toBe(400);
    expect(sent).toEqual([]);
  });
});

describe('limits of the page for owners', () => {
  it('let a host be asked about once in 10 s, and a domain be contacted six times a minute', () => {
    const limits = createOwnerLimits();
    const host = (name: string) => name as HostKey;
    expect(limits.ask(host('a.example'), 0)).toBe(0);
    expect(limits.ask(host('a.example'), 4_000)).toBe(6_000);
    expect(limits.ask(host('a.example'), 10_000)).toBe(0);
    const times = Array.from({ length: 7 }, (_, n) => limits.contact(host(`w${n}.shop.example`), n));
    expect(times).toEqual([0, 0, 0, 0, 0, 0, 60_000 - 6]);
    expect(limits.contact(host('w9.shop.example'), 60_000)).toBe(0);
  });

  it('let all sites together be contacted sixty times a minute', () => {
    const limits = createOwnerLimits();
    const waits = Array.from({ length: 61 }, (_, n) => limits.contact(`site${n}.example` as HostKey, 0));
    expect(waits.filter((waitMs) => waitMs > 0)).toEqual([60_000]);
  });
});

describe('what was fetched from a host', () => {
  const record = (n: number) =>
    ({ url: `https://a.example/${n}`, startedAtMs: n, status: n % 2 ? 200 : 404, bytes: 10 }) as PageRecord;
  const entry = (n: number) => ({ id: `c${n}`, createdAtMs: n, wanted: 'running' }) as CatalogEntry;

  it('is the latest first, counted by status, and says when it is not all', async () => {
    const crawls = { list: async () => ({ entries: [entry(1), entry(2)], next: undefined }) };
    const urls = {
      search: async ({ id }: CatalogEntry, { filter }: { filter: { host?: HostKey; state?: string } }) => {
        expect(filter.host).toBe('a.example');
        if (id === 'c2') throw new Error('another process has it');
        const records = filter.state === 'done' ? Array.from({ length: 150 }, (_, n) => record(n)) : [];
        return {
          urls: records.map((each) => ({ state: 'done' as const, record: each })),
          searched: 150,
          next: undefined,
        };
      },
    };
    const fetched = await fetchedFrom('a.example' as HostKey, { crawls, urls });
    expect(fetched).toMatchObject({
      pages: 150,
      bytes: 1_500,
      complete: false,
      byStatus: { 200: 75, 404: 75 },
    });
    expect(fetched.latest).toHaveLength(100);
    expect(fetched.latest[0]).toEqual({ atMs: 149, url: 'https://a.example/149', status: 200, bytes: 10 });
  });
});
