import type { LabWeb, LogLine, Reply, Site } from './lab-web.ts';
import type { PageRun } from './run-page.ts';

/** One recipe of docs/recipes, the sites that it names, and what is true of them. */
export interface Recipe {
  /** The page, without `.md`. */
  name: string;
  hosts: Record<string, Site>;
  /** What its programs need beside the web. */
  env(): Promise<Record<string, string>>;
  /** Called before the nth run of the page. */
  before(run: number, folder: string): void;
  /** What the crawl got wrong, by the sites and their log. */
  judge(run: PageRun, web: LabWeb): string[] | Promise<string[]>;
  /** Does harm to the result, or to what is known of it, that the judge must find. */
  harm(run: PageRun, web: LabWeb): void;
}

export function html(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;
}

/** Some crawlers take a page with hardly any text for a refusal. */
export const smallPrint =
  '<footer><p>We have been selling and mending tools since 1931, in the same street and under the same name. ' +
  'The shop is open from Monday to Saturday, and we answer every letter within two days.</p></footer>';

/** A site of fixed pages; those that are text are HTML. */
export function siteOf(pages: Record<string, string | Reply>): Site {
  return ({ path }) => {
    const found = pages[path];
    return typeof found === 'string' ? { body: found } : found;
  };
}

/** Pages that were answered with content, without robots.txt and sitemaps. */
export function served(lines: readonly LogLine[]): LogLine[] {
  return lines.filter(({ status, path }) => status === 200 && !/^\/(robots\.txt|sitemap)/.test(path));
}

/** What is in one list and not in the other. */
export function unlike(what: string, found: Iterable<string>, right: Iterable<string>): string[] {
  const [a, b] = [new Set(found), new Set(right)];
  return [
    ...[...b].filter((one) => !a.has(one)).map((one) => `${what}: ${one} is missing`),
    ...[...a].filter((one) => !b.has(one)).map((one) => `${what}: ${one} should not be there`),
  ];
}

export function jsonLines<T>(text: string): T[] {
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** For recipes that need nothing else. */
export const nothing = {
  env: () => Promise.resolve({}),
  before() {},
};
