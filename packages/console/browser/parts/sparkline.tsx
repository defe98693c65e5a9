/** Null: nobody knows, and no line is drawn through it. */
export interface SparkPoint {
  atMs: number;
  value: number | null;
}

const [width, height] = [120, 28];

/** The course of a figure as lines with filled areas, from 0 to its largest value. */
export function Sparkline({ points, label }: { points: readonly SparkPoint[]; label: string }) {
  const first = points.find(({ value }) => value !== null)?.atMs ?? 0;
  const last = points.at(-1)?.atMs ?? 0;
  const most = Math.max(...points.map(({ value }) => value ?? 0), 0.1);
  const x = (atMs: number) => ((atMs - first) / Math.max(1, last - first)) * width;
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  const lines = unbroken(points).map((line) => ({
    from: x(line[0]?.atMs ?? 0).toFixed(1),
    to: x(line.at(-1)?.atMs ?? 0).toFixed(1),
    points: line.map(({ atMs, value }) => `${x(atMs).toFixed(1)},${y(value).toFixed(1)}`).join(' '),
  }));
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {lines.map((line) => (
        <g key={line.from}>
          <polygon points={`${line.from},${height} ${line.points} ${line.to},${height}`} />
          <polyline points={line.points} />
        </g>
      ))}
      {lines.length === 0 ? <line x1="0" y1={height - 2} x2={width} y2={height - 2} /> : null}
    </svg>
  );
}

/** Points in a row that have values; one alone is no line. */
function unbroken(points: readonly SparkPoint[]): { atMs: number; value: number }[][] {
  const lines: { atMs: number; value: number }[][] = [[]];
  for (const { atMs, value } of points) {
    if (value === null) lines.push([]);
    else lines.at(-1)?.push({ atMs, value });
  }
  return lines.filter((line) => line.length > 1);
}
