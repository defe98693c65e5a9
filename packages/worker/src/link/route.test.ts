import { type Clock, WebfarerError } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import type { Conversation } from './conversation.ts';
import { createRoute } from './route.ts';

/** Time that passes by sleeping and by trying. */
function world(alive: string[], seed: number) {
  const time = { now: 0 };
  const clock: Clock = {
    now: () => time.now,
    async sleep(ms) {
      time.now += ms;
    },
  };
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const tried: string[] = [];
  /** One that is gone refuses at once; one that is silent costs all the patience there is. */
  async function connect(url: string, patienceMs: number): Promise<Conversation> {
    tried.push(url);
    if (alive.includes(url)) return {} as Conversation;
    time.now += url.includes('silent') ? patienceMs : 1;
    throw new WebfarerError('link-lost', 'gone');
  }
  return { time, clock, random, tried, connect };
}

const never = new AbortController().signal;
const peer = (url: string) => ({ id: url, url });

test('with one of three alive and one silent, 99 of 100 find it within two seconds', async () => {
  const times: number[] = [];
  for (let seed = 1; seed <= 500; seed++) {
    const { time, clock, random, connect } = world(['http://c:1'], seed);
    const route = createRoute({ urls: ['http://a:1'], clock, random });
    route.learn([peer('http://silent:1'), peer('http://c:1')]);
    route.arrived('http://a:1');
    await route.find(connect, never);
    times.push(time.now);
  }
  times.sort((a, b) => a - b);
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(2_000);
});

test('the workers of a lost coordinator spread over the others, and try the lost one last', async () => {
  const found = { b: 0, c: 0 };
  for (let seed = 1; seed <= 200; seed++) {
    const { clock, random, tried, connect } = world(['http://b:1', 'http://c:1', 'http://a:1'], seed * 7_919);
    const route = createRoute({ urls: ['ws://a:1/link', 'http://b:1/'], clock, random });
    route.learn([peer('http://c:1')]);
    route.arrived('http://a:1');
    await route.find(connect, never);
    expect(tried).toHaveLength(1);
    if (tried[0] === 'http://b:1') found.b++;
    else if (tried[0] === 'http://c:1') found.c++;
  }
  expect(found.b + found.c).toBe(200);
  expect(Math.min(found.b, found.c)).toBeGreaterThan(60);
});

test('pauses grow up to a bound, with chance in them', async () => {
  const { time, clock, random } = world([], 1);
  const route = createRoute({ urls: ['http://a:1'], clock, random });
  const pauses: number[] = [];
  for (let i = 0; i < 20; i++) {
    const before = time.now;
    await route.pause(never);
    pauses.push(time.now - before);
  }
  expect(pauses[0]).toBeLessThanOrEqual(150);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(7_500);
  expect(pauses.slice(-3).every((ms) => ms >= 2_500)).toBe(true);
});

test('the only coordinator is found again before it has been away twice as long', async () => {
  for (const awayMs of [1_000, 3_000, 8_000]) {
    for (let seed = 1; seed <= 50; seed++) {
      const { time, clock, random, connect } = world([], seed * 7_919);
      const route = createRoute({ urls: ['http://a:1'], clock, random });
      const back = async (url: string, patienceMs: number) =>
        time.now < awayMs ? await connect(url, patienceMs) : ({} as Conversation);
      await route.find(back, never);
      expect(time.now).toBeLessThanOrEqual(awayMs * 2);
    }
  }
});

test('it gives up only where every address refuses for good', async () => {
  const { clock, random } = world([], 1);
  const route = createRoute({ urls: ['http://a:1', 'http://b:1'], clock, random });
  let tries = 0;
  const found = await route.find(async (url) => {
    tries++;
    throw new WebfarerError(url === 'http://a:1' || tries > 3 ? 'link-refused' : 'link-lost', 'no');
  }, never);
  expect(found).toMatchObject({ code: 'link-refused' });
  expect(tries).toBe(4);
});

test('where every address that was given is encrypted, no other is used', () => {
  const { clock, random } = world([], 1);
  const route = createRoute({ urls: ['https://a:1'], clock, random });
  route.learn([peer('http://b:1'), peer('ws://c:1/link'), peer('https://d:1'), peer('wss://e:1')]);
  expect(route.peers().map(({ url }) => url)).toEqual(['https://d:1', 'wss://e:1']);
  expect(route.mayUse('http://b:1')).toBe(false);
  const open = createRoute({ urls: ['http://a:1'], clock, random });
  open.learn([peer('http://b:1'), peer('https://d:1')]);
  expect(open.peers()).toHaveLength(2);
});

test('an address that only an earlier process knew is tried, and does not outlive a refusal of the given ones', async () => {
  const { clock, random, tried, connect } = world(['http://b:1'], 7);
  const route = createRoute({ urls: ['http://a:1'], clock, random });
  route.remember([peer('http://b:1')]);
  await route.find(connect, never);
  expect(tried.at(-1)).toBe('http://b:1');

  const gone = createRoute({ urls: ['http://a:1'], clock, random });
  gone.remember([peer('http://gone:1')]);
  const refused = new WebfarerError('link-refused', 'no');
  const found = await gone.find(async (url, patienceMs) => {
    if (url === 'http://a:1') throw refused;
    return await connect(url, patienceMs);
  }, never);
  expect(found).toBe(refused);
});
