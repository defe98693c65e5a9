import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type NameServer, nameServer, type Zone } from './name-server.fixture.ts';
import { asked, okAnswer, rawServer, testEgress } from './servers.fixture.ts';

const named = (zone: Zone): Promise<NameServer> => nameServer(zone);

describe('the guard', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.9.9.9',
    'http://localhost',
    'http://x.localhost',
    'http://[::1]',
    'http://[::ffff:7f00:1]',
    'http://0.0.0.0',
    'http://10.0.0.1',
    'http://192.168.1.1',
    'http://169.254.169.254',
    'http://[fd00:ec2::254]',
    'http://[fe80::1]',
    'http://[64:ff9b::7f00:1]',
    'http://100.100.100.200',
  ])('refuses %s before a packet leaves', async (url) => {
    const answer = await testEgress({ dns: [] }).fetch(asked(`${url}/`, { allowPrivate: [] }));
    expect(answer).toMatchObject({ ok: false, reason: 'private-address', contacted: false });
  });

  it.each([
    ['the origin', (port: number) => [`http://localhost:${port}`], true],
    ['the origin with a slash', (port: number) => [`http://localhost:${port}/`], true],
    ['host and port', (port: number) => [`localhost:${port}`], true],
    ['the host', () => ['localhost'], true],
    ['the range', () => ['127.0.0.0/8', '::1'], true],
    ['another port', (port: number) => [`http://localhost:${port + 1}`], false],
    ['another scheme', (port: number) => [`https://localhost:${port}`], false],
    ['another host', () => ['x.localhost'], false],
    ['another range', () => ['10.0.0.0/8'], false],
    ['nothing', () => [], false],
  ])('with %s allowed', async (_name, list, permitted) => {
    const { port, connections } = await rawServer((socket) => socket.write(okAnswer('x')));
    const answer = await testEgress().fetch(asked(`http://localhost:${port}/`, { allowPrivate: list(port) }));
    expect(answer.ok).toBe(permitted);
    expect(connections()).toBe(permitted ? 1 : 0);
  });

  it('judges names by every address they have', async () => {
    const { port, connections } = await rawServer((socket) => socket.write(okAnswer('x')));
    const zone: Record<string, string[]> = {
      'private.test': ['127.0.0.1'],
      'mixed.test': ['93.184.215.14', '127.0.0.1'],
      'six.test': ['::1'],
      'mapped.test': ['::ffff:7f00:1'],
    };
    const dns = await named((name) => zone[name] ?? 'nxdomain');
    const egress = testEgress({ dns: [dns.address] });
    for (const name of Object.keys(zone)) {
      const answer = await egress.fetch(asked(`http://${name}:${port}/`, { allowPrivate: [] }));
      // Not which address: a team reads this, and the network's names are none of its business.
      const detail = `${name} has an address that is not globally reachable`;
      expect([name, answer]).toMatchObject([
        name,
        { ok: false, reason: 'private-address', detail, contacted: false },
      ]);
    }
    expect(connections()).toBe(0);
    // By name: exactly that origin, wherever it leads.
    const byName = asked(`http://private.test:${port}/`, { allowPrivate: [`http://private.test:${port}`] });
    expect(await egress.fetch(byName)).toMatchObject({ ok: true, ip: '127.0.0.1' });
  });

  it('is not fooled by a name that changes its address between look-ups', async () => {
    const { port, connections } = await rawServer((socket) => socket.write(okAnswer('x')));
    let asks = 0;
    // 192.0.2.1 and friends are not reachable either, so a public address that nobody answers at is used.
    const dns = await named(() => (asks++ % 2 === 0 ? ['127.0.0.1'] : ['127.0.0.2']));
    for (let i = 0; i < 20; i += 1) {
      const egress = testEgress({ dns: [dns.address] });
      const allowPrivate = ['127.0.0.2/32'];
      const answer = await egress.fetch(
        asked(`http://flips.test:${port}/`, { allowPrivate, timeoutMs: 1_000 }),
      );
      if (!answer.ok) expect(['private-address', 'connect-refused']).toContain(answer.reason);
    }
    expect(connections()).toBe(0);
  });

  it.each([22, 25, 6379, 11211, 10250, 6000, 1, 0])('refuses port %i', async (port) => {
    const answer = await testEgress().fetch(asked(`http://127.0.0.1:${port}/`));
    expect(answer).toMatchObject({ ok: false, reason: 'port', contacted: false });
  });

  it('leaves the port of a named origin to the operator', async () => {
    const answer = await testEgress().fetch(
      asked('http://127.0.0.1:1/', { allowPrivate: ['http://127.0.0.1:1'] }),
    );
    expect(answer).toMatchObject({ ok: false, reason: 'connect-refused', contacted: true });
  });
});

