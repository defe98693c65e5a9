/**
 * A web that is the same for every contender: hosts are loopback addresses, pages and links follow from
 * the seed alone. Every page of a host hangs on its first one by a binary tree; the other links go anywhere.
 */
export interface Site {
  hosts: number;
  pagesPerHost: number;
  linksPerPage: number;
  /** Size of a page before compression, about. */
  pageBytes: number;
}

export function hostAddress(host: number): string {
  return `127.77.${host >> 7}.${(host & 127) + 1}`;
}

export function pagePath(page: number): string {
  return page === 0 ? '/' : `/articles/${page % 10}/page-${page}.html`;
}

/** Page number of a path, -1 when there is none. */
export function pageAt(path: string, site: Site): number {
  const page = path === '/' ? 0 : Number(/-(\d+)\.html$/.exec(path)?.[1] ?? -1);
  return page < site.pagesPerHost && pagePath(page) === path ? page : -1;
}

const words =
  'archive border candle distant engine forest garden harbour island journey kitchen ladder market northern orchard paper quiet river silver timber under valley window yellow about because between through where which would'.split(
    ' ',
  );

/** A page as sites write them: head, navigation, paragraphs with links in them, a footer. */
export function pageHtml(site: Site, origin: (host: number) => string, host: number, page: number): string {
  const next = randomOf((host * 100_003 + page) ^ 0x5eed);
  const sentence = (length: number) => Array.from({ length }, () => words[next(words.length)]).join(' ');
  const links = linksOf(site, host, page, next);
  const head = `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${sentence(5)}</title>\n<link rel="stylesheet" href="/style.css">\n<script src="/app.js" defer></script>\n</head>\n<body>\n<header><img src="/logo.png" alt="logo"></header>\n`;
  const share = Math.max(0, Math.floor((site.pageBytes - head.length) / links.length) - 140);
  let html = head;
  for (const [n, to] of links.entries()) {
    const href = to.host === host ? pagePath(to.page) : `${origin(to.host)}${pagePath(to.page)}`;
    html += `<div class="entry entry-${n}" data-id="${n}"><p>${sentence(Math.ceil(share / 7))} <a class="link" href="${href}" title="${sentence(2)}">${sentence(3)}</a></p></div>\n`;
  }
  return `${html}<footer>&copy; ${sentence(4)}</footer>\n</body>\n</html>\n`;
}

function linksOf(site: Site, host: number, page: number, next: (below: number) => number) {
  const links: { host: number; page: number }[] = [];
  for (const child of [page * 2 + 1, page * 2 + 2])
    if (child < site.pagesPerHost) links.push({ host, page: child });
  while (links.length < site.linksPerPage) {
    const away = links.length % 3 === 0;
    links.push({ host: away ? next(site.hosts) : host, page: next(site.pagesPerHost) });
  }
  return links;
}

/** Small, fast and the same on every machine. */
function randomOf(seed: number): (below: number) => number {
  let state = (seed | 0) + 0x6d2b79f5;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
