import { createSocket } from 'node:dgram';
import { createServer as createTcp, connect, type AddressInfo } from 'node:net';
import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { FetchedPage } from '../fetch/fetch.ts';
import { nameServer } from './name-server.fixture.ts';
import { asked, closeAfterwards, okAnswer, rawServer, tcpServer, testEgress } from './servers.fixture.ts';

/** A delay that a busy machine does not drown; every other phase must stay well below it. */
const longMs = 400;
const clock = systemClock();

/** A name server that passes questions on, and answers late. */
async function lateNames(address: string, delayMs: number): Promise<string> {
  const [host = '', port] = address.split(':');
  const socket = createSocket('udp4');
  socket.on('message', (question, peer) => {
    const upstream = createSocket('udp4');
    upstream.on('message', (reply) => {
      upstream.close();
      void clock.sleep(delayMs).then(() => socket.send(reply, peer.port, peer.address));
    });
    upstream.send(question, Number(port), host);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  closeAfterwards(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return `127.0.0.1:${socket.address().port}`;
}

/** An HTTP proxy for tunnels that takes its time to say that one is open. */
async function lateTunnel(delayMs: number): Promise<string> {
  const server = createTcp((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (head) => {
        const [, host = '', port] = /^CONNECT ([^:]+):(\d+) /.exec(head.toString()) ?? [];
        void clock.sleep(delayMs).then(() => {
          const upstream = connect(Number(port), host, () => {
            socket.write('HTTP/1.1 200 OK\r\n\r\n');
            socket.pipe(upstream).pipe(socket);
          });
          upstream.on('error', () => socket.destroy());
        });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterwards(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers late, and sends the second half of its body later still. */
async function slowSite({ answerMs = 0, bodyMs = 0 }): Promise<number> {
  const { port } = await rawServer((socket) => {
    void clock.sleep(answerMs).then(async () => {
      socket.write(okAnswer('half').replace('Content-Length: 4', 'Content-Length: 8'));
      await clock.sleep(bodyMs);
      socket.write('half');
    });
  });
  return port;
}

/** What each phase took, as a share of what was delayed on purpose. */
function sharesOf({ durationMs, firstByteMs = durationMs, phases = {} }: FetchedPage) {
  const { dnsMs = 0, connectMs = 0, tlsMs = 0 } = phases;
  const answerMs = firstByteMs - dnsMs - connectMs - tlsMs;
  const all = {
    dns: dnsMs,
    connect: connectMs,
    tls: tlsMs,
    answer: answerMs,
    body: durationMs - firstByteMs,
  };
  return { longest: Object.entries(all).toSorted((a, b) => b[1] - a[1])[0], all, durationMs };
}

async function fetched(host: string, answer: Promise<unknown>): Promise<ReturnType<typeof sharesOf>> {
  const page = (await answer) as FetchedPage;
  expect(page, host).toMatchObject({ ok: true, status: 200 });
  page.release();
  return sharesOf(page);
}

it('tells which phase took the time, and they add up', async () => {
  const { address } = await nameServer(() => ['127.0.0.1']);
  const slow = [
    ['dns', { dns: await lateNames(address, longMs), port: await slowSite({}) }],
    ['answer', { dns: address, port: await slowSite({ answerMs: longMs }) }],
    ['body', { dns: address, port: await slowSite({ bodyMs: longMs }) }],
  ] as const;
  for (const [name, { dns, port }] of slow) {
    const egress = testEgress({ dns: [dns] });
    const { longest, all, durationMs } = await fetched(name, egress.fetch(asked(`http://a.test:${port}/`)));
    expect(longest?.[0], JSON.stringify(all)).toBe(name);
    expect(longest?.[1]).toBeGreaterThanOrEqual(longMs * 0.9);
    expect(Object.values(all).every((ms) => ms >= 0)).toBe(true);
    expect(all.dns + all.connect + all.tls + all.answer + all.body).toBeCloseTo(durationMs, 5);
  }
});

it('tells the connection from TLS, also behind a proxy and of what failed', async () => {
  const { port } = await tcpServer((socket) => {
    socket.once('data', () => void clock.sleep(2 * longMs).then(() => socket.destroy()));
  });
  const proxy = await lateTunnel(longMs);
  const answer = await testEgress().fetch(asked(`https://127.0.0.1:${port}/`, { proxy }));
  expect(answer.ok).toBe(false);
  const { connectMs = 0, dnsMs, tlsMs = 0 } = answer.phases ?? {};
  expect(connectMs).toBeGreaterThanOrEqual(longMs * 0.9);
  expect(tlsMs).toBeGreaterThanOrEqual(2 * longMs * 0.9);
  expect((connectMs + tlsMs) / answer.durationMs).toBeGreaterThan(0.9);
  expect(connectMs + tlsMs).toBeLessThanOrEqual(answer.durationMs);
  expect(dnsMs).toBeUndefined();
});

it('says of a second request that its connection was open already', async () => {
  const { port } = await rawServer((socket) => void socket.write(okAnswer('x')));
  const egress = testEgress();
  const [first, second] = [
    (await egress.fetch(asked(`http://127.0.0.1:${port}/1`))) as FetchedPage,
    (await egress.fetch(asked(`http://127.0.0.1:${port}/2`))) as FetchedPage,
  ];
  expect(first.phases?.reused).toBeUndefined();
  expect(first.phases?.connectMs).toBeGreaterThanOrEqual(0);
  expect(second.phases).toEqual({ reused: true });
});

it('tells how long a name was looked up in vain', async () => {
  const { address } = await nameServer(() => 'nxdomain');
  const egress = testEgress({ dns: [await lateNames(address, longMs)] });
  const answer = await egress.fetch(asked('http://gone.test/'));
  expect(answer).toMatchObject({ ok: false, reason: 'dns-not-found' });
  expect(answer.phases?.dnsMs).toBeGreaterThanOrEqual(longMs * 0.9);
  expect(answer.phases?.connectMs).toBeUndefined();
});
