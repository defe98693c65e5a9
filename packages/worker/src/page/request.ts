import type { Entry, PageRequest, Url } from '@webfarer/protocol';
import { targetOf } from '@webfarer/protocol/url';
import { callOwn, HookError, isPromise } from './own-code.ts';
import type { CrawlContext, HandlingContext } from '../context/context.ts';
import type { FetchRequest, ResponseHead } from '../fetch/fetch.ts';
import { header } from '../fetch/fetch.ts';
import { validatorsFor } from './recrawl.ts';
import { isRequisiteType } from '../context/type-rules.ts';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ENCODINGS = 'gzip, deflate, br';

/** Content type without parameters, lower case; empty when the server names none. */
export function mimeOf(head: ResponseHead): string {
  const type = header(head, 'content-type') ?? '';
  const end = type.indexOf(';');
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase();
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
  const { request } = entry;
  const url = targetOf(entry.url);
  const proxy = context.proxyFor(url);
  return {
    url,
    // Where HEAD has failed once, in whatever way, only GET is believed.
    method:
      entry.kind === 'check' && !headRefused && entry.attempt === 0 ? 'HEAD' : (request?.method ?? 'GET'),
    headers: headersFor(context, url, [...validatorsFor(entry), ...sentHeaders(request)]),
    ...(request?.body === undefined ? {} : { content: request.body }),
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
  { label, request }: Pick<Entry, 'label' | 'request'>,
  mime: string,
): boolean {
  return types.reads(mime) || (ownCode === true && (label !== undefined || request !== undefined));
}

function sentHeaders(request: PageRequest | undefined): [string, string][] {
  if (request === undefined) return [];
  const { type, headers = {} } = request;
  return [...Object.entries(headers), ...(type === undefined ? [] : ([['Content-Type', type]] as const))].map(
    ([name, value]) => [name, value],
  );
}

/** `own`: what only this request has. Where it names a header that all have, that one is left out. */
export function headersFor(
  context: CrawlContext,
  url: Url,
  own: [string, string][] = [],
): [string, string][] {
  const cookie = context.cookies?.header(url);
  const all: [string, string][] = [
    ['User-Agent', context.userAgent],
    ['Accept', ACCEPT],
    ['Accept-Encoding', ENCODINGS],
    ...context.headersTo(url),
  ];
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  const base: [string, string][] = [
    ...(own.length === 0 ? all : all.filter(([name]) => !names.has(name.toLowerCase()))),
    ...own,
    ...(cookie === undefined ? [] : ([['Cookie', cookie]] as [string, string][])),
  ];
  const { onRequest } = context;
  if (!onRequest) return base;
  const headers = Object.fromEntries(base);
  const begun = callOwn('onRequest', () => onRequest(url, headers) as unknown);
  if (isPromise(begun)) {
    begun.catch(() => undefined);
    throw new HookError(
      'onRequest',
      new TypeError('it must not be asynchronous: requests do not wait for it'),
    );
  }
  return callOwn('onRequest', () => checkedHeaders(headers, base));
}

/** What a hook made of the headers of a request. */
function checkedHeaders(
  headers: Record<string, string>,
  base: readonly [string, string][],
): [string, string][] {
  const known = new Map(base);
  const all = Object.entries(headers);
  for (const [name, value] of all) {
    if (known.get(name) === value) continue;
    const trouble =
      typeof value === 'string' ? badHeader(name, value) : `its value is ${typeof value}, not text`;
    if (trouble !== undefined) throw new TypeError(`the header ${JSON.stringify(name)}: ${trouble}`);
  }
  return all;
}

function badHeader(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return 'its name is not one of HTTP';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'its value has a character that HTTP does not allow';
}
