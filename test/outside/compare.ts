import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { STATUS_CODES } from 'node:http';
import type { Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import { sha1Digest } from '@webfarer/worker';
import { readWarc, type WarcRecord } from '@webfarer/worker/archive';
import type { Answer } from '../fake-web/reply.ts';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { Web } from '../fake-web/web.ts';
import type { RequisiteSite } from './requisite-site.ts';

export interface Compared {
  /** Responses and revisits that were compared with what was sent. */
  captures: number;
  revisits: number;
  requests: number;
  records: number;
  mismatches: string[];
}

export interface Sent {
  web: Web;
  site: RequisiteSite;
  log: LogEntry[];
  /** Bodies are cut here. */
  maxBytes: number;
}

/** Every record of the archive against what the fake web and the site sent and were asked. */
export async function compareArchive(folder: string, sent: Sent): Promise<Compared> {
  const compared: Compared = { captures: 0, revisits: 0, requests: 0, records: 0, mismatches: [] };
  const asked = new Set(sent.log.map((entry) => requestKey(entry.host, entry.path, entry.headers)));
  const bodies = new Map<string, string>();
  for (const file of await warcPaths(folder)) {
    for await (const record of readWarc(file)) {
      compared.records++;
      const url = record.field('warc-target-uri') ?? '';
      const block = await blockOf(record);
      if (record.type === 'request') {
        compared.requests++;
        if (!url.startsWith(sent.site.origin) && !asked.has(keyOfRequest(url, block)))
          compared.mismatches.push(`the request for ${url} was never seen`);
      } else if (record.type === 'response' || record.type === 'revisit') {
        compared.captures++;
        if (record.type === 'revisit') compared.revisits++;
        const wrong = wrongCapture(record, block, { sent, bodies });
        if (wrong) compared.mismatches.push(`${url}: ${wrong}`);
      }
    }
  }
  return compared;
}

export async function warcPaths(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'archive'));
  return names.filter((name) => name.endsWith('.warc.gz')).map((name) => join(folder, 'archive', name));
}

export async function blockOf(record: WarcRecord): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of record.block()) pieces.push(piece);
  return Buffer.concat(pieces);
}

interface Known {
  sent: Sent;
  /** URL and date of each response so far, and its payload digest. */
  bodies: Map<string, string>;
}

function wrongCapture(record: WarcRecord, block: Buffer, { sent, bodies }: Known): string | undefined {
  const url = record.field('warc-target-uri') ?? '';
  const digest = record.field('warc-payload-digest') ?? '';
  const end = block.indexOf('\r\n\r\n') + 4;
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(block.toString('latin1', 0, 20))?.[1]);
  const expected = expectedAnswer(url, status, sent);
  if (!expected) return `nobody sends a ${status} there`;
  const truncated = record.field('warc-truncated') !== undefined;
  if (block.toString('latin1', 0, end) !== expected.head(truncated)) return 'the head is not what was sent';
  if (record.type === 'revisit') {
    const original = `${record.field('warc-refers-to-target-uri')} ${record.field('warc-refers-to-date')}`;
    if (block.length !== end) return 'a revisit with a body';
    if (digest !== sha1Digest(expected.body)) return 'the digest is not that of what was sent';
    return bodies.get(original) === digest ? undefined : 'it refers to nothing';
  }
  bodies.set(`${url} ${record.field('warc-date')}`, digest);
  if (truncated !== expected.cut) return truncated ? 'cut without need' : 'not cut';
  if (!block.subarray(end).equals(expected.body)) return 'the body is not what was sent';
  return digest === sha1Digest(expected.body) ? undefined : 'the digest is wrong';
}

interface Expected {
  head(truncated: boolean): string;
  body: Buffer;
  cut: boolean;
}

function expectedAnswer(url: string, status: number, sent: Sent): Expected | undefined {
  if (url.startsWith(sent.site.origin)) return fromSite(url.slice(sent.site.origin.length), sent.site);
  const host = sent.web.hostNamed(hostOf(url as Url));
  if (!host) return undefined;
  const [, scheme, path = '/'] = /^(https?):\/\/[^/]*(\/.*)$/.exec(url) ?? [];
  // Some pages change their mind: the answer that was kept is one of these.
  for (const before of [0, 1]) {
    const found = sent.web.answer({
      scheme: scheme as 'http' | 'https',
      host,
      path,
      acceptEncoding: 'gzip, deflate, br',
      before: () => before,
    });
    if (found.status === status) return fromAnswer(found, sent.maxBytes);
  }
  return undefined;
}

const filler = Buffer.alloc(65_536, 'lorem ipsum dolor sit amet \n');

function fromAnswer(found: Answer, maxBytes: number): Expected {
  const length = Math.max(found.body.length, found.padTo ?? 0);
  const pieces = [found.body];
  for (let n = found.body.length; n < Math.min(length, maxBytes); n += filler.length) pieces.push(filler);
  const body = Buffer.concat(pieces).subarray(0, Math.min(length, maxBytes));
  const cut = body.length < length;
  return {
    head: () =>
      `HTTP/1.1 ${found.status} ${STATUS_CODES[found.status]}\r\nServer: fake-web\r\n${found.head}` +
      `${found.chunked ? 'X-Crawler-Transfer-Encoding: chunked' : `${cut ? 'X-Crawler-' : ''}Content-Length: ${length}`}\r\n\r\n`,
    body,
    cut,
  };
}

function fromSite(path: string, site: RequisiteSite): Expected {
  const found = site.pages.get(path);
  const type = found?.type ?? 'text/plain';
  const body = found?.body ?? Buffer.from('none');
  const line = found ? '200 OK' : '404 Not Found';
  return {
    head: () =>
      `HTTP/1.1 ${line}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n` +
      'Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n',
    body,
    cut: false,
  };
}

function keyOfRequest(url: string, block: Buffer): string {
  const [line = '', ...lines] = block.toString('latin1').trimEnd().split('\r\n');
  const path = line.split(' ')[1] ?? '';
  const headers = lines.filter((header) => !/^host:/i.test(header)).join('\r\n');
  return requestKey(hostOf(url as Url), path, headers);
}

function requestKey(host: string, path: string, headers: string): string {
  return `${host} ${path}\n${headers.trim().replaceAll('\r\n', '\n')}`;
}
