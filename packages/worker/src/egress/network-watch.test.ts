import type { Clock, Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { ReachAnswer } from './egress.ts';
import { createNetworkWatch } from './network-watch.ts';

/** A clock that jumps to the next sleeper as soon as nothing else is to be done. */
function jumpingClock(): Clock & { advance(ms: number): void } {
  let nowMs = 1_000_000;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      nowMs += ms;
    },
  };
}

const answer = (ok: boolean): ReachAnswer =>
  ok
    ? { ok: true, ip: '192.0.2.1' }
    : { ok: false, reason: 'connect-timeout', detail: '', contacted: true, startedAtMs: 0, durationMs: 0 };

function setUp() {
  const clock = jumpingClock();
  const net = {
    dns: 'answers' as 'answers' | 'silent' | 'unused',
    down: new Set<string>(),
    probes: [] as string[],
    meanwhile: () => {},
  };
  const watch = createNetworkWatch({
    clock,
    allowPrivate: [],
    egress: {
      probeDns: async () => {
        net.probes.push('dns');
        const answers = net.dns;
        net.meanwhile();
        return answers;
      },
      reach: async ({ url }) => {
        net.probes.push(url);
        return answer(!net.down.has(url));
      },
    },
  });
  const works = (...hosts: string[]): void => {
    for (const host of hosts) watch.succeeded(host, '192.0.2.1', `http://${host}/page` as Url);
    // A success at this very moment would be proof enough that the network is there.
    clock.advance(1);
  };
  const goesDown = (...hosts: string[]): void => {
    for (const host of hosts) net.down.add(`http://${host}/`);
  };
  return { clock, net, watch, works, goesDown };
}

describe('a failure', () => {
  it('is the host’s own while name servers and other hosts answer', async () => {
    const { watch, works, goesDown } = setUp();
    works('a', 'b', 'c');
    goesDown('a');
    expect(await watch.judge('a', 'connect-timeout')).toBe('host');
  });

  it('is the network’s when name servers are silent', async () => {
    const { watch, net } = setUp();
    net.dns = 'silent';
    expect(await watch.judge('a', 'dns-failed')).toBe('offline');
    expect(await watch.judge('a', 'connect-timeout')).toBe('offline');
    expect(watch.sentence()).toBe('No network: DNS does not answer');
  });

  it('to connect is the host’s own when name servers are silent but others can be reached', async () => {
    const { watch, net, works, goesDown } = setUp();
    works('a', 'b');
    goesDown('a');
    net.dns = 'silent';
    expect(await watch.judge('a', 'connect-timeout')).toBe('host');
    expect(await watch.judge('c', 'dns-failed')).toBe('offline');
  });

  it('is the network’s when none of the other good hosts can be reached', async () => {
    const { watch, net, works, goesDown } = setUp();
    works('a', 'b', 'c');
    goesDown('a', 'b', 'c');
    expect(await watch.judge('a', 'connect-timeout')).toBe('offline');
    expect(watch.sentence()).toBe('No network: 3 hosts do not answer');
    net.dns = 'silent';
    expect(await watch.judge('a', 'connect-timeout')).toBe('offline');
    expect(watch.sentence()).toBe('No network: 3 hosts and DNS do not answer');
  });

  it('is the host’s own when fewer than two others could be asked', async () => {
    const { watch, works, goesDown } = setUp();
    works('a', 'b');
    goesDown('a', 'b');
    expect(await watch.judge('a', 'connect-timeout')).toBe('host');
    expect(await watch.judge('b', 'connect-timeout')).toBe('host');
    expect(await watch.judge('new', 'connect-timeout')).toBe('offline');
  });

  it('says nothing about hosts that worked long ago', async () => {
    const { clock, watch, works, goesDown } = setUp();
    works('a', 'b', 'c');
    goesDown('a', 'b', 'c');
    clock.advance(11 * 60_000);
    expect(await watch.judge('a', 'connect-timeout')).toBe('host');
  });

  it('is the hosts’ own after ten minutes in which name servers answer', async () => {
    const { clock, watch, works, goesDown } = setUp();
    works('a', 'b', 'c');
    goesDown('a', 'b', 'c');
    expect(await watch.judge('a', 'connect-timeout')).toBe('offline');
    clock.advance(9 * 60_000);
    expect(await watch.judge('a', 'connect-timeout')).toBe('offline');
    clock.advance(61_000);
    expect(await watch.judge('a', 'connect-timeout')).toBe('host');
  });

  it('is looked into once for all who ask at the same time, with few probes', async () => {
    const { watch, net, works, goesDown } = setUp();
    const hosts = Array.from({ length: 50 }, (_, i) => `h${i}`);
    works(...hosts);
    goesDown(...hosts);
    const verdicts = await Promise.all(hosts.map((host) => watch.judge(host, 'connect-timeout')));
    expect(new Set(verdicts)).toEqual(new Set(['offline']));
    expect(net.probes).toHaveLength(5);
  });

  it('is the host’s own when another host answers meanwhile', async () => {
    const { watch, net, works, goesDown } = setUp();
    works('a', 'b', 'c');
    goesDown('a', 'b', 'c');
    net.meanwhile = () => watch.succeeded('d', '192.0.2.2', 'http://d/' as Url);
    expect(await watch.judge('a', 'connect-timeout')).toBe('host');
  });

  it('is the network’s when the last answer came just after it', async () => {
    const { watch, works, goesDown } = setUp();
    works('a', 'b', 'c');
    goesDown('a', 'b', 'c');
    const verdict = watch.judge('a', 'connect-timeout');
    watch.succeeded('d', '192.0.2.2', 'http://d/' as Url);
    goesDown('d');
    expect(await verdict).toBe('offline');
  });

  it('is not judged by a look that was under way before it', async () => {
    const { watch, net, works, goesDown } = setUp();
    works('a', 'b', 'c', 'd');
    goesDown('x');
    let late: Promise<string> | undefined;
    net.meanwhile = () => {
      net.meanwhile = () => {};
      late = Promise.resolve().then(async () => {
        net.dns = 'silent';
        goesDown('a', 'b', 'c', 'd');
        return await watch.judge('a', 'connection-reset');
      });
    };
    expect(await watch.judge('x', 'connect-refused')).toBe('host');
    expect(await late).toBe('offline');
  });
});

