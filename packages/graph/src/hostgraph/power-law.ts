/** How the number of nodes falls with their degree: as `degree^-exponent` from `from` on. */
export interface PowerLaw {
  exponent: number;
  /** One standard deviation of the exponent, given `from`. */
  uncertainty: number;
  from: number;
  /** Nodes with at least that degree: what the fit stands on. */
  nodes: number;
  /** Largest distance between the two cumulative distributions (Kolmogorov and Smirnov). */
  distance: number;
}

/** Fewer nodes say nothing about a tail. */
const fewest = 50;
/** Beginnings that are tried: the smallest degrees that occur. */
const mostTried = 300;

/**
 * The maximum likelihood fit for whole numbers (Clauset, Shalizi and Newman 2009): for each beginning the likeliest
 * exponent, then the beginning at which data and law are closest. Undefined where too few nodes have any links.
 */
export function fitPowerLaw(counts: readonly { degree: number; nodes: number }[]): PowerLaw | undefined {
  const tail = counts.filter(({ degree }) => degree > 0).toSorted((a, b) => a.degree - b.degree);
  let best: PowerLaw | undefined;
  for (let first = 0; first < Math.min(tail.length, mostTried); first++) {
    const fit = fitFrom(tail.slice(first));
    if (fit === undefined) break;
    if (best === undefined || fit.distance < best.distance) best = fit;
  }
  return best;
}

function fitFrom(tail: readonly { degree: number; nodes: number }[]): PowerLaw | undefined {
  const from = tail[0]?.degree ?? 0;
  const nodes = tail.reduce((sum, row) => sum + row.nodes, 0);
  if (nodes < fewest || tail.length < 2) return undefined;
  const meanLog = tail.reduce((sum, row) => sum + row.nodes * Math.log(row.degree), 0) / nodes;
  const exponent = likeliest((a) => -Math.log(zeta(a, from)) - a * meanLog);
  return {
    exponent,
    uncertainty: deviation(exponent, from, nodes),
    from,
    nodes,
    distance: distanceOf(tail, exponent, nodes),
  };
}

/** Golden section between exponents nobody has seen a graph beyond; the likelihood has one top. */
function likeliest(value: (exponent: number) => number): number {
  const part = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [1.01, 12];
  let [a, b] = [high - part * (high - low), low + part * (high - low)];
  let [atA, atB] = [value(a), value(b)];
  for (let n = 0; n < 60; n++) {
    if (atA > atB) {
      [high, b, atB] = [b, a, atA];
      a = high - part * (high - low);
      atA = value(a);
    } else {
      [low, a, atA] = [a, b, atB];
      b = low + part * (high - low);
      atB = value(b);
    }
  }
  return (low + high) / 2;
}

/** From the curvature of the likelihood: 1 / √(n·(ζ''/ζ − (ζ'/ζ)²)). */
function deviation(exponent: number, from: number, nodes: number): number {
  const h = 1e-3;
  const log = (a: number): number => Math.log(zeta(a, from));
  const curvature = (log(exponent + h) - 2 * log(exponent) + log(exponent - h)) / (h * h);
  return 1 / Math.sqrt(nodes * curvature);
}

function distanceOf(
  tail: readonly { degree: number; nodes: number }[],
  exponent: number,
  nodes: number,
): number {
  const all = zeta(exponent, tail[0]?.degree ?? 1);
  let [seen, distance] = [0, 0];
  for (const row of tail) {
    const before = 1 - zeta(exponent, row.degree) / all;
    distance = Math.max(distance, Math.abs(before - seen / nodes));
    seen += row.nodes;
    const after = 1 - zeta(exponent, row.degree + 1) / all;
    distance = Math.max(distance, Math.abs(after - seen / nodes));
  }
  return distance;
}

/** Hurwitz' ζ(s, q) = Σ (q+k)^-s, by Euler and Maclaurin; exact to about 1e-13 for s > 1 and q ≥ 1. */
export function zeta(s: number, q: number): number {
  const first = q < 12 ? 12 - q : 0;
  let sum = 0;
  for (let k = 0; k < first; k++) sum += (q + k) ** -s;
  const x = q + first;
  sum += x ** (1 - s) / (s - 1) + x ** -s / 2;
  // s·(s+1)·…·x^(−s−2j+1) · B(2j) / (2j)!
  const factors = [1 / 12, -1 / 720, 1 / 30_240, -1 / 1_209_600, 1 / 47_900_160];
  let term = s * x ** (-s - 1);
  factors.forEach((factor, j) => {
    sum += factor * term;
    term *= ((s + 2 * j + 1) * (s + 2 * j + 2)) / (x * x);
  });
  return sum;
}
