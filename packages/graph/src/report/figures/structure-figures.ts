import type { Budget } from '../markup/budget.ts';
import { figure } from './figure.ts';
import { count, plural } from '../markup/format.ts';
import type { HostMap } from '../survey/host-map.ts';
import { type Html, html } from '../markup/html.ts';
import type { LinkSurvey } from '../survey/links.ts';
import { barList } from '../page/parts.ts';
import { foldersOf, type PathNode } from '../survey/path-tree.ts';
import { graphPicture } from '../plot/graph-picture.ts';
import { half, whole } from '../plot/svg.ts';
import { radialTree } from '../plot/radial-tree.ts';
import { logScatter } from '../plot/scatter.ts';
import { sunburst } from '../plot/sunburst.ts';
import { type Tile, treemap } from '../plot/treemap.ts';
import type { Survey } from '../survey/survey.ts';
import { outcomeTones } from '../survey/tones.ts';

/** The links of a crawl and the map made of them. */
export interface Structure {
  links: LinkSurvey;
  map: HostMap;
}

/** How the pages hang together. */
export function structureFigures(seen: Survey, structure: Structure, budget: Budget): Html {
  if (seen.statistics.urls === 0) return html``;
  return html`<div class="grid">${pathFigure(seen, budget)}${foundFigure(seen, budget)}${
    structure.links.links === 0 ? undefined : linkFigures(structure, budget)
  }</div>
`;
}

/** With more hosts, a ring of them is only noise. */
const maxInRing = 60;

function pathFigure({ paths: { root }, hosts }: Survey, budget: Budget): Html {
  const many = root.inner.size > maxInRing;
  return figure(
    {
      id: 'paths',
      title: many ? 'Hosts by size' : 'Hosts and folders',
      lead: many
        ? `${plural(hosts.size, 'host')}, sized by number of URLs; coloured by how many of them are broken.`
        : 'Hosts inside, their folders further out, sized by number of URLs.',
      picture: many
        ? treemap('Hosts by number of URLs', hostTiles(root), 420)
        : sunburst(`${plural(root.inner.size, 'host')} and their folders by number of URLs`, root),
      ...(many && {
        legend: [
          { name: 'under 5 %', tone: 'done' },
          { name: 'under 20 %', tone: 'refused' },
          { name: '20 % and more', tone: 'failed' },
        ],
      }),
      data: {
        head: ['folder', 'urls', 'errors'],
        rows: foldersOf(root, 500).map(({ path, urls, errors }) => [path, urls, errors]),
      },
    },
    budget,
  );
}

const maxTiles = 400;

function hostTiles(root: PathNode): Tile[] {
  const hosts = [...root.inner.values()].sort((a, b) => b.urls - a.urls);
  const rest = hosts.slice(maxTiles).reduce((sum, { urls }) => sum + urls, 0);
  const tiles = hosts.slice(0, maxTiles).map(({ name, urls, errors }): Tile => {
    const share = errors / urls;
    const words = `${name}: ${plural(urls, 'URL')}, ${count(errors)} broken`;
    const tone = share < 0.05 ? 'done' : share < 0.2 ? 'refused' : 'failed';
    return { label: name, figure: count(urls), words, value: urls, tone };
  });
  const name = `${count(hosts.length - maxTiles)} smaller hosts`;
  return rest === 0
    ? tiles
    : [
        ...tiles,
        {
          label: name,
          figure: count(rest),
          words: `${name}: ${plural(rest, 'URL')}`,
          value: rest,
          tone: 'queued',
        },
      ];
}

function foundFigure({ found, statistics }: Survey, budget: Budget): Html {
  const { roots, edges } = found.roots();
  const part = edges.length < statistics.urls ? ` The ${count(edges.length)} URLs nearest to a seed.` : '';
  return figure(
    {
      id: 'found',
      title: 'How pages were found',
      lead: `Each URL is below the page that first linked to it.${part}`,
      picture: radialTree('Tree of pages, each below the page on which it was found', roots),
      legend: [...outcomeTones],
      data: {
        head: ['found on', 'url', 'depth'],
        rows: edges.map(({ from, to, depth }) => [from, to, depth]),
      },
    },
    budget,
  );
}

