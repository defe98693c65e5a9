/** Places in the plane, x and y in turn. */
export type Places = Float64Array;

export interface LayoutOptions {
  hosts: number;
  /** `[from, to, links]` by the places of hosts in the list. */
  links: readonly (readonly [number, number, number])[];
  /** Which hosts belong together. */
  groups: readonly number[];
  /** Lets the browser do what else there is to do. */
  pause: () => Promise<void>;
  signal: AbortSignal;
}

/** Pairs of hosts between two pauses: a few milliseconds of work. */
const pairsAtOnce = 500_000;
const mostRounds = 300;
/** Rounds grow dearer with the square of the hosts, and those of a large map matter less. */
const leastRounds = 100;
const pairsInAll = 50_000_000;

/**
 * Hosts that are linked attract each other, groups hold together, and all others push each other away. The same hosts and
 * links have the same places. The work is divided, so that the screen answers while it is done.
 */
export async function placeHosts(options: LayoutOptions): Promise<Places> {
  const { hosts: n, links, groups, pause, signal } = options;
  const ideal = 1 / Math.sqrt(n || 1);
  const places = spiral(n);
  const moves = new Float64Array(2 * n);
  const pairs = Math.max(1, (n * (n - 1)) / 2);
  const rounds = Math.max(leastRounds, Math.min(mostRounds, Math.floor(pairsInAll / pairs)));
  let done = 0;
  for (let round = 0; round < rounds && !signal.aborted; round++) {
    for (let i = 0; i < 2 * n; i++) moves[i] = -2.1 * ideal * (places[i] as number);
    for (let i = 0; i < n; i++) {
      repel(i, places, moves, ideal);
      done += n - i;
      if (done < pairsAtOnce) continue;
      done = 0;
      await pause();
    }
    attract(links, places, moves, ideal);
    gather(groups, places, moves);
    move(places, moves, 0.1 * (1 - round / rounds) + 0.001);
  }
  return places;
}

/** To begin with: even, and without chance. */
function spiral(n: number): Places {
  const places = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    const [angle, radius] = [i * 2.399963, 0.5 * Math.sqrt((i + 0.5) / n)];
    places[2 * i] = radius * Math.cos(angle);
    places[2 * i + 1] = radius * Math.sin(angle);
  }
  return places;
}

/** Of one host and all after it. */
function repel(i: number, places: Places, moves: Float64Array, ideal: number): void {
  const [x, y] = [places[2 * i] as number, places[2 * i + 1] as number];
  let [sumX, sumY] = [0, 0];
  for (let j = 2 * i + 2; j < places.length; j += 2) {
    const dx = x - (places[j] as number);
    const dy = y - (places[j + 1] as number);
    const push = (ideal * ideal) / Math.max(dx * dx + dy * dy, 1e-6);
    sumX += dx * push;
    sumY += dy * push;
    moves[j] = (moves[j] as number) - dx * push;
    moves[j + 1] = (moves[j + 1] as number) - dy * push;
  }
  shift(moves, i, sumX, sumY);
}

function attract(links: LayoutOptions['links'], places: Places, moves: Float64Array, ideal: number): void {
  for (const [a, b, n] of links) {
    const dx = (places[2 * b] as number) - (places[2 * a] as number);
    const dy = (places[2 * b + 1] as number) - (places[2 * a + 1] as number);
    // Many links say more than one, but not so many times more.
    const pull = (Math.hypot(dx, dy) / ideal) * Math.min(1 + Math.log2(n), 6) * 0.12;
    shift(moves, a, dx * pull, dy * pull);
    shift(moves, b, -dx * pull, -dy * pull);
  }
}

/** Towards the middle of the own group. */
function gather(groups: readonly number[], places: Places, moves: Float64Array): void {
  const middles = new Map<number, { x: number; y: number; n: number }>();
  groups.forEach((group, i) => {
    const middle = middles.get(group) ?? { x: 0, y: 0, n: 0 };
    middle.x += places[2 * i] as number;
    middle.y += places[2 * i + 1] as number;
    middle.n += 1;
    middles.set(group, middle);
  });
  groups.forEach((group, i) => {
    const middle = middles.get(group);
    if (!middle || middle.n < 2) return;
    const [x, y] = [places[2 * i] as number, places[2 * i + 1] as number];
    shift(moves, i, (middle.x / middle.n - x) * 0.5, (middle.y / middle.n - y) * 0.5);
  });
}

function shift(moves: Float64Array, i: number, x: number, y: number): void {
  moves[2 * i] = (moves[2 * i] as number) + x;
  moves[2 * i + 1] = (moves[2 * i + 1] as number) + y;
}

function move(places: Places, moves: Float64Array, heat: number): void {
  for (let i = 0; i < places.length; i += 2) {
    const [x, y] = [moves[i] as number, moves[i + 1] as number];
    const length = Math.hypot(x, y) || 1e-9;
    const step = Math.min(length, heat) / length;
    places[i] = (places[i] as number) + x * step;
    places[i + 1] = (places[i + 1] as number) + y * step;
  }
}
