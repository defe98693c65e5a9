import { hostOf, originOf, pathOf } from '@webfarer/protocol/url';
import { writeDurably } from '@webfarer/protocol/node';
import type { ExplorerData, ExplorerHosts, ExplorerPages, PageRow } from '../browser/explorer-data.ts';
import { html, trusted } from '../markup/html.ts';
import { hostMap, type HostMap } from '../survey/host-map.ts';
import { BrokenLinks } from '../survey/broken-links.ts';
import { surveyLinks } from '../survey/links.ts';
import { pageScript } from '../page/page-script.ts';
import { securityPolicy } from '../page/policy.ts';
import { explorerStyle } from './explorer-style.ts';
import { type CrawlLinks, type ShortestPaths, shortestPaths } from './shortest-paths.ts';
import { outcomeTones } from '../survey/tones.ts';

export interface ExplorerOptions extends CrawlLinks {
  file: string;
  name: string;
}

export interface ExplorerSummary {
  pages: number;
  shownPages: number;
  hosts: number;
  shownHosts: number;
}

const mapSize = { maxHosts: 600, maxLinks: 6_000 };
/** For the addresses of pages, so that the file stays below 5 MB. */
const maxPageBytes = 3_600_000;

/** One self-contained page to walk through a crawl: the shortest way to each page, and the map of hosts. */
export async function writeExplorer(options: ExplorerOptions): Promise<ExplorerSummary> {
  const paths = await shortestPaths(options);
  const links = await surveyLinks(options.edges(), { broken: new BrokenLinks(0), maxRows: 0 });
  const crawled = new Set(paths.pages.map(({ url }): string => hostOf(url)));
  const map = await hostMap(links.hosts, { ...mapSize, crawled: (host) => crawled.has(host) });
  const pages = packPages(paths);
  await writeDurably(
    options.file,
    page(options.name, { pages, hosts: packHosts(map), outcomes: outcomeTones }),
  );
  return {
    pages: paths.total,
    shownPages: pages.rows.length,
    hosts: map.total,
    shownHosts: map.hosts.length,
  };
}

/** As many pages as fit. */
function packPages({ pages, total, unreached }: ShortestPaths): ExplorerPages {
  const origins = new Map<string, number>();
  const rows: PageRow[] = [];
  let bytes = 0;
  for (const { url, parent, outcome, linkedFrom } of pages) {
    const origin = originOf(url);
    const path = pathOf(url).slice(0, 500);
    bytes += Buffer.byteLength(inert(path)) + 24 + (origins.has(origin) ? 0 : origin.length + 3);
    if (bytes > maxPageBytes) break;
    if (!origins.has(origin)) origins.set(origin, origins.size);
    rows.push([origins.get(origin) ?? 0, path, parent, outcome, linkedFrom]);
  }
  return { origins: [...origins.keys()], rows, total, unreached };
}

function packHosts({ hosts, links, total }: HostMap): ExplorerHosts {
  const round = (value: number) => Math.round(value * 1_000) / 1_000;
  return {
    rows: hosts.map((h) => [
      h.host,
      round(h.place.x),
      round(h.place.y),
      round(h.centrality),
      h.linkedFrom,
      h.linksTo,
      h.community % 8,
      h.crawled ? 1 : 0,
    ]),
    links: links.map(([from, to]): [number, number] => [from, to]),
    total,
  };
}

/** JSON that can stand inside a page: nothing in it can end the element it is in. */
function inert(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function page(name: string, data: ExplorerData): string {
  const script = pageScript('explorer-page');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(securityPolicy({ style: explorerStyle, script }))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="Webfarer">
<title>${name}: links</title>
<style>${trusted(explorerStyle)}</style>
</head>
<body>
<header>
<h1><bdi>${name}</bdi></h1>
<div role="tablist" aria-label="View"><button type="button" role="tab" id="tab-paths" aria-controls="paths" aria-selected="true">Shortest paths</button><button type="button" role="tab" id="tab-hosts" aria-controls="hosts" aria-selected="false" tabindex="-1">Hosts</button></div>
<input type="search" id="search" placeholder="Find a page or host" aria-label="Find a page or host">
<button type="button" class="theme">Dark</button>
</header>
<main>
<div id="paths" role="tabpanel" aria-labelledby="tab-paths" tabindex="0"><svg id="tree" role="group" aria-label="Pages below the pages that lead to them over the fewest links"></svg></div>
<div id="hosts" role="tabpanel" aria-labelledby="tab-hosts" tabindex="0" hidden><svg id="map" role="group" aria-label="Hosts and the links between them"></svg></div>
<aside aria-label="Details" aria-live="polite" tabindex="0"><noscript>This page needs JavaScript. The pictures of report.html do not.</noscript><div id="details"></div></aside>
</main>
<script type="application/json" id="data">${trusted(inert(data))}</script>
<script>${trusted(script)}</script>
</body>
</html>
`.html;
}
