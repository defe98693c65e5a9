import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A TLS server that speaks both versions, in a process of its own. Tells its parent the port. `/N`: a body of N bytes. */
const [keyFile = '', certFile = ''] = process.argv.slice(2);
const bodies = new Map<string, Buffer>();

const server = createSecureServer(
  { key: readFileSync(keyFile), cert: readFileSync(certFile), allowHTTP1: true },
  (request, response) => {
    const path = request.url;
    const body = bodies.get(path) ?? Buffer.alloc(Number(path.slice(1)), '<p>some text of a page</p>\n');
    bodies.set(path, body);
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
      server: 'bench',
      'cache-control': 'max-age=600',
      etag: '"5f3c2a-1b2c3d4e"',
      'last-modified': 'Mon, 16 Nov 2026 10:00:00 GMT',
      'strict-transport-security': 'max-age=31536000',
      vary: 'Accept-Encoding',
    });
    response.end(body);
  },
);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
