import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Url } from '@webfarer/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { each } from '../records.fixture.ts';
import { blockNodes } from './blocks.ts';
import { shapeOf } from './bow-tie.ts';
import { createCrew } from './crew.ts';
import { type Csr, csrOf, transpose } from './csr.ts';
import { degreesOf, reciprocity } from './degrees.ts';
import { createEdgeSorter } from './edge-sorter.ts';
import { exactHarmonic } from './harmonic.ts';
import { openGraph, saveGraph } from './graph-file.ts';
import { hostGraph } from './host-graph.ts';
import { hyperBall } from './hyper-ball.ts';
import { centrality, measureGraph } from './measures.ts';
import { pageRank } from './page-rank.ts';
import { fitPowerLaw, zeta } from './power-law.ts';
import { strongComponents } from './strong.ts';
import { weakComponents } from './weak.ts';

/** Rows of a graph with up to 12 nodes. */
const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((nodes) =>
    fc
      .array(fc.uniqueArray(fc.nat(nodes - 1), { maxLength: 4 }), { minLength: nodes, maxLength: nodes })
      .map((rows) => csrOf(rows.map((row) => row.toSorted((a, b) => a - b)))),
  );

const edgesOf = ({ nodes, offsets, targets }: Csr): [number, number][] =>
  Array.from({ length: nodes }, (_, i) => i).flatMap((i) =>
    [...targets.subarray(offsets[i], offsets[i + 1])].map((to): [number, number] => [i, to]),
  );

/** Whether b can be reached from a, by squaring: the plainest way there is. */
function reach(graph: Csr, bothWays = false): boolean[][] {
  const n = graph.nodes;
  const can = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => i === j));
  for (const [from, to] of edgesOf(graph)) {
    can[from]![to] = true;
    if (bothWays) can[to]![from] = true;
  }
  for (let k = 0; k < n; k++)
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) can[i]![j] ||= can[i]![k]! && can[k]![j]!;
  return can;
}

describe('components', () => {
  test('strong and weak ones are those of plain reachability', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const can = reach(graph);
        const hangs = reach(graph, true);
        const strong = strongComponents(graph);
        const weak = weakComponents(graph);
        for (let i = 0; i < graph.nodes; i++) {
          for (let j = 0; j < graph.nodes; j++) {
            expect(strong.of[i] === strong.of[j]).toBe(can[i]![j]! && can[j]![i]!);
            expect(weak.of[i] === weak.of[j]).toBe(hangs[i]![j]);
          }
        }
        for (const [from, to] of edgesOf(graph)) expect(strong.of[to]).toBeLessThanOrEqual(strong.of[from]!);
      }),
    );
  });

  test('a path of 300,000 nodes overflows nothing', () => {
    const rows = Array.from({ length: 300_000 }, (_, i) => (i === 299_999 ? [] : [i + 1]));
    expect(strongComponents(csrOf(rows)).count).toBe(300_000);
  });

  test('the bow tie', () => {
    // 0 and 1 are the core, 2 leads in, 3 is led to, 4 hangs on 2, 5 is apart.
    const graph = csrOf([[1, 3], [0], [0, 4], [], [], []]);
    expect(shapeOf(graph, transpose(graph))).toMatchObject({
      bowTie: { core: 2, in: 1, out: 1, tendrils: 1, apart: 1 },
      largestStrong: 2,
      largestWeak: 5,
    });
  });
});

describe('edges', () => {
  test('the sorter gives each link once with its count, also through files', async () => {
    const links = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(links, fc.constantFrom(1, 3, 7, 100), async (list, maxPairs) => {
        const sorter = await createEdgeSorter({ folder: tmpdir(), maxPairs });
        for (const [from, to] of list) sorter.add(from, to);
        const { out, weights } = sorter.finish(7, { weights: true });
        await sorter.close();
        const counts = new Map<string, number>();
        for (const link of list) counts.set(String(link), (counts.get(String(link)) ?? 0) + 1);
        expect(edgesOf(out).map(String)).toEqual([...counts.keys()].toSorted());
        expect([...(weights ?? [])]).toEqual(edgesOf(out).map((link) => counts.get(String(link))));
      }),
      { numRuns: 40 },
    );
  });

  test('turned round twice it is the same, and reciprocity counts answers', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const into = transpose(graph);
        expect(edgesOf(transpose(into))).toEqual(edgesOf(graph));
        const links = edgesOf(graph).filter(([a, b]) => a !== b);
        const answered = links.filter(([a, b]) => links.some(([c, d]) => a === d && b === c));
        expect(reciprocity(graph, into)).toBeCloseTo(
          links.length === 0 ? 0 : answered.length / links.length,
          12,
        );
      }),
    );
  });
});

/** Some thousand nodes with a few hubs. */
function hubs(nodes: number): Csr {
  const rows = Array.from({ length: nodes }, (_, i) => [
    ...new Set([(i * 7919) % nodes, (i * i) % 97, (i * 31 + 5) % nodes].filter((to) => to !== i)),
  ]);
  return csrOf(rows.map((row) => row.toSorted((a, b) => a - b)));
}

/** PageRank's rounds as they are defined, each node asking those that link to it. */
function plainRanks({ into, degrees, rounds }: { into: Csr; degrees: Uint32Array; rounds: number }) {
  let rank = new Float64Array(into.nodes).fill(1 / into.nodes);
  for (let round = 0; round < rounds; round++) {
    const loose = rank.reduce((sum, own, node) => (degrees[node] === 0 ? sum + own : sum), 0);
    const base = (1 - 0.85 + 0.85 * loose) / into.nodes;
    rank = rank.map((_, node) => {
      let sum = 0;
      for (const from of into.targets.subarray(into.offsets[node], into.offsets[node + 1]))
        sum += rank[from]! / degrees[from]!;
      return base + 0.85 * sum;
    });
  }
  return rank;
}

