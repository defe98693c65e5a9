import { createHash } from 'node:crypto';
import type { PageRequest, Url } from '@webfarer/protocol';
import { headerTrouble } from '@webfarer/protocol/job';
import { mostRequestBytes } from '@webfarer/protocol/link';
import { originOf, requestUrl } from '@webfarer/protocol/url';
import type { FollowOptions } from '../scrape/scraper.ts';
import { jsonOf } from './own-code.ts';

/** What `follow` asks for beyond a plain GET; undefined where it asks for nothing more. Throws what the handler's author reads. */
export function requestOf(options: FollowOptions): PageRequest | undefined {
  const { data, method, body, headers } = options;
  if (data === undefined && method === undefined && body === undefined && headers === undefined)
    return undefined;
  const request: PageRequest = {
    ...sentWith(methodFor(method, body), body, typeIn(headers)),
    ...extraHeaders(headers),
    ...(data === undefined ? {} : { data: asJson(data, 'data') }),
  };
  const bytes = requestBytes(request);
  if (bytes > mostRequestBytes)
    throw new RangeError(
      `follow: body, headers and data take ${bytes} bytes as JSON, and may take ${mostRequestBytes}. Keep large data elsewhere and pass a key to it.`,
    );
  return request;
}

/** As it is kept and sent between machines. */
export function requestBytes(request: PageRequest): number {
  return Buffer.byteLength(JSON.stringify(request));
}

/** The name of a request: its URL, unless it sends something. */
export function urlOf(target: Url, request: PageRequest | undefined): Url {
  if (request?.method === undefined) return target;
  const { method, type = '', body = '' } = request;
  const digest = createHash('sha256').update(`${method}\n${type}\n${body}`).digest('base64url');
  return requestUrl(target, method, digest.slice(0, 22));
}

/**
 * What is asked of the target of a redirect (RFC 9110, 15.4): 307 and 308 repeat the request, any other turns a POST into
 * a GET. Headers may hold a key, so they do not leave their origin.
 */
export function redirected(
  request: PageRequest | undefined,
  { status, from, to }: { status: number; from: Url; to: Url },
): PageRequest | undefined {
  if (request === undefined) return undefined;
  const { method, type: _type, body: _body, headers, ...rest } = request;
  const repeats = method === undefined || status === 307 || status === 308;
  const kept = repeats ? { ...request } : { ...rest, ...(headers === undefined ? {} : { headers }) };
  if (originOf(from) !== originOf(to)) delete kept.headers;
  return kept;
}

function methodFor(method: string | undefined, body: unknown): 'POST' | undefined {
  if (method !== undefined && method !== 'GET' && method !== 'POST')
    throw new TypeError(`follow: the method ${JSON.stringify(method)} is not GET or POST.`);
  if (method === 'GET' && body !== undefined)
    throw new TypeError("follow: a GET has no body. Use method: 'POST', or put it into the URL.");
  return method === 'POST' || body !== undefined ? 'POST' : undefined;
}

function sentWith(
  method: 'POST' | undefined,
  body: FollowOptions['body'],
  type: string | undefined,
): Pick<PageRequest, 'method' | 'type' | 'body'> {
  if (method === undefined) {
    if (type === undefined) return {};
    throw new TypeError('follow: Content-Type is the type of a body, and there is none.');
  }
  if (body === undefined) return { method };
  if (typeof body === 'string') return { method, type: type ?? 'text/plain;charset=UTF-8', body };
  if (body instanceof URLSearchParams)
    return {
      method,
      type: type ?? 'application/x-www-form-urlencoded;charset=UTF-8',
      body: body.toString(),
    };
  return { method, type: type ?? 'application/json', body: JSON.stringify(asJson(body, 'body')) };
}

function typeIn(headers: FollowOptions['headers']): string | undefined {
  return Object.entries(headers ?? {}).find(([name]) => isType(name))?.[1];
}

function extraHeaders(headers: FollowOptions['headers']): Pick<PageRequest, 'headers'> {
  const extra = Object.entries(headers ?? {}).filter(([name, value]) => {
    const trouble = headerTrouble(name, value);
    if (trouble !== undefined) throw new TypeError(`follow: the header ${JSON.stringify(name)}: ${trouble}.`);
    return !isType(name);
  });
  return extra.length === 0 ? {} : { headers: Object.fromEntries(extra) };
}

function isType(name: string): boolean {
  return name.toLowerCase() === 'content-type';
}

/** As it will arrive: what JSON has no word for is an error now rather than a surprise then. */
function asJson(value: unknown, what: string): unknown {
  const text = jsonOf(value);
  if (text === undefined) throw new TypeError(`follow: ${what} is not a JSON value.`);
  return JSON.parse(text) as unknown;
}
