import { randomNumbers } from '../random.ts';

/**
 * Links of a made-up web: how often nodes are linked to, and how often they link, falls by power laws. Its giants stand
 * anywhere among the others, so that nothing is near by chance. The same for the same seed.
 */
export function* powerLawLinks(nodes: number, links: number, seed: number): Generator<[number, number]> {
  const random = randomNumbers(seed);
  const pair: [number, number] = [0, 0];
  for (let n = 0; n < links; ) {
    pair[0] = scattered(Math.floor(random() ** 2 * nodes), nodes);
    pair[1] = scattered(Math.floor(random() ** 3 * nodes), nodes);
    if (pair[0] === pair[1]) continue;
    n++;
    yield pair;
  }
}

/**
 * Places are passed over in steps of this, so that neighbours come to lie far apart: it has no divisor in common with
 * the powers of ten that are used here, and leaves a large remainder in each.
 */
const step = 6_180_339;

function scattered(place: number, nodes: number): number {
  return (place * step) % nodes;
}
