import type { Row } from './resource-rows.ts';
import { resourceSeries, seriesNames } from './resource-series.ts';

/** Makes one row of many: means of most values, the largest of some. Keeps sums, not rows. */
export interface RowFold {
  add(row: Row): void;
  /** Undefined: nothing was added since the last time. */
  take(): Row | undefined;
}

const isMax = seriesNames.map((name) => resourceSeries[name].fold === 'max');

export function createRowFold(): RowFold {
  let values = sums();
  let cores = sums();
  let disks = sums();
  let added = 0;
  return {
    add(row) {
      added++;
      values.add(row.values, isMax);
      cores.add(row.cores);
      disks.add(row.disks);
    },
    take() {
      if (added === 0) return undefined;
      const row = { values: values.all(isMax), cores: cores.all(), disks: disks.all() };
      [values, cores, disks] = [sums(), sums(), sums()];
      added = 0;
      return row;
    },
  };
}

const none: readonly boolean[] = [];

function sums() {
  let sum: number[] = [];
  let count: number[] = [];
  return {
    add(values: readonly number[], max = none): void {
      // Other cores or disks than before: only the later ones are kept.
      if (sum.length !== values.length) [sum, count] = [values.map(() => 0), values.map(() => 0)];
      for (const [i, value] of values.entries()) {
        if (Number.isNaN(value)) continue;
        const before = sum[i] ?? 0;
        sum[i] = max[i] ? Math.max(before, value) : before + value;
        count[i] = (count[i] ?? 0) + 1;
      }
    },
    all: (max = none): number[] =>
      sum.map((total, i) => (count[i] ? (max[i] ? total : total / count[i]) : Number.NaN)),
  };
}
