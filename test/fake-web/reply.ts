import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type PageText, pageHtml } from './body.ts';
import { revisionOf } from './epoch.ts';
import { hash } from './hash.ts';
import type { Host } from './hosts.ts';

export interface Asked {
  scheme: 'http' | 'https';
  host: Host;
  /** Path and query as asked for. */
  path: string;
  acceptEncoding: string;
  /** How often this was asked for before; asked only by pages that change their mind. */
  before: () => number;
}

export interface Answer {
  status: number;
  /** Header lines, each ended by CRLF, without length, connection and coding of the transfer. */
  head: string;
  body: Buffer;
  /** Send the body's bytes, then filler up to this many. */
  padTo?: number;
  delayMs?: number;
  chunked?: boolean;
}

export const htmlHead = 'Content-Type: text/html; charset=utf-8\r\n';

export function html(page: PageText): Answer {
  const revision = revisionOf(page.base, page.host, page.salt);
  const text = revision === 0 ? page : { ...page, tail: `${page.tail ?? ''}<p>revision ${revision}</p>` };
  return {
    status: 200,
    head: `${htmlHead}ETag: "${etagOf(page, revision)}"\r\n`,
    body: Buffer.from(pageHtml(text)),
  };
}

function etagOf(page: PageText, revision: number): string {
  const etag = hash(page.base.seed, page.host.index, page.salt, 70).toString(36);
  return revision === 0 ? etag : `${etag}-${revision}`;
}

export function redirect(status: number, location: string): Answer {
  return { status, head: `${htmlHead}Location: ${location}\r\n`, body: Buffer.from('<p>moved') };
}

export function notFound(path: string, status = 404): Answer {
  return {
    status,
    head: htmlHead,
    body: Buffer.from(`<h1>${status}</h1><p>nothing at ${path.replaceAll('<', '')}`),
  };
}

/** The default quality takes 1.3 ms a page, this one 0.04 ms. */
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

export function compressed(plain: Answer, acceptEncoding: string): Answer {
  if (/\bbr\b/.test(acceptEncoding) && plain.body.length % 2 === 0) {
    return {
      ...plain,
      head: `${plain.head}Content-Encoding: br\r\n`,
      body: brotliCompressSync(plain.body, quick),
    };
  }
  if (!/\bgzip\b/.test(acceptEncoding)) return plain;
  return { ...plain, head: `${plain.head}Content-Encoding: gzip\r\n`, body: gzipSync(plain.body) };
}
