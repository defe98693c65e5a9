import { type MetricMeaning, otherLabel } from './metric-table.ts';

type Labels = Readonly<Record<string, string>>;

/** One line of a scrape, or for a histogram all of its lines. */
export interface Point {
  /** In the order of the table. */
  readonly labels: readonly (readonly [string, string])[];
  /** Of a counter or gauge, and the sum of a histogram. */
  value: number;
  /** Of a histogram: how many were at most as large as each bound, not cumulative; the last is beyond all bounds. */
  readonly buckets: Float64Array | undefined;
}

/** All values of one metric. */
export interface Series {
  add(labels: Labels, by: number): void;
  set(labels: Labels, value: number): void;
  observe(labels: Labels, value: number): void;
  forget(label: string, value: string): void;
  points(): Iterable<Point>;
}

/** Counters over closed lists start at 0 in all their series, so that the first event is an increase. */
const MOST_ZEROS = 64;

export function createSeries(meaning: MetricMeaning): Series {
  const names = Object.keys(meaning.labels);
  const closed = names.map((name) => {
    const values = meaning.labels[name];
    return Array.isArray(values) ? new Set<string>(values) : undefined;
  });
  const { buckets } = meaning;
  const points = new Map<string, Point>();

  /** A value outside its list is a mistake of ours; it must not add a series. */
  function valueOf(labels: Labels, at: number): string {
    const value = labels[names[at] ?? ''] ?? '';
    return closed[at]?.has(value) === false ? otherLabel : value;
  }

  function pointOf(labels: Labels): Point {
    let key = '';
    for (let at = 0; at < names.length; at++) key += `${valueOf(labels, at)}\u0000`;
    const known = points.get(key);
    if (known) return known;
    const point: Point = {
      labels: names.map((name, at) => [name, valueOf(labels, at)] as const),
      value: 0,
      buckets: buckets && new Float64Array(buckets.length + 1),
    };
    points.set(key, point);
    return point;
  }

  if (meaning.kind === 'counter') for (const labels of combinations(meaning)) pointOf(labels);

  return {
    add(labels, by) {
      pointOf(labels).value += by;
    },
    set(labels, value) {
      pointOf(labels).value = value;
    },
    observe(labels, value) {
      const point = pointOf(labels);
      const at = buckets?.findIndex((bound) => value <= bound) ?? -1;
      const slot = at < 0 ? (buckets?.length ?? 0) : at;
      point.value += value;
      if (point.buckets) point.buckets[slot] = (point.buckets[slot] ?? 0) + 1;
    },
    forget(label, value) {
      for (const [key, { labels }] of points)
        if (labels.some(([name, has]) => name === label && has === value)) points.delete(key);
    },
    points: () => points.values(),
  };
}

/** Every set of labels that can come; empty where there are too many, or where a list is not closed. */
function combinations({ labels }: MetricMeaning): Labels[] {
  let all: Labels[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    if (typeof values === 'string') return [];
    all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
    if (all.length > MOST_ZEROS) return [];
  }
  return all;
}
