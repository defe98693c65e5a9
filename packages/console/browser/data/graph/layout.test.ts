import { expect, it } from 'vitest';
import { type LayoutOptions, placeHosts } from './layout.ts';

async function placed(of: Partial<LayoutOptions> & Pick<LayoutOptions, 'hosts' | 'links'>) {
  let pauses = 0;
  const places = await placeHosts({
    groups: Array.from({ length: of.hosts }, () => 0),
    signal: new AbortController().signal,
    pause() {
      pauses += 1;
      return Promise.resolve();
    },
    ...of,
  });
  const apart = (a: number, b: number) =>
    Math.hypot(
      (places[2 * a] as number) - (places[2 * b] as number),
      (places[2 * a + 1] as number) - (places[2 * b + 1] as number),
    );
  return { places, pauses, apart };
}

it('places what is linked together, and the rest apart', async () => {
  const links = [
    [0, 1, 9],
    [1, 2, 9],
    [0, 2, 9],
    [3, 4, 9],
    [4, 5, 9],
    [3, 5, 9],
    [2, 3, 1],
  ] as const;
  const { apart, places } = await placed({ hosts: 6, links, groups: [0, 0, 0, 1, 1, 1] });
  expect(apart(0, 1)).toBeLessThan(apart(0, 5) / 2);
  expect(apart(0, 1)).toBeGreaterThan(0.01);
  expect([...places].every(Number.isFinite)).toBe(true);
  expect((await placed({ hosts: 6, links, groups: [0, 0, 0, 1, 1, 1] })).places).toEqual(places);
});

it('pauses again and again on a large map, and ends when nobody waits for it', async () => {
  const links = Array.from({ length: 2_000 }, (_, i) => [i % 1_000, (i * 7) % 1_000, 1] as const);
  const { pauses, places } = await placed({ hosts: 1_000, links });
  // No more than half a million pairs in between, in at least a hundred rounds of half a million.
  expect(pauses).toBeGreaterThanOrEqual(100);
  expect([...places].every(Number.isFinite)).toBe(true);
  const abort = new AbortController();
  abort.abort();
  expect((await placed({ hosts: 1_000, links, signal: abort.signal })).pauses).toBe(0);
});

it('places one host, and none', async () => {
  expect((await placed({ hosts: 1, links: [] })).places).toHaveLength(2);
  expect((await placed({ hosts: 0, links: [] })).places).toHaveLength(0);
});