const hasSameBits = (a: Float64Array, b: Float64Array): boolean =>
  Buffer.from(a.buffer).equals(Buffer.from(b.buffer));

describe('centrality', () => {
  test('ranks that go by way of blocks are those of asking each node', async () => {
    const graph = hubs(2 * blockNodes + 7);
    const [into, degrees] = [transpose(graph), degreesOf(graph)];
    const { rank } = await pageRank(into, degrees, createCrew(0), { maxRounds: 3 });
    const plain = plainRanks({ into, degrees, rounds: 3 });
    expect(hasSameBits(rank, plain)).toBe(true);
  });

  test('threads give the same bits as none', async () => {
    const graph = hubs(blockNodes + 7);
    const into = transpose(graph, (length) => new Uint32Array(new SharedArrayBuffer(4 * length)));
    const degrees = degreesOf(graph);
    const [alone, together] = [createCrew(0), createCrew(2)];
    try {
      const one = await pageRank(into, degrees, alone, { maxRounds: 8 });
      const two = await pageRank(into, degrees, together, { maxRounds: 8 });
      expect(hasSameBits(two.rank, one.rank)).toBe(true);
      expect(one.rank.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9);
      const balls = await hyperBall(into, alone, { maxRounds: 4 });
      const sharedBalls = await hyperBall(into, together, { maxRounds: 4 });
      expect(hasSameBits(sharedBalls.harmonic, balls.harmonic)).toBe(true);
    } finally {
      await together.close();
    }
  });

  test('HyperBall is within its stated error of the exact sum', async () => {
    const graph = hubs(3_000);
    const exact = exactHarmonic(graph);
    for (const bits of [6, 8]) {
      const { harmonic, error } = await hyperBall(transpose(graph), createCrew(0), { bits });
      const squares = exact.map(
        (value, node) => (value === 0 ? harmonic[node]! : harmonic[node]! / value - 1) ** 2,
      );
      const deviation = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / exact.length);
      expect(deviation).toBeLessThan(error);
    }
  });
});

test('the power law of numbers that follow one is found', () => {
  const all = zeta(2.5, 1);
  const counts = Array.from({ length: 2_000 }, (_, n) => ({
    degree: n + 1,
    nodes: Math.round((1e6 * (n + 1) ** -2.5) / all),
  })).filter(({ nodes }) => nodes > 0);
  const fit = fitPowerLaw(counts);
  expect(fit?.exponent).toBeCloseTo(2.5, 1);
  expect(fit?.uncertainty).toBeLessThan(0.05);
  expect(zeta(2, 1)).toBeCloseTo(Math.PI ** 2 / 6, 12);
  expect(zeta(3.5, 7.5) - zeta(3.5, 8.5)).toBeCloseTo(7.5 ** -3.5, 14);
});

test('the hosts of a crawl, by name, with the links between them', async () => {
  const link = (from: string, ...to: string[]) => ({
    from: from as Url,
    edges: to.map((url) => ({ to: url as Url, rel: 'a' })),
  });
  const pages = () => [
    link('https://b.test/', 'https://a.test/', 'https://www.b.test/', 'https://b.test/2'),
    link('https://b.test/2', 'https://a.test/x', 'https://c.test/'),
    link('https://a.test/', 'https://b.test/'),
  ];
  const graph = await hostGraph([each(pages())]);
  expect(graph.names).toEqual(['a.test', 'b.test', 'c.test', 'www.b.test']);
  expect(edgesOf(graph.out)).toEqual([
    [0, 1],
    [1, 0],
    [1, 2],
    [1, 3],
  ]);
  expect([...graph.links]).toEqual([1, 2, 1, 1]);
  const turned = await hostGraph([
    each(pages().toReversed().slice(0, 1)),
    each(pages().toReversed().slice(1)),
  ]);
  expect(turned).toEqual(graph);
  const sites = await hostGraph([each(pages())], { level: 'site' });
  expect(sites.names).toEqual(['a.test', 'b.test', 'c.test']);
  expect(measureGraph(sites)).toMatchObject({ nodes: 3, links: 3, largestStrong: 2, reciprocity: 2 / 3 });
  const { harmonic, inDegree } = await centrality(sites);
  expect([[...harmonic], [...inDegree]]).toEqual([
    [1, 1, 1.5],
    [1, 1, 1],
  ]);
});

test('a graph that grows crawl by crawl is the one made at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'webfarer-network-'));
  try {
    const file = join(folder, 'hosts.graph');
    const links = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 30 });
    const pages = (list: [number, number][]) =>
      each(
        list.map(([from, to]) => ({
          from: `https://h${from}.test/` as Url,
          edges: [{ to: `https://h${to}.test/` as Url, rel: 'a' }],
        })),
      );
    await fc.assert(
      fc.asyncProperty(links, links, async (first, second) => {
        await saveGraph(file, { graph: await hostGraph([pages(first)]), level: 'host', crawls: ['1'] });
        const grown = await openGraph(file);
        if (grown === undefined) throw new Error('not saved');
        const together = await hostGraph([pages(second)], { base: grown.graph });
        expect(together).toEqual(await hostGraph([pages(first), pages(second)]));
      }),
      { numRuns: 30 },
    );
    expect(await openGraph(join(folder, 'none'))).toBeUndefined();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
