import { describe, expect, it } from 'vitest';
import type { Url } from '@webfarer/protocol';
import type { PostRequest } from './egress.ts';
import { loopback, testEgress, webServer } from './servers.fixture.ts';

function posted(url: string, more: Partial<PostRequest> = {}): PostRequest {
  return {
    url: url as Url,
    headers: [['content-type', 'application/json']],
    content: '{"ü":1}',
    timeoutMs: 5_000,
    allowPrivate: loopback,
    signal: new AbortController().signal,
    maxBytes: 0,
    ...more,
  };
}

describe('a post', () => {
  it('delivers its body as it is, and answers the status alone', async () => {
    const seen: { method: string; type: string; length: string; body: string }[] = [];
    const base = await webServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        const { 'content-type': type = '', 'content-length': length = '' } = request.headers;
        seen.push({ method: request.method ?? '', type, length, body });
        response.writeHead(202).end('x'.repeat(1_000_000));
      });
    });
    const egress = testEgress();
    expect(await egress.post(posted(base))).toMatchObject({ ok: true, status: 202, body: new Uint8Array() });
    expect(await egress.post(posted(base))).toMatchObject({ ok: true, status: 202, body: new Uint8Array() });
    const one = { method: 'POST', type: 'application/json', length: '8', body: '{"ü":1}' };
    expect(seen).toEqual([one, one]);
  });

  it('reads of the answer as much as it was asked for', async () => {
    const base = await webServer((_request, response) => {
      response.writeHead(200, { 'x-a': 'b' }).end('0123456789');
    });
    const answer = await testEgress().post(posted(base, { maxBytes: 10 }));
    expect(answer).toMatchObject({ ok: true, headers: expect.arrayContaining([['x-a', 'b']]) });
    expect(Buffer.from((answer as { body: Uint8Array }).body).toString()).toBe('0123456789');
    expect(answer).not.toHaveProperty('truncated');
    const cut = await testEgress().post(posted(base, { maxBytes: 9 }));
    expect(cut).toMatchObject({ ok: true, truncated: 'length' });
  });

  it('does not follow a redirect', async () => {
    let hits = 0;
    const base = await webServer((_request, response) => {
      hits++;
      response.writeHead(307, { location: '/next' }).end();
    });
    expect(await testEgress().post(posted(base))).toMatchObject({ ok: true, status: 307 });
    expect(hits).toBe(1);
  });

  it('reaches a private address only where that is allowed', async () => {
    let hits = 0;
    const base = await webServer((_request, response) => {
      hits++;
      response.end();
    });
    const answer = await testEgress().post(posted(base, { allowPrivate: [] }));
    expect(answer).toMatchObject({ ok: false, reason: 'private-address' });
    expect(hits).toBe(0);
  });

  it('ends when it takes too long', async () => {
    const base = await webServer(() => undefined);
    const answer = await testEgress().post(posted(base, { timeoutMs: 100 }));
    expect(answer).toMatchObject({ ok: false, reason: 'timeout' });
  });
});
