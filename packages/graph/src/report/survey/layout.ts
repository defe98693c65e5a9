import type { Ties } from './communities.ts';

export interface Place {
  x: number;
  y: number;
}

/** Pairs of nodes that are placed before others may use the event loop. */
const pairsAtOnce = 200_000;

/**
 * Nodes that are joined attract each other, groups hold together, and all others push each other away.
 * The same input gives the same places.
 */
export async function forceLayout(ties: Ties, groups: readonly number[], rounds = 300): Promise<Place[]> {
  const n = ties.length;
  const ideal = 1 / Math.sqrt(n || 1);
  const joined = joinedOf(ties);
  const places = { x: new Float64Array(n), y: new Float64Array(n) };
  const moves = { x: new Float64Array(n), y: new Float64Array(n) };
  // A spiral to begin with: even, and without chance.
  for (let i = 0; i < n; i++) {
    const [angle, radius] = [i * 2.399963, 0.5 * Math.sqrt((i + 0.5) / n)];
    places.x[i] = radius * Math.cos(angle);
    places.y[i] = radius * Math.sin(angle);
  }
  const pairs = (n * n) / 2 + joined.weights.length;
  for (let round = 0, done = 0; round < rounds; round++, done += pairs) {
    if (done > pairsAtOnce) {
      done = 0;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    for (let i = 0; i < n; i++) {
      moves.x[i] = -(places.x[i] as number) * 0.35 * ideal * 6;
      moves.y[i] = -(places.y[i] as number) * 0.35 * ideal * 6;
    }
    repel(places, moves, ideal);
    attract(places, moves, joined, ideal);
    gather(places, moves, groups);
    step(places, moves, 0.1 * (1 - round / rounds) + 0.001);
  }
  return ties.map((_, i) => ({ x: places.x[i] as number, y: places.y[i] as number }));
}

interface Vectors {
  x: Float64Array;
  y: Float64Array;
}

interface Joined {
  from: Uint32Array;
  to: Uint32Array;
  weights: Float64Array;
}

/** Every pair that is joined, once. */
function joinedOf(ties: Ties): Joined {
  const rows = ties.flatMap((row, i) => [...row].filter(([j]) => j > i).map(([j, weight]) => [i, j, weight]));
  return {
    from: Uint32Array.from(rows, ([i = 0]) => i),
    to: Uint32Array.from(rows, ([, j = 0]) => j),
    weights: Float64Array.from(rows, ([, , weight = 0]) => Math.min(weight, 6)),
  };
}

function repel(places: Vectors, moves: Vectors, ideal: number): void {
  const { x, y } = places;
  for (let i = 0; i < x.length; i++) {
    const [ax, ay] = [x[i] as number, y[i] as number];
    let [mx, my] = [moves.x[i] as number, moves.y[i] as number];
    for (let j = i + 1; j < x.length; j++) {
      const dx = ax - (x[j] as number);
      const dy = ay - (y[j] as number);
      const push = (ideal * ideal) / Math.max(dx * dx + dy * dy, 1e-6);
      mx += dx * push;
      my += dy * push;
      moves.x[j] = (moves.x[j] as number) - dx * push;
      moves.y[j] = (moves.y[j] as number) - dy * push;
    }
    moves.x[i] = mx;
    moves.y[i] = my;
  }
}

function attract(places: Vectors, moves: Vectors, { from, to, weights }: Joined, ideal: number): void {
  for (let n = 0; n < weights.length; n++) {
    const [i, j] = [from[n] as number, to[n] as number];
    const dx = (places.x[j] as number) - (places.x[i] as number);
    const dy = (places.y[j] as number) - (places.y[i] as number);
    const pull = (lengthOf(dx, dy) / ideal) * (weights[n] as number) * 0.12;
    moves.x[i] = (moves.x[i] as number) + dx * pull;
    moves.y[i] = (moves.y[i] as number) + dy * pull;
    moves.x[j] = (moves.x[j] as number) - dx * pull;
    moves.y[j] = (moves.y[j] as number) - dy * pull;
  }
}

/** Towards the middle of the own group. */
function gather(places: Vectors, moves: Vectors, groups: readonly number[]): void {
  const middles = groups.map(() => ({ x: 0, y: 0, n: 0 }));
  for (const [i, group] of groups.entries()) {
    const middle = middles[group];
    if (!middle) continue;
    middle.x += places.x[i] as number;
    middle.y += places.y[i] as number;
    middle.n += 1;
  }
  for (const [i, group] of groups.entries()) {
    const middle = middles[group];
    if (!middle) continue;
    moves.x[i] = (moves.x[i] as number) + (middle.x / middle.n - (places.x[i] as number)) * 0.9;
    moves.y[i] = (moves.y[i] as number) + (middle.y / middle.n - (places.y[i] as number)) * 0.9;
  }
}

/** Nothing moves further than the heat allows. */
function step(places: Vectors, moves: Vectors, heat: number): void {
  for (let i = 0; i < places.x.length; i++) {
    const [x, y] = [moves.x[i] as number, moves.y[i] as number];
    const length = lengthOf(x, y) || 1e-9;
    const share = Math.min(length, heat) / length;
    places.x[i] = (places.x[i] as number) + x * share;
    places.y[i] = (places.y[i] as number) + y * share;
  }
}

/**
 * `Math.hypot` as V8 computes it, at a third of its time: a layout is so sensitive that another rounding of one length
 * moves every node, and the map of a crawl must not depend on the release that drew it.
 */
function lengthOf(x: number, y: number): number {
  const [a, b] = [Math.abs(x), Math.abs(y)];
  const most = Math.max(a, b);
  if (most === 0) return 0;
  const first = (a / most) ** 2;
  const second = (b / most) ** 2;
  return Math.sqrt(first + second) * most;
}
