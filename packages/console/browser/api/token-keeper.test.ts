import { expect, it } from 'vitest';
import { createTokenKeeper } from './token-keeper.ts';

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    get length() {
      return kept.size;
    },
  } as Storage;
}

function tabs(name: string, n: number, answerMs = 15_000) {
  const lasting = storage();
  const channels = Array.from({ length: n }, () => new BroadcastChannel(name));
  const all = channels.map((channel) => {
    const own = storage();
    return { own, keeper: createTokenKeeper({ storage: own, lasting, channel, answerMs }) };
  });
  return { all, lasting, close: () => channels.forEach((channel) => channel.close()) };
}

it('hands the token to a new tab, and keeps it nowhere that outlives the tabs', async () => {
  const { all, lasting, close } = tabs('keeper-1', 2);
  const [first, second] = all;
  first?.keeper.keep('secret');
  expect(await second?.keeper.find()).toBe('secret');
  expect(lasting.length).toBe(0);
  close();
});

it('has none where no tab has one', async () => {
  const { all, close } = tabs('keeper-2', 2, 10);
  expect(await all[0]?.keeper.find()).toBeUndefined();
  close();
});

it('forgets it in every tab', async () => {
  const { all, close } = tabs('keeper-3', 2);
  const [first, second] = all;
  first?.keeper.keep('secret');
  second?.keeper.keep('secret');
  const told = new Promise<void>((done) => second?.keeper.onForgotten(done));
  first?.keeper.forget();
  await told;
  expect([first?.own.length, second?.own.length]).toEqual([0, 0]);
  close();
});

it('forgets in one tab what the coordinator refused there, and reloads no other', async () => {
  const { all, lasting, close } = tabs('keeper-4', 2);
  const [first, second] = all;
  first?.keeper.keep('secret');
  second?.keeper.keep('other');
  first?.keeper.expectSession();
  let reloads = 0;
  second?.keeper.onForgotten(() => reloads++);
  first?.keeper.forgetHere();
  // The other tab answers after whatever it was told before.
  expect(await first?.keeper.find()).toBe('other');
  expect([reloads, lasting.length]).toEqual([0, 0]);
  close();
});
