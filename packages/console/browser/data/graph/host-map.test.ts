import type { HostGraph } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { namesOf, neighboursOf, spotsOf } from './host-map.ts';

const node = (host: string, linksIn: number, crawled = false) => ({
  host,
  crawled,
  urls: 0,
  pages: 0,
  linksIn,
  linksOut: 0,
  hostsIn: 0,
  hostsOut: 0,
  group: 0,
});
const graph: HostGraph = {
  hosts: [
    node('site.test', 0, true),
    node('a.test', 9),
    node('b.test', 4),
    node('c.test', 1),
    node('d.test', 1),
  ],
  links: [
    [0, 1, 9],
    [0, 2, 4],
    [0, 3, 1],
    [0, 4, 1],
  ],
  totals: { hosts: 5, crawled: 1, links: 15, pairs: 4 },
  uncounted: { urls: 0, links: 0 },
};
const size = { width: 600, height: 400 };
const widthOf = (name: string) => name.length * 6.6;

it('fits every host into the room, and none that was crawled is the smallest dot', () => {
  const spots = spotsOf(graph, new Float64Array([-5, 0, 5, 0, 0, 9, 0, -9, 1, 1]), size);
  for (const { x, y } of spots) {
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(600);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(400);
  }
  const radii = Object.fromEntries(spots.map((spot) => [spot.node.host, spot.radius]));
  expect(radii['site.test']).toBeGreaterThan(radii['c.test'] as number);
  expect(radii['a.test']).toBeGreaterThan(radii['b.test'] as number);
});

it('stands in the middle when there is one host', () => {
  const [spot] = spotsOf(
    { ...graph, hosts: [node('one.test', 0, true)], links: [] },
    new Float64Array(2),
    size,
  );
  expect([spot?.x, spot?.y]).toEqual([300, 200]);
});

it('knows who links to a host, and whom it links to', () => {
  const { from, to } = neighboursOf(graph);
  expect(to[0]).toEqual([
    { at: 1, links: 9 },
    { at: 2, links: 4 },
    { at: 3, links: 1 },
    { at: 4, links: 1 },
  ]);
  expect(from[1]).toEqual([{ at: 0, links: 9 }]);
  expect(from[0]).toEqual([]);
});

it('writes no name over another, first that of the host that is looked at, and none beyond the edge', () => {
  const close = new Float64Array([0, 0, 0.001, 0, 100, 100, 0, 0.001, 100, 0]);
  const spots = spotsOf(graph, close, size);
  const names = (order: Iterable<number>, most = 10) =>
    namesOf(spots, order, { ...size, most, widthOf }).map(({ at }) => at);
  expect(names(spots.keys())).toEqual([0, 2, 4]);
  expect(names([3, 0, 1, 2])).toEqual([3, 2]);
  expect(names(spots.keys(), 1)).toEqual([0]);
  const long = spotsOf({ ...graph, hosts: [node('x'.repeat(90), 1), node('b.test', 1)] }, close, size);
  for (const { x } of namesOf(long, long.keys(), { ...size, most: 9, widthOf }))
    expect(x).toBeGreaterThan(15);
});

it('knows that letters differ in width', () => {
  const beside = new Float64Array([0, 0, 12, 0, 100, 100, 100, 100, 100, 100]);
  const spots = spotsOf(graph, beside, size);
  const names = (wide: (name: string) => number) =>
    namesOf(spots, [0, 1], { ...size, most: 9, widthOf: wide }).map(({ at }) => at);
  expect(names((name) => name.length * 4)).toEqual([0, 1]);
  expect(names((name) => name.length * 12)).toEqual([0]);
});
