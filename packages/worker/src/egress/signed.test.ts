import { expect, it } from 'vitest';
import type { RequestSigner } from '../identity/request-signer.ts';
import { proxyServer, socksServer } from './proxies.fixture.ts';
import { asked, okAnswer, rawServer, testEgress } from './servers.fixture.ts';

/** Says which authority it was asked for, and how often. */
function countingSigner(): RequestSigner & { asked: string[] } {
  const all: string[] = [];
  return {
    asked: all,
    fieldsFor(authority) {
      all.push(authority);
      return [
        ['Signature-Agent', 'agent'],
        ['Signature-Input', `input ${all.length}`],
        ['Signature', authority],
      ];
    },
  };
}

const fieldsOf = (head: string) =>
  head
    .split('\r\n')
    .filter((line) => /^signature/i.test(line))
    .map((line) => line.replace(/:\d+$/, ''));

it('every request is signed for its own authority, and recorded as it went out', async () => {
  const heads: string[] = [];
  const { base, port } = await rawServer((socket, head) => {
    heads.push(head);
    socket.write(head.startsWith('HEAD') ? 'HTTP/1.1 200 OK\r\n\r\n' : okAnswer('x'));
  });
  const signer = countingSigner();
  const egress = testEgress({ signer });
  const headers: [string, string][] = [
    ['User-Agent', 'me'],
    ['SIGNATURE-agent', 'somebody else'],
  ];
  for (const method of ['GET', 'GET', 'HEAD'] as const) {
    const answer = await egress.fetch(asked(`${base}/robots.txt`, { method, headers }));
    if (!answer.ok) throw new Error(answer.detail);
    expect(answer.requestHead).toBe(heads.at(-1));
  }
  expect(signer.asked).toEqual(Array.from({ length: 3 }, () => `127.0.0.1:${port}`));
  expect(heads.map(fieldsOf)).toEqual(
    [1, 2, 3].map((n) => ['Signature-Agent: agent', `Signature-Input: input ${n}`, 'Signature: 127.0.0.1']),
  );
});

it('through a proxy a request is signed for the site, not for the proxy', async () => {
  const heads: string[] = [];
  const { port } = await rawServer((socket, head) => {
    heads.push(head);
    socket.write(okAnswer('x'));
  });
  const signer = countingSigner();
  const egress = testEgress({ dns: [], signer });
  const plain = await proxyServer(port);
  const socks = await socksServer(port);
  for (const { url: proxy } of [plain, socks])
    expect(await egress.fetch(asked('http://far.test/', { proxy, allowPrivate: [] }))).toMatchObject({
      ok: true,
    });
  expect(signer.asked).toEqual(['far.test', 'far.test']);
  expect([...plain.heads, ...heads].map(fieldsOf)).toEqual(
    [1, 2].map((n) => ['Signature-Agent: agent', `Signature-Input: input ${n}`, 'Signature: far.test']),
  );
});

it('a host that is not to be told, and an egress without a signer, get the headers as they are', async () => {
  const heads: string[] = [];
  const { base } = await rawServer((socket, head) => {
    heads.push(head);
    socket.write(okAnswer('x'));
  });
  const headers: [string, string][] = [['Signature', 'my own']];
  await testEgress().fetch(asked(base, { headers }));
  await testEgress({ signer: { fieldsFor: () => undefined } }).fetch(asked(base, { headers }));
  expect(heads.map(fieldsOf)).toEqual([['Signature: my own'], ['Signature: my own']]);
});
