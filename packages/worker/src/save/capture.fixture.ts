import type { Entry, Url } from '@webfarer/protocol';
import { sha1Digest } from '../bytes/digest.ts';
import type { Capture } from './saver.ts';

export interface CaptureParts {
  url?: string;
  body?: Buffer | string;
  headers?: [string, string][];
  status?: number;
  statusText?: string;
  mime?: string;
  startedAtMs?: number;
  truncated?: 'length' | 'time' | 'disconnect';
}

/** A capture for tests, as the pipeline would hand it over. */
export function captureOf(parts: CaptureParts = {}): Capture {
  const url = (parts.url ?? 'http://example.test/') as Url;
  const body = Buffer.from(parts.body ?? '<html><body>hello</body></html>');
  const entry: Entry = { url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 };
  return {
    entry,
    mime: parts.mime ?? 'text/html',
    decoded: body,
    digest: sha1Digest(body),
    page: {
      url,
      status: parts.status ?? 200,
      statusText: parts.statusText ?? 'OK',
      headers: parts.headers ?? [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['Content-Length', String(body.length)],
      ],
      requestHead: 'GET / HTTP/1.1\r\nHost: example.test\r\nUser-Agent: test\r\n\r\n',
      body,
      unread: false,
      ip: '127.0.0.1',
      startedAtMs: parts.startedAtMs ?? Date.UTC(2025, 0, 2, 3, 4, 5, 678),
      durationMs: 12,
      ...(parts.truncated && { truncated: parts.truncated }),
    },
  };
}
