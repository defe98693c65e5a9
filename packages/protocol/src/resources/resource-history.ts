import type { ResourceFrame } from './resource-frame.ts';
import { createRowFold, type RowFold } from './resource-fold.ts';
import {
  addRow,
  coreAt,
  createRows,
  diskAt,
  hasShape,
  type Row,
  rowOf,
  ROWS,
  type Rows,
  valueAt,
} from './resource-rows.ts';
import { type SeriesName, seriesNames } from './resource-series.ts';

/** How closely, and for how long, frames are kept. */
export const resolutions = {
  '1s': { everyMs: 1_000, forMs: 3_600_000 },
  '30s': { everyMs: 30_000, forMs: 86_400_000 },
} as const;

export type Resolution = keyof typeof resolutions;

export interface HistoryOptions {
  /** Of memory, for all machines together: when they would need more, all of them remember less. */
  mostBytes: number;
}

/** The last hour of every machine second by second, and its last day by half minutes, in bounded memory. */
export interface ResourceHistory {
  /** `atMs` by one clock for all machines: their own may differ. */
  add(machine: string, atMs: number, frame: ResourceFrame): void;
  read(machine: string, question: HistoryQuestion): HistoryAnswer;
  /** Forgets what is older than it is kept, also of machines that are gone. */
  expire(nowMs: number): void;
  machines(): string[];
  readonly bytes: number;
}

export interface HistoryQuestion {
  resolution: Resolution;
  /** Later than this. */
  sinceMs: number;
}

/** Columns of equal length, oldest first; null where a value is unknown. */
export interface HistoryAnswer {
  resolutionMs: number;
  atMs: number[];
  series: Record<SeriesName, (number | null)[]>;
  /** Busy share of each core. */
  cores: (number | null)[][];
  /** Free bytes of each disk, in the order of the disks of the latest frame. */
  disks: (number | null)[][];
}

interface Track {
  '1s': Rows[];
  '30s': Rows[];
  fold: RowFold;
  /** The half minute that is being folded. */
  slot: number;
  lastAtMs: number;
}

/** A second, unless the timer was early. */
const LEAST_MS = 500;

interface Kept {
  machine: string;
  rows: Rows;
}

export function createHistory({ mostBytes }: HistoryOptions): ResourceHistory {
  const tracks = new Map<string, Track>();
  /** Of all machines, oldest first. */
  const kept: Record<Resolution, Kept[]> = { '1s': [], '30s': [] };
  let bytes = 0;

  function trackOf(machine: string): Track {
    let track = tracks.get(machine);
    if (!track) {
      track = { '1s': [], '30s': [], fold: createRowFold(), slot: -1, lastAtMs: 0 };
      tracks.set(machine, track);
    }
    return track;
  }

  function dropOldest(resolution: Resolution): void {
    const oldest = kept[resolution].shift();
    if (!oldest) return;
    bytes -= oldest.rows.bytes;
    const track = tracks.get(oldest.machine);
    if (!track) return;
    track[resolution] = track[resolution].filter((rows) => rows !== oldest.rows);
    if (track['1s'].length === 0 && track['30s'].length === 0) tracks.delete(oldest.machine);
  }

  /** How much of the time that rows are kept has passed for the oldest; above 1 it is over. */
  function ageOf(resolution: Resolution, nowMs: number): number {
    const { rows } = kept[resolution][0] ?? {};
    const lastMs = rows?.atMs[rows.length - 1];
    return lastMs === undefined ? 0 : (nowMs - lastMs) / resolutions[resolution].forMs;
  }

  function expire(nowMs: number): void {
    for (const resolution of ['1s', '30s'] as const)
      while (ageOf(resolution, nowMs) > 1) dropOldest(resolution);
  }

  function makeRoom(needed: number, nowMs: number): void {
    while (bytes + needed > mostBytes && kept['1s'].length + kept['30s'].length > 0) {
      const fine = kept['30s'].length === 0 || ageOf('1s', nowMs) >= ageOf('30s', nowMs);
      dropOldest(fine && kept['1s'].length > 0 ? '1s' : '30s');
    }
  }

  function append(machine: string, resolution: Resolution, at: { atMs: number; row: Row }): void {
    const shape = { cores: at.row.cores.length, disks: at.row.disks.length };
    let rows = tracks.get(machine)?.[resolution].at(-1);
    if (!rows || rows.length === ROWS || !hasShape(rows, shape)) {
      rows = createRows(shape);
      makeRoom(rows.bytes, at.atMs);
      bytes += rows.bytes;
      kept[resolution].push({ machine, rows });
      trackOf(machine)[resolution].push(rows);
    }
    addRow(rows, at.atMs, at.row);
  }

  return {
    get bytes() {
      return bytes;
    },
    machines: () => [...tracks.keys()],
    expire,
    add(machine, atMs, frame) {
      expire(atMs);
      const track = trackOf(machine);
      // Whoever sends them faster gets no more room for it.
      if (atMs - track.lastAtMs < LEAST_MS) return;
      track.lastAtMs = atMs;
      const row = rowOf(frame);
      const { everyMs } = resolutions['30s'];
      const slot = Math.floor(atMs / everyMs);
      const folded = slot === track.slot ? undefined : track.fold.take();
      if (folded) append(machine, '30s', { atMs: (track.slot + 1) * everyMs, row: folded });
      track.slot = slot;
      track.fold.add(row);
      append(machine, '1s', { atMs, row });
    },
    read(machine, { resolution, sinceMs }) {
      const pieces = tracks.get(machine)?.[resolution] ?? [];
      return answerOf(pieces, resolution, sinceMs);
    },
  };
}

function answerOf(pieces: readonly Rows[], resolution: Resolution, sinceMs: number): HistoryAnswer {
  const at: { rows: Rows; row: number }[] = [];
  for (const rows of pieces)
    for (let row = 0; row < rows.length; row++) if ((rows.atMs[row] ?? 0) > sinceMs) at.push({ rows, row });
  const most = (of: (rows: Rows) => number) => Math.max(0, ...pieces.map(of));
  const columns = (count: number, value: (rows: Rows, row: number, i: number) => number | null) =>
    Array.from({ length: count }, (_, i) => at.map(({ rows, row }) => value(rows, row, i)));
  return {
    resolutionMs: resolutions[resolution].everyMs,
    atMs: at.map(({ rows, row }) => rows.atMs[row] ?? 0),
    series: Object.fromEntries(
      seriesNames.map((name, i) => [name, at.map(({ rows, row }) => valueAt(rows, row, i))]),
    ) as HistoryAnswer['series'],
    cores: columns(
      most(({ shape }) => shape.cores),
      coreAt,
    ),
    disks: columns(
      most(({ shape }) => shape.disks),
      diskAt,
    ),
  };
}
