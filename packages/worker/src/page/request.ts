import type { Entry, Url } from '@webfarer/protocol';
import { errorWithPlace } from './error-place.ts';
import type { CrawlContext, HandlingContext } from '../context/context.ts';
import type { FetchRequest, ResponseHead } from '../fetch/fetch.ts';
import { header } from '../fetch/fetch.ts';
import { validatorsFor } from './recrawl.ts';
import { isRequisiteType } from '../context/type-rules.ts';

/** A hook of the user's that threw before there was an answer: the URL it was called for fails. */
export class HookError extends Error {
  constructor(hook: string, cause: unknown) {
    super(`${hook}: ${errorWithPlace(cause)}`, { cause });
  }
}

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ENCODINGS = 'gzip, deflate, br';

/** Content type without parameters, lower case; empty when the server names none. */
export function mimeOf(head: ResponseHead): string {
  return (header(head, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The request for one entry: who we are, what we accept, how much we read. */
export function requestFor(
  context: CrawlContext,
  entry: Entry,
  {
    signal,
    turn,
    headRefused = false,
  }: Pick<FetchRequest, 'signal' | 'turn'> & { headRefused?: boolean | undefined },
): FetchRequest {
  const { fetch } = context.job;
  const proxy = context.proxyFor(entry.url);
  return {
    url: entry.url,
    // Where HEAD has failed once, in whatever way, only GET is believed.
    method: entry.kind === 'check' && !headRefused && entry.attempt === 0 ? 'HEAD' : 'GET',
    headers: headersFor(context, entry.url, validatorsFor(entry)),
    timeoutMs: fetch.timeoutMs,
    maxBytes: fetch.maxBodyBytes,
    maxDecodedBytes: fetch.maxDecodedBytes,
    allowPrivate: fetch.allowPrivate,
    ports: fetch.ports,
    ...(proxy === undefined ? {} : { proxy }),
    signal,
    ...(turn === undefined ? {} : { turn }),
    wanted: (head) => wants(context, entry, head),
  };
}

/** Only what was asked for as a page is judged by type; errors and redirects are small and always read. */
function wants(context: CrawlContext, entry: Entry, head: ResponseHead): boolean {
  const { kind } = entry;
  // That it answers is all there is to know.
  if (kind === 'check') return false;
  if (kind !== 'page' || head.status < 200 || head.status >= 300) return true;
  const mime = mimeOf(head);
  if (readsAsPage(context, entry, mime) || (context.job.scope.requisites && isRequisiteType(mime)))
    return true;
  // Its server does not know what it is, its name does.
  return /^(?:application|binary)\/octet-stream$/.test(mime) && context.types.collects(entry.url);
}

/** What the user's own scraper has asked for by name is shown to it, whatever its type; types judge all else. */
export function readsAsPage(
  { types, ownCode }: HandlingContext,
  { label }: Pick<Entry, 'label'>,
  mime: string,
): boolean {
  return types.reads(mime) || (ownCode === true && label !== undefined);
}

export function headersFor(
  context: CrawlContext,
  url: Url,
  validators: [string, string][] = [],
): [string, string][] {
  const cookie = context.cookies?.header(url);
  const base: [string, string][] = [
    ['User-Agent', context.userAgent],
    ['Accept', ACCEPT],
    ['Accept-Encoding', ENCODINGS],
    ...context.headersTo(url),
    ...validators,
    ...(cookie === undefined ? [] : ([['Cookie', cookie]] as [string, string][])),
  ];
  if (!context.onRequest) return base;
  const headers = Object.fromEntries(base);
  try {
    context.onRequest(url, headers);
  } catch (error) {
    throw new HookError('onRequest', error);
  }
  return Object.entries(headers);
}
