import type { z } from 'zod';
import { WebfarerError } from '../base/errors.ts';
import { errorOfProblem } from './problem.ts';
import type { Route, RouteBytes } from './route.ts';
import { type Routes, routes } from './routes.ts';

export interface ClientOptions {
  /** Where the coordinator is: `http://127.0.0.1:7311`. */
  url: string;
  /** Undefined: only routes without a token can be called. */
  token: string | undefined;
  /** The `fetch` of the platform, or one that reaches the coordinator in another way. */
  fetch: (url: string, init: ClientRequest) => Promise<Response>;
}

/** What is given to `fetch`. */
export interface ClientRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** A route that takes none of a kind has an object there that allows no name. */
type ParamsPart<R extends Route> = string extends keyof z.input<R['params']>
  ? unknown
  : { params: z.input<R['params']> };
type QueryPart<R extends Route> = string extends keyof z.input<R['query']>
  ? unknown
  : Record<never, never> extends z.input<R['query']>
    ? { query?: z.input<R['query']> }
    : { query: z.input<R['query']> };
type BodyPart<R extends Route> = R extends { body: infer B extends z.ZodType }
  ? { body: z.input<B> }
  : unknown;
type KeyPart<R extends Route> = R extends { idempotent: true }
  ? {
      /** The same one again, with the same request, answers what the first request created. */
      idempotencyKey?: string;
    }
  : unknown;

type RangePart<R extends Route> = R['answer'] extends { kind: 'bytes' }
  ? {
      /** Only these bytes, both included. */
      range?: ByteRange;
    }
  : unknown;

export interface ByteRange {
  first: number;
  last: number;
}

/** What a call of a route takes. */
export type ClientInput<R extends Route> = ParamsPart<R> &
  QueryPart<R> &
  BodyPart<R> &
  KeyPart<R> &
  RangePart<R> & { signal?: AbortSignal };

/** What it answers. */
export type ClientAnswer<R extends Route> = R['answer'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : R['answer'] extends { kind: 'ndjson'; item: infer I extends z.ZodType }
    ? AsyncIterable<z.output<I>>
    : R['answer'] extends { kind: 'text' }
      ? AsyncIterable<string>
      : R['answer'] extends { kind: 'bytes' }
        ? RouteBytes
        : undefined;

type ClientCall<R extends Route> =
  Record<never, never> extends ClientInput<R>
    ? (input?: ClientInput<R>) => Promise<ClientAnswer<R>>
    : (input: ClientInput<R>) => Promise<ClientAnswer<R>>;

/** One method for each route. Refusals are thrown as `WebfarerError`, with what to do next. */
export type ClientOf<Table extends Record<string, Route>> = {
  readonly [Name in keyof Table]: ClientCall<Table[Name]>;
};
export type ApiClient = ClientOf<Routes>;

type WireValue = string | number | boolean | undefined;

interface AnyInput {
  params?: Record<string, WireValue>;
  query?: Record<string, WireValue | WireValue[]>;
  body?: unknown;
  idempotencyKey?: string;
  range?: ByteRange;
  signal?: AbortSignal;
}

/** The API of the coordinator at an address. */
export function createClient(options: ClientOptions): ApiClient {
  return clientOf(routes, options);
}

export function clientOf<Table extends Record<string, Route>>(
  table: Table,
  options: ClientOptions,
): ClientOf<Table> {
  const calls = Object.entries<Route>(table).map(([name, route]) => [
    name,
    (input: AnyInput = {}) => call(route, input, options),
  ]);
  return Object.fromEntries(calls) as ClientOf<Table>;
}

async function call(route: Route, input: AnyInput, options: ClientOptions): Promise<unknown> {
  const { signal, range } = input;
  const headers: Record<string, string> = {
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(route.body ? { 'content-type': 'application/json' } : {}),
    ...(input.idempotencyKey === undefined ? {} : { 'idempotency-key': input.idempotencyKey }),
    ...(range ? { range: `bytes=${range.first}-${range.last}` } : {}),
  };
  const request: ClientRequest = {
    method: route.method,
    headers,
    ...(route.body ? { body: JSON.stringify(input.body) } : {}),
    ...(signal ? { signal } : {}),
  };
  const url = options.url.replace(/\/+$/, '');
  const response = await options.fetch(url + pathOf(route, input), request).catch((error: unknown) => {
    throw unreachable(url, error, signal);
  });
  if (!response.ok && response.status !== 416) throw await refusalIn(response, url);
  return await answerIn(route, response, { url, signal });
}

function pathOf(route: Route, { params = {}, query = {} }: AnyInput): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) search.append(name, String(one));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}

async function refusalIn(response: Response, url: string): Promise<WebfarerError> {
  const answer: unknown = await response.json().catch(() => undefined);
  return (
    errorOfProblem(answer) ??
    new WebfarerError('link-lost', `${url} answered ${response.status}; it may not be a coordinator`, {
      next: 'Check the address.',
    })
  );
}

interface Place {
  url: string;
  signal: AbortSignal | undefined;
}

async function answerIn(route: Route, response: Response, place: Place): Promise<unknown> {
  switch (route.answer.kind) {
    case 'json':
      return await response.json().catch((error: unknown) => {
        throw unreachable(place.url, error, place.signal);
      });
    case 'ndjson':
      return valuesIn(textIn(response, place), place);
    case 'text':
      return textIn(response, place);
    case 'bytes': {
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, bytes: bytesIn(response, place) };
    }
    case 'none':
    case 'redirect':
      return undefined;
  }
}

async function* bytesIn(response: Response, { url, signal }: Place): AsyncIterable<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw unreachable(url, error, signal);
      });
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever stops reading early lets go of the connection.
    await reader.cancel().catch(() => undefined);
  }
}

async function* textIn(response: Response, place: Place): AsyncIterable<string> {
  const decoder = new TextDecoder();
  for await (const bytes of bytesIn(response, place)) yield decoder.decode(bytes, { stream: true });
}

/** One value per line. A line without an end was cut off, and is no value. */
async function* valuesIn(texts: AsyncIterable<string>, { url }: Place): AsyncIterable<unknown> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
  if (rest !== '') throw unreachable(url, new Error('the answer was cut off'), undefined);
}

/** A caller that aborted is told so in the platform's words; everything else is a connection that failed. */
function unreachable(url: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error;
  const { message, cause } = error as Error;
  const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return new WebfarerError('link-lost', `no answer from the coordinator at ${url}: ${why}`, {
    next: 'Check that it is running and that this machine can reach it.',
    cause: error,
  });
}
