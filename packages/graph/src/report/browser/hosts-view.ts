import { byId, choices, count, details, element, facts, note, onPress, svg, type View } from './details.ts';
import type { ExplorerHosts } from './explorer-data.ts';
import { createMapCamera } from './map-camera.ts';

const scale = 1000;
/** Hosts with a name on the map, and within reach of the Tab key. */
const labelled = 60;
const longestLabel = 30;
/** Few that were crawled among many are never small: links lead away from them, and hardly any to them. */
const leastCrawled = 16;

/** The view of hosts: a map whose places were computed before. */
export function hostsView({ rows, links, total }: ExplorerHosts): View {
  const map = byId('map') as Element as SVGSVGElement;
  const most = Math.max(...rows.map((row) => row[3]), 1e-9);
  const points = rows.map((row) => ({ x: row[1] * scale, y: row[2] * scale }));
  const at = (i: number) => points[i] ?? { x: 0, y: 0 };
  const camera = createMapCamera(map, byId('hosts'), points);
  const { unit } = camera;
  const isFew = 4 * rows.filter((row) => row[7] === 1).length <= rows.length;
  const radius = (i: number) =>
    Math.max(rows[i]?.[7] && isFew ? leastCrawled : 0, 4 + 13 * ((rows[i]?.[3] ?? 0) / most) ** 2.5) * unit;
  const named = firstNamed(rows);
  const line = (from: number, to: number) => `M${at(from).x} ${at(from).y}L${at(to).x} ${at(to).y}`;
  const name = (i: number) => rows[i]?.[0] ?? '';
  const [to, from] = neighbors(rows.length, links);
  let chosen = -1;

  svg('path', { class: 'tie', d: links.map(([a, b]) => line(a, b)).join('') }, map);
  const own = svg('path', { class: 'own' }, map);
  const circles = rows.map((row, i) => {
    const circle = svg(
      'circle',
      {
        class: `host c${row[6]}${row[7] ? '' : ' outside'}`,
        cx: at(i).x,
        cy: at(i).y,
        r: radius(i),
        'stroke-width': 1.5 * unit,
        role: 'button',
        tabindex: named.has(i) ? 0 : -1,
        'aria-label': row[0],
      },
      map,
    );
    onPress(circle, () => select(i));
    return circle;
  });
  const texts = rows.map((row, i) => {
    if (!named.has(i)) return undefined;
    const place = { x: at(i).x, y: at(i).y - radius(i) - 3 * unit };
    const text = svg('text', { ...place, 'font-size': 13 * unit, 'stroke-width': 3 * unit }, map);
    text.textContent = row[0].length > longestLabel ? `${row[0].slice(0, longestLabel - 1)}…` : row[0];
    return text;
  });

  /** Marks a host and its neighbors where they are. */
  function select(i: number): void {
    chosen = i;
    const around = [...(to[i] ?? []), ...(from[i] ?? [])];
    const near = new Set([i, ...around]);
    map.classList.add('dim');
    for (const [n, circle] of circles.entries()) {
      circle.classList.toggle('near', near.has(n));
      circle.classList.toggle('on', n === i);
      texts[n]?.classList.toggle('near', near.has(n));
    }
    own.setAttribute('d', around.map((other) => line(i, other)).join(''));
    describe(i);
  }

  function choose(i: number): void {
    select(i);
    camera.moveTo(at(i));
  }

  function describe(i: number): void {
    const row = rows[i];
    if (!row) return;
    details.textContent = '';
    element('h2', row[0], details);
    facts([
      ['Harmonic centrality', row[3].toFixed(1)],
      ['Linked from', `${count(row[4])} hosts`],
      ['Links to', `${count(row[5])} hosts`],
      ['Crawled', row[7] ? 'yes' : 'no, only linked to'],
    ]);
    choices({ title: 'Linked from, on this map', items: from[i] ?? [], label: name, choose });
    choices({ title: 'Links to, on this map', items: to[i] ?? [], label: name, choose });
  }

  return {
    all: () => rows.map((_, i) => i),
    label: name,
    choose,
    intro() {
      if (chosen >= 0) return describe(chosen);
      element('h2', `${count(total)} hosts`, details);
      note(
        'A host is as large as its harmonic centrality. Hosts of one color link to each other more than to others; pale ones were not crawled. Drag to move, use the wheel or + and − to zoom, select a host to see its links.',
      );
      if (rows.length < total)
        note(`The map shows ${count(rows.length)} hosts: those that were crawled, then the most central.`);
      choices({ title: 'Most central', items: [...rows.keys()].slice(0, 20), label: name, choose });
    },
  };
}

/** Those that were crawled, then the most central. */
function firstNamed(rows: ExplorerHosts['rows']): ReadonlySet<number> {
  const order = [...rows.keys()].sort((a, b) => (rows[b]?.[7] ?? 0) - (rows[a]?.[7] ?? 0) || a - b);
  return new Set(order.slice(0, labelled));
}

/** Who each host links to, and who links to it. */
function neighbors(hosts: number, links: ExplorerHosts['links']): [number[][], number[][]] {
  const to: number[][] = Array.from({ length: hosts }, () => []);
  const from: number[][] = Array.from({ length: hosts }, () => []);
  for (const [a, b] of links) {
    to[a]?.push(b);
    from[b]?.push(a);
  }
  return [to, from];
}
