import { type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import type { Page } from '@webfarer/worker';
import type { FolderReader } from '../crawl/local-port.ts';
import type { PageProbe, ProbedLink, Prober } from '../crawling/page-probe.ts';
import { pageFrom } from '../handlers/page-from.ts';

/** A page in a shell, and what a crawl would do with each of its links. */
export interface ShellPage {
  page: Page;
  links: readonly { url: Url; text: string; rel: string }[];
}

/** Where a shell gets its pages: the web, or the folder of a crawl. */
export interface PageSource {
  /** `base`: what a relative address is relative to. Rejects with a WebfarerError where there is no such page to see. */
  open(text: string, base?: string): Promise<ShellPage>;
  /** What a crawl would do with a URL, or what the crawl of the folder did. */
  explain(text: string, base?: string): Promise<unknown>;
}

/** Pages of the web, as polite as a crawl. Each redirect is a page of its own. */
export function webPages(prober: Pick<Prober, 'probe' | 'judge'>, job: Job): PageSource {
  return {
    async open(text, base) {
      const url = urlFrom(job, text, base);
      return await shellPage(url, await prober.probe(url));
    },
    explain: async (text, base): Promise<ProbedLink> => await prober.judge(urlFrom(job, text, base)),
  };
}

/** What a look at a URL has brought; throws where that is no page. */
export async function shellPage(url: Url, { answer, robots, links }: PageProbe): Promise<ShellPage> {
  if (!answer)
    throw new WebfarerError(
      'nothing-allowed',
      `${url} was not requested: ${robots.verdict.rule ?? 'robots.txt'}.`,
    );
  if (!answer.ok)
    throw new WebfarerError('not-found', `${url} could not be fetched: ${answer.reason} (${answer.detail}).`);
  const headers: Record<string, string> = {};
  for (const [name, value] of answer.headers) {
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  return { page: await pageFrom(answer.body, url, { status: answer.status, headers }), links };
}

/** Pages that a crawl has saved: nothing is requested. */
export function savedPages(reader: Pick<FolderReader, 'explain' | 'job'>, folder: string): PageSource {
  return {
    async open(text, base) {
      const page = await pageFrom(folder, urlFrom(reader.job, text, base));
      return { page, links: [...page.links] };
    },
    explain: async (text, base) => await reader.explain(urlFrom(reader.job, text, base)),
  };
}

function urlFrom(job: Job, text: string, base: string | undefined): Url {
  const url = normaliser(job.normalise)(text, base);
  if (url !== undefined) return url;
  throw new WebfarerError('usage', `${text} is not a web address.`, {
    next: 'Write it like https://example.org/',
  });
}
