import { count } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import type { MapHost, HostMap } from '../survey/host-map.ts';
import { at, cut } from './scale.ts';
import { svg, text, tip, whole } from './svg.ts';

const height = 560;
const edge = 46;

/** Hosts as circles as large as their centrality, of one colour where they belong together, and the links between. */
export function graphPicture(words: string, { hosts, links }: HostMap): Html {
  const spots = spread(hosts);
  const most = Math.max(...hosts.map((host) => host.centrality), 1e-9);
  const radius = ({ centrality }: MapHost) => 4 + 14 * (centrality / most) ** 2.5;
  const lines = links.map(([a, b]) => {
    const [from, to] = [spots[a], spots[b]];
    return from && to ? `M${at(from.x)} ${at(from.y)}L${at(to.x)} ${at(to.y)}` : '';
  });
  const circles = hosts.map((host, i) => {
    const { x, y } = spots[i] ?? { x: 0, y: 0 };
    return html`<circle class="c${host.community % 8} host${host.crawled ? '' : ' outside'}" cx="${at(x)}" cy="${at(y)}" r="${at(radius(host))}">${tip(
      `${host.host}: linked from ${count(host.linkedFrom)} hosts, links to ${count(host.linksTo)}; harmonic centrality ${host.centrality.toFixed(1)}${host.crawled ? '' : '; not crawled'}`,
    )}</circle>`;
  });
  return svg(whole, height, words, [
    html`<path class="tie" d="${lines.join('')}"/>`,
    ...circles.reverse(),
    ...names(hosts, spots, radius),
  ]);
}

/** Stretched to fill the picture; each axis for itself. */
function spread(hosts: readonly MapHost[]): { x: number; y: number }[] {
  const xs = hosts.map(({ place }) => place.x);
  const ys = hosts.map(({ place }) => place.y);
  const fit = (values: number[], length: number) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (value: number) =>
      high - low < 1e-9 ? length / 2 : edge + ((length - 2 * edge) * (value - low)) / (high - low);
  };
  const [x, y] = [fit(xs, whole), fit(ys, height)];
  return hosts.map(({ place }) => ({ x: x(place.x), y: y(place.y) }));
}

/** Names of the greatest, as far as they do not cover each other. */
function names(
  hosts: readonly MapHost[],
  spots: readonly { x: number; y: number }[],
  radius: (host: MapHost) => number,
): Html[] {
  const taken: { x: number; y: number; w: number }[] = [];
  const found: Html[] = [];
  for (const [i, host] of hosts.entries()) {
    if (found.length >= 22) break;
    const { x, y } = spots[i] ?? { x: 0, y: 0 };
    const label = cut(host.host, 26);
    const box = { x, y: y - radius(host) - 5, w: label.length * 6.6 };
    const clash = taken.some(
      (t) => Math.abs(t.y - box.y) < 14 && Math.abs(t.x - box.x) < (t.w + box.w) / 2 + 4,
    );
    if (clash || x - box.w / 2 < 0 || x + box.w / 2 > whole) continue;
    taken.push(box);
    found.push(text(box.x, box.y, label, 'mid ink halo'));
  }
  return found;
}
