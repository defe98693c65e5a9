import type { PageRecord } from '@webfarer/protocol';
import { renderWhys } from '@webfarer/protocol/crawl';

/** Of errors and files that were left out, those that are named. */
const named = 5;

/** Whether a page was shown in a browser, why, what went wrong there, and what is kept of it. */
export function shownLines({ rendered, renderedWhy, saved = [] }: PageRecord): string[] {
  const because = renderedWhy === undefined ? '' : `: ${renderWhys[renderedWhy]}`;
  if (!rendered) return renderedWhy === undefined ? [] : [`not shown in a browser${because}`];
  const { durationMs, loaded, leftOut = [], errors = [], restless } = rendered;
  const rest = restless ? ', and never came to rest' : '';
  const kinds = saved.flatMap(({ renditions = [] }) => renditions.map(({ kind }) => kind));
  return [
    `shown in a browser${because}`,
    `made ${loaded} more ${loaded === 1 ? 'request' : 'requests'} in ${seconds(durationMs)}${rest}`,
    ...someOf(errors.map(errorLine)),
    ...someOf(leftOut.map(({ url, why }) => `left out: ${url} (${why})`)),
    ...(kinds.length > 0
      ? [`kept of it: ${kinds.join(', ')}; webfarer warc cat URL --rendition prints one`]
      : []),
  ];
}

/** As browsers say it of a file that did not come. */
const notLoaded = /^Failed to load resource: (?:the server responded with a status of )?(.+): (https?:.+)$/;

function errorLine(error: string): string {
  const [, why, url] = notLoaded.exec(error) ?? [];
  return url === undefined ? `error in the page: ${error}` : `not loaded: ${url}, ${why}`;
}

function someOf(lines: string[]): string[] {
  const more = lines.length - named;
  return more > 0 ? [...lines.slice(0, named), `and ${more} more`] : lines;
}

export function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
