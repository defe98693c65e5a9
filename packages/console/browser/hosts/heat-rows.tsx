import { type KeyboardEvent, memo, type PointerEvent, useCallback, useState } from 'react';
import { hostsText } from '../text/hosts-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import type { HeatCell, HeatColumn, HeatMap, HeatRow } from './heat-map.ts';

/** Units of the drawing: as wide as it is shown, so only their shares count. */
const [wide, high, mark] = [1_000, 20, 6];

interface Place {
  row: number;
  column: number;
}

/** Hosts in rows with a cell for each step of time; one cell is told in words, by pointer or arrow keys. */
export function HeatRows({ map, rows }: { map: HeatMap; rows: readonly HeatRow[] }) {
  const { map: words } = useTextOf(hostsText);
  const { axisTime } = useFormats();
  const [place, setPlace] = useState<Place>();
  const { columns } = map;
  const [startMs, endMs] = [columns[0]?.fromMs ?? 0, columns.at(-1)?.toMs ?? 0];

  // The same function as long as the columns are the same: rows that nobody points at are not drawn again.
  const point = useCallback(
    (row: number, event: PointerEvent<SVGSVGElement>) => {
      const box = event.currentTarget.getBoundingClientRect();
      const atMs = startMs + ((event.clientX - box.left) / box.width) * (endMs - startMs);
      const column = columns.findIndex(({ toMs }) => atMs < toMs);
      if (column < 0) return;
      setPlace((before) => (before?.row === row && before.column === column ? before : { row, column }));
    },
    [columns, startMs, endMs],
  );

  function move(event: KeyboardEvent): void {
    const way = steps[event.key as keyof typeof steps];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = place ?? { row: 0, column: columns.length - 1 - way.column };
    const within = (n: number, count: number) => Math.max(0, Math.min(n, count - 1));
    setPlace({
      row: within(at.row + (place ? way.row : 0), rows.length),
      column: within(at.column + way.column, columns.length),
    });
  }

  return (
    <div
      className="heat"
      tabIndex={0}
      role="group"
      aria-label={words.title}
      aria-describedby="heat-told"
      onKeyDown={move}
      onBlur={() => setPlace(undefined)}
      onPointerLeave={() => setPlace(undefined)}
    >
      <Told place={place} rows={rows} columns={columns} />
      <table>
        <thead>
          <tr>
            <th>{words.host}</th>
            <th>
              <span className="unseen">{words.cells}</span>
              <span className="heat-axis" aria-hidden="true">
                {[0, 1, 2, 3].map((n) => {
                  const atMs = startMs + ((endMs - startMs) * n) / 3;
                  return <span key={n}>{axisTime(atMs, (endMs - startMs) / 3)}</span>;
                })}
              </span>
            </th>
            <th className="num">{words.inRange}</th>
            <th className="num" title={words.troubledMean}>
              {words.troubled}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            <Row
              key={row.host}
              row={row}
              index={n}
              columns={columns}
              chosen={place?.row === n ? place.column : undefined}
              point={point}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const steps = {
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
};

interface RowProps {
  row: HeatRow;
  index: number;
  columns: readonly HeatColumn[];
  chosen: number | undefined;
  point: (row: number, event: PointerEvent<SVGSVGElement>) => void;
}

const Row = memo(function Row({ row, index, columns, chosen, point }: RowProps) {
  const { map: words } = useTextOf(hostsText);
  const { count } = useFormats();
  const [startMs, endMs] = [columns[0]?.fromMs ?? 0, columns.at(-1)?.toMs ?? 1];
  const across = (atMs: number) => ((atMs - startMs) / (endMs - startMs)) * wide;
  const edges = (column: HeatColumn) => [across(column.fromMs), across(column.toMs)] as const;
  const cell = chosen === undefined ? undefined : columns[chosen];
  const [left, right] = cell ? edges(cell) : [0, 0];
  const { troubled, host } = row;
  return (
    <tr>
      <th scope="row" title={host}>
        <bdi>{host}</bdi>
      </th>
      <td className="heat-cells">
        <svg
          viewBox={`0 0 ${wide} ${high}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={words.rowLabel(count(row.pages), count(troubled), count(columns.length))}
          onPointerMove={(event) => point(index, event)}
          onPointerDown={(event) => point(index, event)}
        >
          {shapesOf(row.cells, columns, edges).map(([kind, d]) => (
            <path key={kind} className={`heat-${kind}`} d={d} />
          ))}
          {cell ? <rect className="heat-chosen" x={left} y="0" width={right - left} height={high} /> : null}
        </svg>
      </td>
      <td className="num" title={row.isPartial ? words.partial : undefined}>
        {row.isPartial ? '≥ ' : ''}
        {count(row.pages)}
      </td>
      <td className={`num ${troubled > 0 ? 'troubled' : ''}`}>{count(troubled)}</td>
    </tr>
  );
});

/** All cells of one kind are one shape: a row has a few elements, however many cells. */
function shapesOf(
  cells: readonly HeatCell[],
  columns: readonly HeatColumn[],
  edges: (column: HeatColumn) => readonly [number, number],
): [string, string][] {
  const shapes = new Map<string, string>();
  for (const [n, { pages, troubles, level }] of cells.entries()) {
    const column = columns[n];
    if (!column) continue;
    const [left, right] = edges(column);
    const add = (kind: string, top: number) =>
      shapes.set(
        kind,
        `${shapes.get(kind) ?? ''}M${left.toFixed(2)} ${top}H${right.toFixed(2)}V${high}H${left.toFixed(2)}Z`,
      );
    add(pages === null || column.isGap ? 'unknown' : `level${level}`, 0);
    if ((troubles ?? 0) > 0 && !column.isGap) add('trouble', high - mark);
  }
  // Marks of trouble are drawn over the rest.
  return [...shapes].toSorted(([a], [b]) => Number(a === 'trouble') - Number(b === 'trouble'));
}

interface ToldProps {
  place: Place | undefined;
  rows: readonly HeatRow[];
  columns: readonly HeatColumn[];
}

/** One cell in words. */
function Told({ place, rows, columns }: ToldProps) {
  const { map: words } = useTextOf(hostsText);
  const { count, clock, local, utc } = useFormats();
  const { time } = useText();
  const row = place && rows[place.row];
  const column = place && columns[place.column];
  const cell = place && row?.cells[place.column];
  if (!row || !column || !cell)
    return (
      <p id="heat-told" className="heat-told soft" role="status">
        {words.help}
      </p>
    );
  const { fromMs, toMs, isGap } = column;
  const isOneDay = new Date(fromMs).toDateString() === new Date(toMs).toDateString();
  const until = isOneDay ? clock(toMs) : local(toMs);
  return (
    <p id="heat-told" className="heat-told" role="status">
      <b>
        <bdi>{row.host}</bdi>
      </b>
      <span className="tabular">{words.time(isOneDay ? clock(fromMs) : local(fromMs), until)}</span>
      <span className="soft tabular">{`${utc(fromMs)} ${time.utc}`}</span>
      <span>{cell.pages === null ? words.unknown : words.cellPages(count(cell.pages))}</span>
      {isGap ? <span className="soft">{words.gap}</span> : null}
      {(cell.troubles ?? 0) > 0 ? (
        <span className="troubled">{words.cellTroubles(count(cell.troubles ?? 0))}</span>
      ) : null}
    </p>
  );
}
