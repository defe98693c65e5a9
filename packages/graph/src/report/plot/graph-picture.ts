import { count } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import type { MapHost, HostMap } from '../survey/host-map.ts';
import { at, cut } from './scale.ts';
import { svg, text, tip } from './svg.ts';

const edge = 46;
/** Few that were crawled among many are never small: links lead away from them, and hardly any to them. */
const leastCrawled = 16;

/** Where the map is drawn: its size, how many names it may have, and how wide one of their letters is. */
export interface Room {
  width: number;
  height: number;
  names: number;
  letter: number;
}

/** Hosts as circles as large as their centrality, of one colour where they belong together, and the links between. */
export function graphPicture(words: string, { hosts, links }: HostMap, room: Room): Html {
  const spots = spread(hosts, room);
  const most = Math.max(...hosts.map((host) => host.centrality), 1e-9);
  const isFew = 4 * hosts.filter(({ crawled }) => crawled).length <= hosts.length;
  const radius = ({ centrality, crawled }: MapHost) =>
    Math.max(crawled && isFew ? leastCrawled : 0, 4 + 14 * (centrality / most) ** 2.5);
  const lines = links.map(([a, b]) => {
    const [from, to] = [spots[a], spots[b]];
    return from && to ? `M${at(from.x)} ${at(from.y)}L${at(to.x)} ${at(to.y)}` : '';
  });
  const first = hosts
    .map((_, i) => i)
    .sort((a, b) => Number(hosts[b]?.crawled) - Number(hosts[a]?.crawled) || a - b);
  const circles = first.flatMap((i) => {
    const host = hosts[i];
    if (!host) return [];
    const { x, y } = spots[i] ?? { x: 0, y: 0 };
    return html`<circle class="c${host.community % 8} host${host.crawled ? '' : ' outside'}" cx="${at(x)}" cy="${at(y)}" r="${at(radius(host))}">${tip(
      `${host.host}: linked from ${count(host.linkedFrom)} hosts, links to ${count(host.linksTo)}; harmonic centrality ${host.centrality.toFixed(1)}${host.crawled ? '' : '; not crawled'}`,
    )}</circle>`;
  });
  return svg(room.width, room.height, words, [
    html`<path class="tie" d="${lines.join('')}"/>`,
    ...circles.reverse(),
    // The last is on top.
    ...names({ hosts, first, spots, radius, room }),
  ]);
}

/** Stretched to fill the picture; each axis for itself. */
function spread(hosts: readonly MapHost[], room: Room): { x: number; y: number }[] {
  const xs = hosts.map(({ place }) => place.x);
  const ys = hosts.map(({ place }) => place.y);
  const fit = (values: number[], length: number) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (value: number) =>
      high - low < 1e-9 ? length / 2 : edge + ((length - 2 * edge) * (value - low)) / (high - low);
  };
  const [x, y] = [fit(xs, room.width), fit(ys, room.height)];
  return hosts.map(({ place }) => ({ x: x(place.x), y: y(place.y) }));
}

interface Named {
  hosts: readonly MapHost[];
  /** Places in the list: who is named first. */
  first: readonly number[];
  spots: readonly { x: number; y: number }[];
  radius: (host: MapHost) => number;
  room: Room;
}

/** Names of those that were crawled, then of the greatest, as far as they do not cover each other. */
function names({ hosts, first, spots, radius, room }: Named): Html[] {
  const taken: { x: number; y: number; w: number }[] = [];
  const found: Html[] = [];
  for (const i of first) {
    const host = hosts[i];
    if (!host || found.length >= room.names) break;
    const { x, y } = spots[i] ?? { x: 0, y: 0 };
    const label = cut(host.host, 26);
    const box = { x, y: y - radius(host) - 5, w: label.length * room.letter };
    const clash = taken.some(
      (t) => Math.abs(t.y - box.y) < 2.1 * room.letter && Math.abs(t.x - box.x) < (t.w + box.w) / 2 + 4,
    );
    if (clash || x - box.w / 2 < 0 || x + box.w / 2 > room.width) continue;
    taken.push(box);
    found.push(text(box.x, box.y, label, 'mid ink halo'));
  }
  return found;
}
