import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publicAgents } from './public-agents.ts';

/** A server of the private network, and how many connections it saw. */
let connections = 0;
const server = createServer((_, response) => response.end('private'));
server.on('connection', () => connections++);
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const port = () => (server.address() as AddressInfo).port;

function ask(host: string): Promise<unknown> {
  const { httpAgent } = publicAgents(4);
  return new Promise((resolve, reject) => {
    const asked = request({ host, port: port(), agent: httpAgent, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end();
  });
}

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254', '0.0.0.0'])(
  'makes no connection to %s',
  async (host) => {
    await expect((async () => await ask(host))()).rejects.toThrow('is not globally reachable');
    expect(connections).toBe(0);
  },
);

it('would find the server without the guard', async () => {
  const status = await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: port() }, (response) => resolve(response.statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
});
