import type { Answer } from '../fake-web/reply.ts';
import type { ExpectOptions, Expected } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';

export interface TwoWebs {
  before: Web;
  after: Web;
  expect: ExpectOptions;
}

export interface ChangedTruth {
  url: string;
  /** Undefined where there was no page before and is none now. */
  change?: 'new' | 'changed' | 'gone' | 'unchanged';
  /** It was a page, was kept whole, and came with an ETag or a date. */
  validator: boolean;
}

/** What became of every page between two epochs, from what the two webs answer. No sitemaps. */
export function* changedTruth({ before, after, expect }: TwoWebs): Generator<ChangedTruth> {
  const was = contentOf(before, expect);
  const is = contentOf(after, expect);
  for (const url of new Set([...was.keys(), ...is.keys()])) {
    const old = was.has(url) ? answerOf(before, url) : undefined;
    const now = is.has(url) ? answerOf(after, url) : undefined;
    const isWhole = was.get(url)?.truncated === undefined;
    const change = !old ? 'new' : !now ? 'gone' : old.body.equals(now.body) ? 'unchanged' : 'changed';
    yield { url, change, validator: old !== undefined && isWhole && hasValidator(old) };
  }
}

/** The right outcome of each URL in a recrawl: as in any crawl, but 304 for what is unchanged and can say so. */
export function* recrawlExpected(webs: TwoWebs, expect: ExpectOptions = webs.expect): Generator<Expected> {
  const unmodified = new Set<string>();
  for (const { url, change, validator } of changedTruth({ ...webs, expect })) {
    if (change === 'unchanged' && validator) unmodified.add(url);
  }
  for (const expected of webs.after.expected(expect)) {
    if (!unmodified.has(expected.url)) yield expected;
    else yield { ...expected, reason: 'not-modified', status: 304 };
  }
}

function contentOf(web: Web, expect: ExpectOptions): Map<string, Expected> {
  const pages = new Map<string, Expected>();
  for (const expected of web.expected(expect)) {
    const { url, verdict, reason, kind } = expected;
    if (verdict === 'done' && reason === 'ok' && kind === 'page') pages.set(url, expected);
  }
  return pages;
}

function answerOf(web: Web, url: string): Answer {
  const [, scheme, name, path] = /^(https?):\/\/([^/:]+)[^/]*(\/.*)$/.exec(url) ?? [];
  const host = web.hostNamed(name ?? '');
  if (host === undefined) throw new Error(`no host ${name}`);
  // Asked often enough before that pages which change their mind have done so.
  const asked = { scheme: scheme as 'http' | 'https', host, path: path ?? '/', acceptEncoding: '' };
  return web.answer({ ...asked, before: () => 9 });
}

function hasValidator({ head }: Answer): boolean {
  return /^(?:ETag|Last-Modified):/m.test(head);
}
