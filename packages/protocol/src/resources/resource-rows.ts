import type { ResourceFrame } from './resource-frame.ts';
import { resourceSeries, seriesNames } from './resource-series.ts';

/** Frames in one piece of memory; what is forgotten is forgotten piece by piece. */
export const ROWS = 60;
/** A busy share is kept as a byte, in steps of half a percent; this one stands for "unknown". */
const STEPS = 200;
const UNKNOWN = 255;
/** Of the objects around the numbers; measured. */
const OVERHEAD_BYTES = 700;

/** How many numbers a frame has that depend on its machine. */
export interface RowShape {
  cores: number;
  disks: number;
}

/** Values of up to `ROWS` moments of one machine. */
export interface Rows {
  readonly shape: RowShape;
  readonly bytes: number;
  length: number;
  readonly atMs: Float64Array;
  /** `seriesNames.length` a row, NaN where there is none. */
  readonly values: Float32Array;
  readonly cores: Uint8Array;
  /** Free bytes of each disk. */
  readonly disks: Float32Array;
}

export function createRows(shape: RowShape): Rows {
  const atMs = new Float64Array(ROWS);
  const values = new Float32Array(ROWS * seriesNames.length);
  const cores = new Uint8Array(ROWS * shape.cores);
  const disks = new Float32Array(ROWS * shape.disks);
  const bytes = OVERHEAD_BYTES + atMs.byteLength + values.byteLength + cores.byteLength + disks.byteLength;
  return { shape, bytes, length: 0, atMs, values, cores, disks };
}

export function hasShape({ shape }: Rows, { cores, disks }: RowShape): boolean {
  return shape.cores === cores && shape.disks === disks;
}

/** Room of a row, in bytes. */
export function rowBytes({ cores, disks }: RowShape): number {
  return 8 + seriesNames.length * 4 + cores + disks * 4;
}

export function addRow(rows: Rows, atMs: number, row: Row): void {
  const at = rows.length++;
  rows.atMs[at] = atMs;
  rows.values.set(row.values, at * seriesNames.length);
  for (const [core, share] of row.cores.entries()) rows.cores[at * rows.shape.cores + core] = toByte(share);
  rows.disks.set(row.disks, at * rows.shape.disks);
}

/** One moment as numbers. */
export interface Row {
  /** In the order of `seriesNames`. */
  values: number[];
  cores: number[];
  disks: number[];
}

export function rowOf(frame: ResourceFrame): Row {
  return {
    values: seriesNames.map((name) => resourceSeries[name].of(frame) ?? Number.NaN),
    cores: frame.cpu.cores,
    disks: frame.disks.map(({ freeBytes }) => freeBytes),
  };
}

export function coreAt({ cores, shape }: Rows, row: number, core: number): number | null {
  const value = core < shape.cores ? (cores[row * shape.cores + core] ?? UNKNOWN) : UNKNOWN;
  return value === UNKNOWN ? null : value / STEPS;
}

export function diskAt({ disks, shape }: Rows, row: number, disk: number): number | null {
  return disk < shape.disks ? known(disks[row * shape.disks + disk]) : null;
}

export function valueAt({ values }: Rows, row: number, series: number): number | null {
  return known(values[row * seriesNames.length + series]);
}

function known(value = Number.NaN): number | null {
  return Number.isNaN(value) ? null : value;
}

function toByte(share: number): number {
  return Number.isNaN(share) ? UNKNOWN : Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}
