/** The course of a figure as a line with a filled area, from 0 to its largest value. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const [width, height] = [120, 28];
  const most = Math.max(...values, 0.1);
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {points.length > 1 ? (
        <>
          <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />
          <polyline points={points.join(' ')} />
        </>
      ) : (
        <line x1="0" y1={height - 2} x2={width} y2={height - 2} />
      )}
    </svg>
  );
}
