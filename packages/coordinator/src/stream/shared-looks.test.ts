import { expect, it } from 'vitest';
import { memoryHome } from './home.fixture.ts';
import { memoryResults } from './memory-results.fixture.ts';
import { createSharedLooks } from './shared-looks.ts';

function world() {
  let nowMs = 0;
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  const looks = createSharedLooks(clock, 200);
  let asked = 0;
  let gone = false;
  const open = () => ({
    ...memoryHome(memoryResults()),
    nonce: 'n',
    state: () => Promise.resolve((asked++, 'running' as const)),
    check: () => (gone ? Promise.reject(new Error('deleted')) : Promise.resolve()),
  });
  return {
    share: () => looks.share(open()),
    later: (ms: number) => void (nowMs += ms),
    asked: () => asked,
    remove: () => void (gone = true),
  };
}

it('asks once for all who follow a crawl, and again when the answer is old', async () => {
  const { share, later, asked } = world();
  const homes = Array.from({ length: 200 }, share);
  const ask = () => Promise.all(homes.map((home) => home.state()));
  expect(new Set(await ask())).toEqual(new Set(['running']));
  later(199);
  await ask();
  expect(asked()).toBe(1);
  later(1);
  await ask();
  expect(asked()).toBe(2);
  for (const home of homes) await home.close();
  // Nobody is left who could have heard it: the next one asks.
  await share().state();
  expect(asked()).toBe(3);
});

it('tells everyone that a crawl was deleted', async () => {
  const { share, later, remove } = world();
  const [a, b] = [share(), share()];
  await a.check();
  remove();
  later(200);
  const answers = await Promise.allSettled([a.check(), b.check()]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(b.check()).rejects.toThrow('deleted');
});
