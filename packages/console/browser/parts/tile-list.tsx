/** A figure with its name, and what helps to judge it. */
export interface Tile {
  name: string;
  value: string;
  /** Empty: none. */
  hint: string;
}

/** The figures a person looks at first. */
export function TileList({ tiles, className = 'tiles' }: { tiles: readonly Tile[]; className?: string }) {
  return (
    <dl className={className}>
      {tiles.map(({ name, value, hint }) => (
        <div key={name} className="panel tile">
          <dt>{name}</dt>
          <dd>{value}</dd>
          {hint === '' ? null : <dd className="hint">{hint}</dd>}
        </div>
      ))}
    </dl>
  );
}