describe('names', () => {
  it('that do not exist differ from name servers that do not answer', async () => {
    let relayIsCutOff = false;
    const dns = await named((name) =>
      relayIsCutOff || name === 'broken.test' ? 'servfail' : name === 'empty.test' ? [] : 'nxdomain',
    );
    const egress = testEgress({ dns: [dns.address] });
    const ends = async (host: string): Promise<unknown> => egress.fetch(asked(`http://${host}/`));
    expect(await egress.probeDns()).toBe('unused');
    expect(await ends('broken.test')).toMatchObject({ reason: 'dns-failed', contacted: false });
    // One broken name says nothing about the servers, whether or not others were answered before.
    expect(await egress.probeDns()).toBe('answers');
    expect(await ends('none.test')).toMatchObject({ reason: 'dns-not-found', contacted: false });
    expect(await ends('empty.test')).toMatchObject({ reason: 'dns-not-found', contacted: false });
    expect(await ends('broken.test')).toMatchObject({ reason: 'dns-failed', contacted: false });
    expect(await egress.probeDns()).toBe('answers');
    relayIsCutOff = true;
    expect(await egress.probeDns()).toBe('silent');
    relayIsCutOff = false;
    expect(await egress.probeDns()).toBe('answers');
    await dns.stop();
    expect(await ends('other.test')).toMatchObject({ reason: 'dns-failed', contacted: false });
    expect(await egress.probeDns()).toBe('silent');
  });

  it('whose server is silent are given up at the deadline', async () => {
    const dns = await named(() => 'silence');
    const answer = await testEgress({ dns: [dns.address] }).fetch(
      asked('http://a.test/', { timeoutMs: 200 }),
    );
    expect(answer).toMatchObject({ ok: false, reason: 'dns-failed', contacted: false });
    expect(answer.durationMs).toBeLessThan(10_000);
  });

  it('are asked for once, and IPv6 only where IPv4 does not do', async () => {
    const { port } = await rawServer((socket) => socket.write(okAnswer('x')));
    const dns = await named((name) => (name === 'gone.test' ? 'nxdomain' : ['127.0.0.1', '::1']));
    const egress = testEgress({ dns: [dns.address] });
    const requests = Array.from({ length: 10 }, () => egress.fetch(asked(`http://a.test:${port}/`)));
    for (const answer of await Promise.all(requests)) expect(answer.ok).toBe(true);
    await egress.fetch(asked('http://gone.test/'));
    await egress.fetch(asked('http://gone.test/'));
    expect(dns.asked).toEqual(['4 a.test', '4 gone.test']);
  });

  it('with several addresses are tried one after the other', async () => {
    const { port } = await rawServer((socket) => socket.write(okAnswer('x')), '127.0.0.3');
    const dns = await named(() => ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
    const answer = await testEgress({ dns: [dns.address] }).fetch(asked(`http://a.test:${port}/`));
    expect(answer).toMatchObject({ ok: true, ip: '127.0.0.3' });
  });

  it('with IPv6 alone are reached by it', async () => {
    const heads: string[] = [];
    const serve = (socket: Socket, head: string): void => {
      heads.push(head);
      socket.write(okAnswer('x'));
    };
    const { port, base } = await rawServer(serve, '::1');
    const dns = await named(() => ['::1']);
    const egress = testEgress({ dns: [dns.address] });
    expect(await egress.fetch(asked(`http://a.test:${port}/`))).toMatchObject({ ok: true, ip: '::1' });
    const literal = await egress.fetch(asked(`${base}/x`));
    expect(literal.ok && literal.requestHead).toBe(heads[1]);
    expect(heads[1]).toContain(`host: [::1]:${port}\r\n`);
  });
});
