import type { HostHistory } from '@webfarer/protocol/api';

/** A stretch of time that is drawn as one cell of each host. */
export interface HeatColumn {
  fromMs: number;
  toMs: number;
  /** Nobody recorded in between: what happened is known, not when. */
  isGap: boolean;
  /** Moments that it lies between, and those of which troubles are told. */
  first: number;
  last: number;
}

export interface HeatCell {
  /** Null: not recorded. */
  pages: number | null;
  /** Most in a row within the column. */
  troubles: number | null;
  /** From 0, no page, to `heatLevels`: as many as any cell of the map. */
  level: number;
}

export interface HeatRow {
  host: string;
  cells: HeatCell[];
  /** Of all columns that are known. */
  pages: number;
  /** Columns in which it was in trouble. */
  troubled: number;
  /** Some columns of it were not recorded. */
  isPartial: boolean;
}

export interface HeatMap {
  columns: HeatColumn[];
  rows: HeatRow[];
  /** Of a usual column: levels are pages of that long. */
  stepMs: number;
  /** The fewest pages of each level, the first one at 0. */
  levels: number[];
}

export const heatLevels = 4;
/** Columns at most, but for parts at both ends: as many samples as are kept of any age. */
const mostColumns = 48;

const nothing: HeatMap = { columns: [], rows: [], stepMs: 0, levels: [] };

/** What hosts did, in steps of time of about one length; `spanMs` of it, or all of it, up to the last moment. */
export function heatMap({ moments, items, stepMs }: HostHistory, spanMs: number | undefined): HeatMap {
  const end = moments.at(-1)?.atMs ?? 0;
  // From the moment before: where they are far apart, there may be no other one within the time.
  const from =
    spanMs === undefined
      ? 0
      : Math.max(
          0,
          moments.findLastIndex(({ atMs }) => atMs <= end - spanMs),
        );
  const start = moments[from]?.atMs ?? end;
  if (start >= end) return nothing;
  let width = stepMs;
  while ((end - start) / width > mostColumns) width *= 2;
  const columns = columnsOf(moments, { from, stepMs, width });
  const wholeMs = (column: HeatColumn) => Math.max(column.toMs - column.fromMs, width / 2);
  // A column at one end may be shorter than the others: its pages are compared as if they went on like that.
  const rows = items.map(({ host, pages, troubles }) => ({
    host,
    cells: columns.map((column): HeatCell => {
      const [before, after] = [pages[column.first] ?? null, pages[column.last] ?? null];
      const within = troubles.slice(column.first + 1, column.last + 1).filter((each) => each !== null);
      return {
        // A retry takes pages away again.
        pages: before === null || after === null ? null : Math.max(0, after - before),
        troubles: within.length === 0 ? null : Math.max(...within),
        level: 0,
      };
    }),
  }));
  const rate = (pages: number, column: HeatColumn) => (pages * width) / wholeMs(column);
  let most = 0;
  for (const { cells } of rows)
    for (const [n, { pages }] of cells.entries()) {
      const column = columns[n];
      if (pages !== null && column && !column.isGap) most = Math.max(most, rate(pages, column));
    }
  const levels = levelsUpTo(most);
  return {
    columns,
    stepMs: width,
    levels,
    rows: rows.map(({ host, cells }) => ({
      host,
      cells: cells.map((cell, n) => {
        const column = columns[n];
        const value = cell.pages === null || !column ? 0 : rate(cell.pages, column);
        return { ...cell, level: levelOf(value, levels) };
      }),
      pages: cells.reduce((sum, cell) => sum + (cell.pages ?? 0), 0),
      troubled: cells.filter(({ troubles }) => (troubles ?? 0) > 0).length,
      isPartial: cells.some(({ pages }) => pages === null),
    })),
  };
}

/** From one moment at the beginning of a step to the next; what is left at both ends is shorter. */
function columnsOf(
  moments: HostHistory['moments'],
  { from, stepMs, width }: { from: number; stepMs: number; width: number },
): HeatColumn[] {
  const inStep = (atMs: number) => Math.floor(atMs / stepMs) % (width / stepMs) === 0;
  const columns: HeatColumn[] = [];
  let [first, isGap] = [from, false];
  for (let n = from + 1; n < moments.length; n++) {
    const [before, moment] = [moments[n - 1], moments[n]];
    if (!before || !moment) continue;
    isGap ||= moment.gap;
    // A gap is a column of its own.
    const nextIsGap = moments[n + 1]?.gap === true;
    if (!inStep(moment.atMs) && !moment.gap && !nextIsGap && n < moments.length - 1) continue;
    columns.push({ fromMs: moments[first]?.atMs ?? 0, toMs: moment.atMs, isGap, first, last: n });
    [first, isGap] = [n, false];
  }
  return columns;
}

/** Each level begins at twice as many pages as the one before; with few pages there are fewer levels. */
function levelsUpTo(most: number): number[] {
  const found = [0];
  for (let level = heatLevels; level > 0; level--) {
    const least = level === heatLevels ? 1 : Math.ceil(most / 2 ** level);
    if (least > (found.at(-1) ?? 0) && least <= Math.max(1, most)) found.push(least);
  }
  return found;
}

/** With fewer levels than there could be, the strongest ones are used. */
function levelOf(value: number, levels: readonly number[]): number {
  if (value <= 0) return 0;
  const at = Math.max(
    1,
    levels.findLastIndex((least) => value >= least),
  );
  return at + heatLevels - (levels.length - 1);
}
