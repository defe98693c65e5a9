import { Agent, get, type IncomingMessage } from 'node:http';
import { get as getSecure, Agent as SecureAgent } from 'node:https';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { normaliser } from '@webfarer/protocol/url';
import type { FakeWeb } from './server.ts';

/** What a plain breadth-first crawl saw: no politeness, one try more after trouble, nothing clever. */
export interface Seen {
  status: number;
  truncated: boolean;
  mime: string;
}

const maxBytes = 200_000;

/**
 * Crawls the served web and knows nothing of the generator but where names lead and what robots.txt
 * forbids: so what it finds shows that the server serves what `expected()` says.
 */
export async function referenceCrawl(fake: FakeWeb): Promise<Map<string, Seen | 'barred'>> {
  const fetchPage = createFetcher(fake);
  const normalise = normaliser({
    enabled: true,
    sort: true,
    strip: ['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'],
  });
  const known = new Map<string, Seen | 'barred'>();
  const origins = new Set<string>();
  const queue: string[] = [];
  const offer = (text: string, at: string): void => {
    const url = normalise(text, at);
    if (url !== undefined && !known.has(url)) {
      known.set(url, 'barred');
      queue.push(url);
    }
  };
  const visit = async (url: string): Promise<void> => {
    const truth = fake.web.truth(url);
    if (truth.known === 'trap') return;
    const origin = url.slice(0, url.indexOf('/', 8));
    if (!origins.has(origin)) {
      origins.add(origin);
      const robots = await fetchPage(`${origin}/robots.txt`);
      for (const [, sitemap] of robots?.text.matchAll(/^sitemap: *(.*)$/gim) ?? [])
        offer(sitemap as string, url);
    }
    if (truth.robots?.allowed === false || isBarred(fake, url)) return;
    let page = await fetchPage(url);
    if (page !== undefined && (page.status === 429 || page.status >= 500)) page = await fetchPage(url);
    if (page === undefined) return;
    known.set(url, { status: page.status, truncated: page.truncated, mime: page.mime });
    for (const link of linksOf(page)) offer(link, page.base ?? url);
  };
  for (const seed of fake.web.seeds()) offer(seed, seed);
  const busy = new Set<Promise<void>>();
  while (queue.length > 0 || busy.size > 0) {
    for (const url of queue.splice(0, Math.max(0, 100 - busy.size))) {
      const visiting = visit(url).finally(() => busy.delete(visiting));
      busy.add(visiting);
    }
    await Promise.race(busy);
  }
  return known;
}

function isBarred(fake: FakeWeb, url: string): boolean {
  const host = fake.web.hostNamed(url.split(/[/:]+/)[1] as string);
  return host?.robots === 'broken-500' || host?.robots === 'patience';
}

interface Fetched extends Seen {
  text: string;
  location: string | undefined;
  nofollow: boolean;
  base: string | undefined;
  url: string;
}

function* linksOf(page: Fetched): Generator<string> {
  if (page.location !== undefined) yield page.location;
  if (page.mime.includes('xml') || page.mime.includes('gzip')) {
    for (const [, loc] of page.text.matchAll(/<loc>([^<]*)<\/loc>/g)) yield unescape(loc as string);
    return;
  }
  if (page.mime !== 'text/html' || page.status !== 200 || page.nofollow) return;
  for (const [tag, double, single, bare] of page.text.matchAll(
    /<a\b[^>]*?\shref=(?:"([^"]*)"|'([^']*)'|([^\s>]+))[^>]*>/gi,
  )) {
    if (!/\brel="[^"]*nofollow/.test(tag)) yield unescape(double ?? single ?? (bare as string));
  }
}

function unescape(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

function createFetcher(fake: FakeWeb): (url: string) => Promise<Fetched | undefined> {
  const agent = new Agent({ keepAlive: true });
  const secureAgent = new SecureAgent({ keepAlive: true, ca: readFileSync(fake.caFile) });
  return (url) => {
    const [, scheme, name, port, path] = /^(https?):\/\/([^:/]+):(\d+)(\/.*)$/.exec(url) ?? [];
    const host = fake.web.hostNamed(name as string);
    if (host === undefined || host.class === 'no-name') return Promise.resolve(undefined);
    const options = { port, path, headers: { Host: `${name}:${port}`, 'Accept-Encoding': 'gzip, br' } };
    return new Promise((done) => {
      const onAnswer = (answer: IncomingMessage): void => done(read(url, answer));
      const address = { ...options, host: host.address };
      const request =
        scheme === 'http'
          ? get({ ...address, agent }, onAnswer)
          : getSecure({ ...address, agent: secureAgent, servername: name as string }, onAnswer);
      request.on('error', () => done(undefined));
    });
  };
}

async function read(url: string, answer: IncomingMessage): Promise<Fetched> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const type = answer.headers['content-type'] ?? '';
  const text = decode(unpack(Buffer.concat(chunks), answer.headers['content-encoding'], type), type);
  const robots = `${String(answer.headers['x-robots-tag'])} ${/<meta name="robots" content="([^"]*)"/.exec(text)?.[1]}`;
  const base = /<base href="([^"]*)"/.exec(text)?.[1];
  return {
    url,
    status: answer.statusCode ?? 0,
    truncated: bytes > maxBytes,
    mime: type.split(';')[0] as string,
    text,
    location: answer.headers.location,
    nofollow: robots.includes('nofollow'),
    base: base === undefined ? undefined : url.slice(0, url.indexOf('/', 8)) + base,
  };
}

function unpack(body: Buffer, encoding: string | undefined, type: string): Buffer {
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' || type.includes('gzip') ? gunzipSync(body) : body;
}

function decode(body: Buffer, type: string): string {
  if (body[0] === 0xff && body[1] === 0xfe) return new TextDecoder('utf-16le').decode(body);
  const named =
    /charset=(\S+)/.exec(type)?.[1] ?? /<meta charset="([^"]*)"/.exec(body.toString('latin1'))?.[1];
  return new TextDecoder(named ?? 'utf-8').decode(body);
}
