import type { BadServer } from './bad-server.ts';

/** What is sent, and whether the connection stays open after it. Read as HTTP it is wrong, or nearly so. */
type Case = readonly [name: string, bytes: string, expects: string, stays?: 'open'];

const bad = 'protocol-error';
/** Nothing wrong was said before the connection ended. */
const closed = 'connection-reset';
/** Odd, and yet there is one way only to read it. */
const ok = 'ok';

const cases: readonly Case[] = [
  [
    'length-and-chunked',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    bad,
  ],
  ['two-lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde', bad],
  ['length-list', 'HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc', bad],
  ['negative-length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc', bad],
  ['length-overflow', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc', bad],
  ['length-hex', 'HTTP/1.1 200 OK\r\nContent-Length: 0x3\r\n\r\nabc', bad],
  ['length-plus', 'HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc', bad],
  ['length-empty', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nabc', bad],
  ['longer-than-sent', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc', closed],
  [
    'shorter-than-sent',
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nabcdefgh',
    ok,
  ],
  [
    'second-answer',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen',
    ok,
    'open',
  ],
  ['http-0.9', '<html><a href="/x">no head</a></html>', bad],
  ['http-1.2', 'HTTP/1.2 200 OK\r\nContent-Length: 1\r\n\r\na', bad],
  ['http-2-text', 'HTTP/2.0 200 OK\r\nContent-Length: 1\r\n\r\na', ok],
  ['http-9', 'HTTP/9.9 200 OK\r\nContent-Length: 1\r\n\r\na', bad],
  ['http-2-preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', bad],
  ['http-2-frames', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80', bad],
  ['lower-case', 'http/1.1 200 ok\r\ncontent-length: 1\r\n\r\na', bad],
  ['icy', 'ICY 200 OK\r\nicy-metaint: 1\r\n\r\na', bad],
  ['rtsp', 'RTSP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na', ok],
  ['bare-line-feeds', 'HTTP/1.1 200 OK\nContent-Length: 1\n\na', bad],
  ['bare-returns', 'HTTP/1.1 200 OK\rContent-Length: 1\r\ra', bad],
  ['status-missing', 'HTTP/1.1\r\n\r\n', bad],
  ['status-000', 'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n', bad],
  ['status-99', 'HTTP/1.1 99 Few\r\nContent-Length: 0\r\n\r\n', bad],
  ['status-1000', 'HTTP/1.1 1000 Many\r\nContent-Length: 0\r\n\r\n', bad],
  ['status-999', 'HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n', 'http-other'],
  ['status-letters', 'HTTP/1.1 abc OK\r\n\r\n', bad],
  ['status-negative', 'HTTP/1.1 -200 OK\r\n\r\n', bad],
  ['space-before-colon', 'HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\na', bad],
  ['no-colon', 'HTTP/1.1 200 OK\r\nContent-Length 1\r\n\r\na', bad],
  ['empty-name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', bad],
  ['null-in-header', 'HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n', bad],
  ['null-in-name', 'HTTP/1.1 200 OK\r\nX\0Y: a\r\n\r\n', bad],
  ['folded-header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n', bad],
  ['folded-first', 'HTTP/1.1 200 OK\r\n X: a\r\nContent-Length: 0\r\n\r\n', bad],
  ['return-in-header', 'HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n', bad],
  ['chunk-size-letters', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n', bad],
  ['chunk-size-huge', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx', bad],
  ['chunk-size-minus', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n', bad],
  ['chunk-too-short', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n', bad],
  ['chunks-without-end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n', closed],
  ['coding-unknown', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc', ok],
  [
    'coding-after-chunked',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    ok,
  ],
  [
    'chunked-twice',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    ok,
  ],
  ['chunked-misspelt', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n1\r\nx\r\n0\r\n\r\n', ok],
  [
    'switches-protocols',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    bad,
    'open',
  ],
  ['continue-only', 'HTTP/1.1 100 Continue\r\n\r\n', bad],
  ['no-content-with-body', 'HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc', ok],
  ['unchanged-with-body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\nabc', 'not-modified'],
  ['ssh', 'SSH-2.0-OpenSSH_9.2\r\n', bad],
  ['smtp', '220 mail.test ESMTP\r\n', bad],
  ['redis', '-ERR unknown command\r\n', bad],
  ['alert-of-tls', '\x15\x03\x01\x00\x02\x02\x46', bad],
  ['noise', Array.from({ length: 400 }, (_, n) => String.fromCharCode((n * 151 + 17) % 256)).join(''), bad],
  ['line-breaks', '\r\n\r\n\r\n\r\n', closed],
  ['nothing', '', closed],
  ['half-a-status', 'HTTP/1.', closed],
  ['lying-type', 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset="\r\nContent-Length: 1\r\n\r\na', ok],
  [
    'two-types',
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: image/png\r\nContent-Length: 1\r\n\r\na',
    ok,
  ],
  ['no-type', 'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n<a href=/b>b', ok],
];

/** A case's page is malformed; its robots.txt is not there. */
export const malformedServers: BadServer[] = cases.map(([name, bytes, expects, stays]) => ({
  name,
  expects: [expects],
  answer: (socket) => {
    if (stays === 'open') socket.write(bytes, 'latin1');
    else socket.end(bytes, 'latin1');
  },
}));
