import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { Egress } from '@webfarer/worker';
import { expect, it } from 'vitest';
import { openLocal } from './local-crawl.ts';
import { chooseSeeds } from './preflight.ts';
import type { Seed } from '@webfarer/coordinator';

const job = resolveJob({ name: 'x', seeds: ['http://127.0.0.1:9/'] });
const clock = { ...systemClock(), sleep: async () => undefined };
const seed = (...candidates: string[]): Seed => ({ kind: 'page', candidates: candidates as Url[] }) as Seed;

/** Answers by port; counts tries. */
function fetchThat(answer: (url: string) => string | undefined) {
  let tries = 0;
  const reach = async ({ url }: { url: string }) => {
    tries++;
    const reason = answer(url);
    return reason === undefined ? { ok: true } : { ok: false, reason, detail: 'as told' };
  };
  return { fetch: { reach } as unknown as Pick<Egress, 'reach'>, tries: () => tries };
}

const means = (fetch: Pick<Egress, 'reach'>, mustReach = true) => ({
  fetch,
  clock,
  mustReach,
  signal: new AbortController().signal,
});

it('fails within seconds where the only seed refuses, and says why', async () => {
  const { fetch, tries } = fetchThat(() => 'connect-refused');
  await expect(chooseSeeds([seed('http://127.0.0.1:9/')], job, means(fetch))).rejects.toMatchObject({
    code: 'seed-refused',
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9: the connection was refused 3 times in 2 s/),
  });
  expect(tries()).toBe(3);
});

it('asks the proxy of the job about a seed whose name only the proxy knows', async () => {
  const reach = async ({ proxy }: { proxy?: string }) =>
    proxy === 'http://127.0.0.1:3128'
      ? { ok: true }
      : { ok: false, reason: 'dns-not-found', detail: 'no such name' };
  const fetch = { reach } as unknown as Pick<Egress, 'reach'>;
  const use = 'http://127.0.0.1:3128';
  const behind = resolveJob({ name: 'x', seeds: ['https://inside.example/'], fetch: { proxy: [{ use }] } });
  const seeds = [seed('https://inside.example/')];
  expect(await chooseSeeds(seeds, behind, means(fetch))).toEqual(['https://inside.example/']);
  await expect(chooseSeeds(seeds, job, means(fetch))).rejects.toMatchObject({ code: 'no-such-host' });
});

it('names the scheme where a plain port is asked for TLS', async () => {
  const { fetch } = fetchThat(() => 'tls-error');
  await expect(chooseSeeds([seed('https://127.0.0.1:9/')], job, means(fetch))).rejects.toMatchObject({
    next: expect.stringContaining('http://'),
  });
});

it('names missing IPv6 where the only seed has no other address', async () => {
  const { fetch } = fetchThat(() => 'no-ipv6');
  await expect(chooseSeeds([seed('http://v6.example/')], job, means(fetch))).rejects.toMatchObject({
    message: expect.stringContaining('there was no IPv6 route'),
    next: expect.stringContaining('only IPv6 addresses'),
  });
});

it('begins when one of several seeds answers, or a server comes up in time', async () => {
  const some = fetchThat((url) => (url.includes(':9/') ? 'connect-refused' : undefined));
  const seeds = [seed('http://127.0.0.1:9/'), seed('http://127.0.0.1:8/')];
  expect(await chooseSeeds(seeds, job, means(some.fetch))).toHaveLength(2);
  let asked = 0;
  const late = fetchThat(() => (asked++ === 0 ? 'connect-refused' : undefined));
  expect(await chooseSeeds([seed('http://127.0.0.1:9/')], job, means(late.fetch))).toHaveLength(1);
});

it('leaves it to the workers where others fetch', async () => {
  const { fetch, tries } = fetchThat(() => 'connect-refused');
  expect(await chooseSeeds([seed('http://127.0.0.1:9/')], job, means(fetch, false))).toHaveLength(1);
  expect(tries()).toBe(1);
});

it.each([
  ['http', 'the connection was refused', false],
  ['https', 'wrong version number', true],
])('a local crawl of %s:// that cannot begin leaves no folder', async (scheme, words, listens) => {
  const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  if (!listens) await new Promise((done) => server.close(done));
  const parent = mkdtempSync(join(tmpdir(), 'webfarer-preflight-'));
  const input = {
    name: 'x',
    seeds: [`${scheme}://127.0.0.1:${port}/`],
    fetch: { allowPrivate: ['127.0.0.0/8'] },
  };
  const folder = join(parent, 'x.crawl');
  try {
    const opening = openLocal({ job: resolveJob(input), input, folder, userAgent: 'test' });
    await expect(opening).rejects.toMatchObject({
      code: 'seed-refused',
      message: expect.stringContaining(words),
    });
    expect(existsSync(folder)).toBe(false);
  } finally {
    server.close();
    rmSync(parent, { recursive: true, force: true });
  }
});
