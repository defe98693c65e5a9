/** Hosts that all have the same pages, at loopback addresses of their own. */
export interface PlainWeb {
  hosts: number;
  pagesPerHost: number;
  linksPerPage: number;
  pageBytes: number;
  /** From the last byte of a request to the first of its answer. */
  latencyMs: number;
  /** What the crawler owes each host from the end of an answer to its next request. */
  gapMs: number;
}

/** What the hosts have seen so far. */
export interface WebLook {
  /** By the origin's clock. */
  atMs: number;
  cpuMs: number;
  /** Time in which hosts were not asked although they had been left in peace long enough, over all of them. */
  idleMs: number;
  pages: number;
  /** Of the host that was asked for the fewest. */
  fewestPages: number;
  /** Time that all answers took together, and how many there were: pages and robots.txt. */
  answeringMs: number;
  answers: number;
  gapViolations: number;
  /** The shortest pause between an answer and the next request to the same host; null before there was one. */
  shortestGapMs: number | null;
  /** The same from the moment at which the answer was handed over: the crawler may have it from then on. */
  shortestSinceHandedMs: number | null;
  /** The longest it took this process from there until it noted the end. */
  longestNoteMs: number;
}

export function pagePath(page: number): string {
  return page === 0 ? '/' : `/${page}.html`;
}

/** Every page hangs on the first by a binary tree; the other links go to pages at even distances. */
export function pageHtml({ pagesPerHost, linksPerPage, pageBytes }: PlainWeb, page: number): string {
  const tree = [page * 2 + 1, page * 2 + 2].filter((child) => child < pagesPerHost);
  const step = Math.ceil(pagesPerHost / linksPerPage);
  const others = Array.from(
    { length: linksPerPage - tree.length },
    (_, n) => (page + (n + 1) * step) % pagesPerHost,
  );
  const links = [...tree, ...others].map((to) => `<p><a href="${pagePath(to)}">to page ${to}</a></p>`);
  const text = 'Words that fill the page. '.repeat(Math.ceil(pageBytes / 26));
  const head = `<!doctype html><html lang="en"><head><title>Page ${page}</title></head><body>`;
  return `${head}${links.join('\n')}<p>${text.slice(0, Math.max(0, pageBytes - 40 * linksPerPage))}</p></body></html>`;
}
