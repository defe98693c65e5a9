import type { HostGraph, HostGraphNode } from '@webfarer/protocol/api';
import type { Places } from './layout.ts';

/** A host on the map, in pixels of it. */
export interface Spot {
  node: HostGraphNode;
  x: number;
  y: number;
  radius: number;
}

export interface Neighbour {
  /** Its place in the list of hosts. */
  at: number;
  links: number;
}

export interface Size {
  width: number;
  height: number;
}

const margin = 34;
const least = 3.5;
/** Few that were crawled among many are never small: links lead away from them, and hardly any to them. */
const leastCrawled = 10;
const most = 15;

/** Fits the places into the room, and makes hosts as large as the links that lead to them say. */
export function spotsOf({ hosts }: HostGraph, places: Places, { width, height }: Size): Spot[] {
  const xs = hosts.map((_, i) => places[2 * i] ?? 0);
  const ys = hosts.map((_, i) => places[2 * i + 1] ?? 0);
  const [left, top] = [Math.min(...xs, Infinity), Math.min(...ys, Infinity)];
  const [wide, high] = [Math.max(...xs, -Infinity) - left, Math.max(...ys, -Infinity) - top];
  const top1 = Math.max(1, ...hosts.map(({ linksIn }) => linksIn));
  const isFew = 4 * hosts.filter(({ crawled }) => crawled).length <= hosts.length;
  const along = (value: number, from: number, span: number, room: number) =>
    span > 1e-9 ? margin + ((value - from) / span) * (room - 2 * margin) : room / 2;
  return hosts.map((node, i) => ({
    node,
    x: along(xs[i] ?? 0, left, wide, width),
    y: along(ys[i] ?? 0, top, high, height),
    radius: Math.max(
      node.crawled && isFew ? leastCrawled : 0,
      least + (most - least) * Math.sqrt(node.linksIn / top1),
    ),
  }));
}

/** Who links to each host, and whom it links to, the most links first. */
export function neighboursOf({ hosts, links }: HostGraph): { from: Neighbour[][]; to: Neighbour[][] } {
  const from: Neighbour[][] = hosts.map(() => []);
  const to: Neighbour[][] = hosts.map(() => []);
  for (const [a, b, n] of links) {
    to[a]?.push({ at: b, links: n });
    from[b]?.push({ at: a, links: n });
  }
  return { from, to };
}

/** How high a line is. */
const line = 15;
const longest = 30;
export const cutName = (name: string): string =>
  name.length > longest ? `${name.slice(0, longest - 1)}…` : name;

export interface Name {
  at: number;
  /** The middle of its foot. */
  x: number;
  y: number;
}

/** The names that stand on the map: in this order, where no other name stands, and within the room. */
export function namesOf(
  spots: readonly Spot[],
  order: Iterable<number>,
  room: Size & { most: number; widthOf: (name: string) => number },
): Name[] {
  const names: Name[] = [];
  const taken: { left: number; right: number; top: number; bottom: number }[] = [];
  for (const at of order) {
    const spot = spots[at];
    if (!spot) continue;
    if (names.length >= room.most) break;
    const half = room.widthOf(cutName(spot.node.host)) / 2 + 3;
    const x = Math.min(room.width - half, Math.max(half, spot.x));
    const bottom = Math.max(line, spot.y - spot.radius - 2);
    const box = { left: x - half, right: x + half, top: bottom - line, bottom };
    const isFree = taken.every(
      (other) =>
        box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    );
    if (!isFree) continue;
    taken.push(box);
    names.push({ at, x, y: bottom - 2 });
  }
  return names;
}
