import { count } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import type { PathNode } from '../survey/path-tree.ts';
import { at, cut } from './scale.ts';
import { half, svg, text, tip } from './svg.ts';

const height = 420;
const centre = { x: half / 2, y: height / 2 };
const core = 54;
const outermost = 204;
const maxRings = 5;
/** Thinner than this, in turns, nothing can be told apart. */
const thinnest = 1 / 900;
const maxArcs = 1_200;

interface Arc {
  node: { name: string; urls: number; errors: number };
  way: string;
  ring: number;
  from: number;
  turn: number;
  branch: number;
}

/** Hosts around the middle, their folders further out, each as wide as it has URLs. */
export function sunburst(words: string, root: PathNode): Html {
  const arcs = arcsOf(root);
  const wide = Math.min(52, (outermost - core) / (1 + Math.max(0, ...arcs.map((arc) => arc.ring))));
  const pieces = arcs.map((arc) => {
    const { name, urls, errors } = arc.node;
    const tells = `${arc.way || name}: ${count(urls)} ${urls === 1 ? 'URL' : 'URLs'}${errors > 0 ? `, ${count(errors)} in error` : ''}`;
    const tone = arc.branch < 0 ? 'rest' : `c${arc.branch % 8} ring${arc.ring}`;
    return html`<path class="${tone}" d="${arcPath(arc, wide)}">${tip(tells)}</path>`;
  });
  return svg(half, height, words, [
    ...pieces,
    text(centre.x, centre.y - 1, count(root.urls), 'mid big'),
    text(centre.x, centre.y + 17, 'URLs', 'mid'),
    ...labels(arcs, wide),
  ]);
}

function arcsOf(root: PathNode): Arc[] {
  const found: Arc[] = [];
  const place = (node: PathNode, way: string, ring: number, from: number, branch: number) => {
    const inner = [...node.inner.values()].sort((a, b) => b.urls - a.urls || (a.name < b.name ? -1 : 1));
    let angle = from;
    for (const [i, child] of inner.entries()) {
      const turn = child.urls / root.urls;
      if (turn < thinnest || found.length >= maxArcs || ring >= maxRings) {
        const left = inner.slice(i);
        const urls = left.reduce((sum, one) => sum + one.urls, 0);
        const errors = left.reduce((sum, one) => sum + one.errors, 0);
        if (urls / root.urls < thinnest || ring >= maxRings) return;
        const name = `${count(left.length)} smaller ${ring === 0 ? 'hosts' : 'folders'}`;
        found.push({
          node: { name, urls, errors },
          way: '',
          ring,
          from: angle,
          turn: urls / root.urls,
          branch: -1,
        });
        return;
      }
      const name = way === '' ? child.name : `${way}/${child.name}`;
      const own = ring === 0 || (root.inner.size === 1 && ring === 1) ? i : branch;
      found.push({ node: child, way: name, ring, from: angle, turn, branch: own });
      place(child, name, ring + 1, angle, own);
      angle += turn;
    }
  };
  place(root, '', 0, 0, 0);
  return found;
}

function point(radius: number, turn: number): string {
  const angle = 2 * Math.PI * turn - Math.PI / 2;
  return `${at(centre.x + radius * Math.cos(angle))} ${at(centre.y + radius * Math.sin(angle))}`;
}

function arcPath({ ring, from, turn }: Arc, wide: number): string {
  const [inner, outer] = [core + ring * wide, core + (ring + 1) * wide - 1.5];
  // A whole circle has no beginning and end, which an arc needs.
  const to = from + Math.min(turn, 0.9999);
  const large = to - from > 0.5 ? 1 : 0;
  return `M${point(inner, from)}A${at(inner)} ${at(inner)} 0 ${large} 1 ${point(inner, to)}L${point(outer, to)}A${at(outer)} ${at(outer)} 0 ${large} 0 ${point(outer, from)}z`;
}

/** Names along the arcs of the two innermost rings, where they are long enough. */
function labels(arcs: readonly Arc[], wide: number): Html[] {
  return arcs
    .filter(({ ring, branch }) => ring < 2 && branch >= 0)
    .map(({ ring, from, turn, node }, i) => {
      const middle = from + turn / 2;
      const flipped = middle % 1 > 0.25 && middle % 1 < 0.75;
      const radius = core + (ring + 0.5) * wide + (flipped ? 4 : -4);
      const room = Math.floor((2 * Math.PI * radius * turn) / 6.6) - 1;
      if (room < 4 || node.name.length > 2 * room) return html``;
      const [start, end] = flipped
        ? [from + Math.min(turn, 0.999), from]
        : [from, from + Math.min(turn, 0.999)];
      const large = turn > 0.5 ? 1 : 0;
      const id = `arc-${i}`;
      return html`<path id="${id}" fill="none" d="M${point(radius, start)}A${at(radius)} ${at(radius)} 0 ${large} ${flipped ? 0 : 1} ${point(radius, end)}"/><text class="onring"><textPath href="#${id}" startOffset="50%" text-anchor="middle">${cut(node.name, room)}</textPath></text>`;
    });
}