describe('waiting', () => {
  it('ends for everybody when the network is back', async () => {
    const { clock, watch, net, works, goesDown } = setUp();
    works('a', 'b', 'c');
    goesDown('a', 'b', 'c');
    net.dns = 'silent';
    expect(await watch.judge('a', 'connect-timeout')).toBe('offline');
    const startedAt = clock.now();
    const signal = new AbortController().signal;
    const waits = Promise.all([watch.waitUntilOnline(signal), watch.waitUntilOnline(signal)]);
    while (clock.now() - startedAt < 40_000) await new Promise((resolve) => setImmediate(resolve));
    const looks = net.probes.filter((probe) => probe === 'dns').length;
    expect(looks).toBeLessThan(20);
    net.dns = 'answers';
    net.down.clear();
    await waits;
    expect(clock.now() - startedAt).toBeLessThanOrEqual(60_000);
  });

  it('is noticed to be over soon, compared with how long it was', async () => {
    for (const awayMs of [3_000, 10_000, 30_000]) {
      const { clock, net, watch, works, goesDown } = setUp();
      works('a', 'b', 'c');
      goesDown('a', 'b', 'c');
      await watch.judge('a', 'connect-timeout');
      const beganMs = clock.now();
      net.meanwhile = () => {
        if (clock.now() >= beganMs + awayMs) net.down.clear();
      };
      await watch.waitUntilOnline(new AbortController().signal);
      expect(clock.now() - beganMs).toBeLessThanOrEqual(awayMs * 1.25 + 1_000);
    }
  });

  it('ends when a request succeeds', async () => {
    const { watch, net } = setUp();
    net.dns = 'silent';
    expect(await watch.judge('a', 'dns-failed')).toBe('offline');
    const wait = watch.waitUntilOnline(new AbortController().signal);
    watch.succeeded('b', '192.0.2.1', 'http://b/' as Url);
    await wait;
  });

  it('can be called off by one without the others, and leaves nothing behind', async () => {
    const { watch, net } = setUp();
    net.dns = 'silent';
    await watch.judge('a', 'dns-failed');
    const one = new AbortController();
    const first = watch.waitUntilOnline(one.signal);
    const second = watch.waitUntilOnline(new AbortController().signal);
    one.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    net.dns = 'answers';
    await second;
    await expect(watch.waitUntilOnline(one.signal)).rejects.toThrow('enough');
  });
});