function linkFigures({ links, map }: Structure, budget: Budget): Html[] {
  if (map.hosts.length < 2) return [degreeFigure(links, budget)];
  return [graphFigure(map, budget), degreeFigure(links, budget), linkedFigure(map, budget)];
}

function linkedFigure({ hosts }: HostMap, budget: Budget): Html {
  const rows = hosts.toSorted(
    (a, b) => b.linkedFrom - a.linkedFrom || b.linksHere - a.linksHere || (a.host < b.host ? -1 : 1),
  );
  // Where one site was crawled, it is the only one that links to any other.
  const byLinks = (rows[0]?.linkedFrom ?? 0) <= 1;
  return figure(
    {
      id: 'linked-hosts',
      title: 'Hosts most linked to',
      lead: byLinks
        ? 'By the number of links from pages of other hosts.'
        : 'By the number of other hosts that link to them.',
      picture: barList(
        rows.slice(0, 12).map(({ host, linkedFrom, linksHere, community }) => ({
          label: host,
          value: byLinks ? linksHere : linkedFrom,
          tone: `c${community % 8}`,
        })),
        { max: 12 },
      ),
      data: {
        head: ['host', 'linked from hosts', 'links from other hosts', 'links to hosts'],
        rows: rows.map((h) => [h.host, h.linkedFrom, h.linksHere, h.linksTo]),
      },
    },
    budget,
  );
}

const broad = { width: whole, height: 560, names: 22, letter: 6.6 };
const narrow = { width: half, height: 560, names: 12, letter: 8.6 };

function graphFigure(graph: HostMap, budget: Budget): Html {
  const part =
    graph.total > graph.hosts.length
      ? `${count(graph.hosts.length)} of ${count(graph.total)} hosts: those that were crawled, then the most central`
      : plural(graph.total, 'host');
  return figure(
    {
      id: 'host-graph',
      title: 'Hosts that link to each other',
      lead: `${part}. Size: harmonic centrality, how near a host is to all others along the links. Colour: hosts that link to each other more than to others.${graph.hosts.every((h) => h.crawled) ? '' : ' Pale: linked to, not crawled; crawled hosts among many others are drawn large.'}`,
      picture: graphPicture('Map of hosts and the links between them', graph, broad),
      narrow: graphPicture('Map of hosts and the links between them', graph, narrow),
      data: {
        head: ['host', 'harmonic centrality', 'linked from hosts', 'links to hosts', 'community'],
        rows: graph.hosts.map((h) => [
          h.host,
          Number(h.centrality.toFixed(3)),
          h.linkedFrom,
          h.linksTo,
          h.community + 1,
        ]),
      },
      wide: true,
    },
    budget,
  );
}

function degreeFigure({ inDegrees, links }: LinkSurvey, budget: Budget): Html {
  const rows = inDegrees.distribution();
  const { oneIn } = inDegrees;
  return figure(
    {
      id: 'degrees',
      title: 'Links to a page',
      lead: `How many URLs are linked from how many pages; ${plural(links, 'link')} in all.${oneIn > 1 ? ` One URL in ${oneIn} was counted.` : ''}`,
      picture: logScatter(
        'Number of URLs by the number of pages that link to them, on logarithmic axes',
        { x: 'pages that link to it', y: 'URLs' },
        thinned(rows).map(([degree, n]) => ({
          x: degree,
          y: n,
          words: `${plural(n, 'URL')} linked from ${plural(degree, 'page')}`,
        })),
      ),
      data: { head: ['linked from pages', 'urls'], rows },
    },
    budget,
  );
}

/** Points that would lie on each other are drawn once. */
function thinned(rows: readonly [number, number][]): [number, number][] {
  const kept = new Map<string, [number, number]>();
  for (const row of rows)
    kept.set(`${(Math.log10(row[0]) * 90).toFixed(0)} ${(Math.log10(row[1]) * 60).toFixed(0)}`, row);
  return [...kept.values()];
}
