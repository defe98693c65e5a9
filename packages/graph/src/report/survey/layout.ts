import type { Ties } from './communities.ts';

export interface Place {
  x: number;
  y: number;
}

/**
 * Nodes that are joined attract each other, groups hold together, and all others push each other away.
 * The same input gives the same places.
 */
export function forceLayout(ties: Ties, groups: readonly number[], rounds = 300): Place[] {
  const n = ties.length;
  const ideal = 1 / Math.sqrt(n || 1);
  // A spiral to begin with: even, and without chance.
  const places = ties.map((_, i) => {
    const [angle, radius] = [i * 2.399963, 0.5 * Math.sqrt((i + 0.5) / n)];
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });
  for (let round = 0; round < rounds; round++) {
    const moves = places.map(({ x, y }) => ({ x: -x * 0.35 * ideal * 6, y: -y * 0.35 * ideal * 6 }));
    repel(places, moves, ideal);
    attract(places, moves, ties, ideal);
    gather(places, moves, groups);
    const heat = 0.1 * (1 - round / rounds) + 0.001;
    for (const [i, place] of places.entries()) {
      const move = moves[i] as Place;
      const length = Math.hypot(move.x, move.y) || 1e-9;
      const step = Math.min(length, heat) / length;
      place.x += move.x * step;
      place.y += move.y * step;
    }
  }
  return places;
}

function repel(places: readonly Place[], moves: Place[], ideal: number): void {
  for (let i = 0; i < places.length; i++) {
    for (let j = i + 1; j < places.length; j++) {
      const [a, b] = [places[i] as Place, places[j] as Place];
      const [dx, dy] = [a.x - b.x, a.y - b.y];
      const push = (ideal * ideal) / Math.max(dx * dx + dy * dy, 1e-6);
      shift(moves[i] as Place, dx * push, dy * push);
      shift(moves[j] as Place, -dx * push, -dy * push);
    }
  }
}

function attract(places: readonly Place[], moves: Place[], ties: Ties, ideal: number): void {
  for (const [i, row] of ties.entries()) {
    for (const [j, weight] of row) {
      if (j <= i) continue;
      const [a, b] = [places[i] as Place, places[j] as Place];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const pull = (Math.hypot(dx, dy) / ideal) * Math.min(weight, 6) * 0.12;
      shift(moves[i] as Place, dx * pull, dy * pull);
      shift(moves[j] as Place, -dx * pull, -dy * pull);
    }
  }
}

function shift(place: Place, x: number, y: number): void {
  place.x += x;
  place.y += y;
}

/** Towards the middle of the own group. */
function gather(places: readonly Place[], moves: Place[], groups: readonly number[]): void {
  const middles = new Map<number, { x: number; y: number; n: number }>();
  for (const [i, { x, y }] of places.entries()) {
    const middle = middles.get(groups[i] ?? 0) ?? { x: 0, y: 0, n: 0 };
    middles.set(groups[i] ?? 0, { x: middle.x + x, y: middle.y + y, n: middle.n + 1 });
  }
  for (const [i, { x, y }] of places.entries()) {
    const middle = middles.get(groups[i] ?? 0);
    if (middle) shift(moves[i] as Place, (middle.x / middle.n - x) * 0.9, (middle.y / middle.n - y) * 0.9);
  }
}
