import { z } from 'zod';
import type { ErrorCode } from '../base/errors.ts';

/**
 * What a token may do. An admin may do what an operator may, who may do what a viewer may; a worker only works. `metrics`
 * is for Prometheus: it reads /metrics, which names the crawls of all teams, and nothing else.
 */
export const apiScopes = ['viewer', 'operator', 'admin', 'worker', 'metrics'] as const;
export type ApiScope = (typeof apiScopes)[number];

/** Those of people; the others do one thing each. */
const rank: Partial<Record<ApiScope, number>> = { viewer: 1, operator: 2, admin: 3 };

/** Whether a token of one scope may use a route that asks for another. */
export function scopeCovers(has: ApiScope, needs: ApiScope): boolean {
  if (has === needs) return true;
  if (needs === 'metrics') return has === 'admin';
  return (rank[has] ?? 0) >= (rank[needs] ?? Number.POSITIVE_INFINITY);
}

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a route answers when all is well. Every refusal is a problem document, see `problem.ts`. */
export type RouteAnswer =
  | { kind: 'json'; status: 200 | 201 | 202; schema: z.ZodType }
  /** One JSON value per line, for as long as there are any. */
  | { kind: 'ndjson'; item: z.ZodType }
  /** Text that may come in pieces, Server-Sent Events among it. */
  | { kind: 'text'; type: string }
  /** Bytes, whole or in part. */
  | { kind: 'bytes'; type: string }
  | { kind: 'none' }
  /** A path or URL that the browser goes to next. */
  | { kind: 'redirect' };

/** One operation of the API. Server, client, OpenAPI document and docs all come from a table of these. */
export interface Route {
  method: RouteMethod;
  /** `/v1/crawls/{crawl}`: the names in braces are those of `params`. */
  path: string;
  /** The least a token needs; `public`: no token. */
  scope: ApiScope | 'public';
  /** The family in the docs: `crawls`. */
  family: string;
  /** One English sentence in the imperative, without a full stop. */
  summary: string;
  params: z.ZodObject;
  query: z.ZodObject;
  /** Absent: the request has no body. */
  body?: z.ZodType;
  /** The body may also be this field of it alone, as YAML text (`application/yaml`). */
  yamlField?: string;
  /** Takes an `Idempotency-Key`: the same key again answers what the first request made. */
  idempotent?: true;
  /** It only looks, though it is no GET because of its body: the audit log does not keep it. */
  changesNothing?: true;
  /** It answers while the store does not, and leaves out what only the store knows. */
  withoutStore?: true;
  /** Another site sends browsers here. Nothing may be changed without a check of its own. */
  fromElsewhere?: true;
  /** Refusals of its own, beside those that every route of its method has. */
  refusals?: readonly ErrorCode[];
  answer: RouteAnswer;
}

const nothing = z.strictObject({});
type Nothing = typeof nothing;

/** Parts that most routes do without have defaults; everything else is written down, with its exact type kept. */
export function route<const R extends Omit<Route, 'params' | 'query'> & Partial<Route>>(
  given: R,
): R & {
  params: R extends { params: z.ZodObject } ? R['params'] : Nothing;
  query: R extends { query: z.ZodObject } ? R['query'] : Nothing;
} {
  const whole = { params: nothing, query: nothing, ...given };
  const named = [...given.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const described = Object.keys(whole.params.shape);
  if (named.toSorted().join() !== described.toSorted().join())
    throw new Error(`${given.path} names other parameters than ${described.join(', ')}`);
  return whole as never;
}

/** A list that is read page by page: `next` is absent on the last one. A page may be short, even empty, before that. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    next: z.string().optional().describe('Pass it as `after` to read on; absent on the last page'),
  });
}

/** The two query parameters of every list. */
export const paging = {
  after: z.string().max(500).default('').describe('`next` of the page before; empty for the first page'),
  limit: z.int().min(1).max(1000).default(100).describe('The most items to answer'),
};

/** What a request brings to a handler. */
export interface RouteInput<R extends Route> {
  params: z.output<R['params']>;
  query: z.output<R['query']>;
  body: R extends { body: z.ZodType } ? z.output<R['body']> : undefined;
}

/** What a handler answers. */
export type RouteOutput<R extends Route> = R['answer'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? z.input<S>
  : R['answer'] extends { kind: 'ndjson'; item: infer I extends z.ZodType }
    ? AsyncIterable<z.input<I>>
    : R['answer'] extends { kind: 'text' }
      ? string | AsyncIterable<string>
      : R['answer'] extends { kind: 'redirect' }
        ? string
        : R['answer'] extends { kind: 'bytes' }
          ? RouteBytes
          : undefined;

/** Bytes of a file, or of a part of it. */
export interface RouteBytes {
  status: 200 | 206 | 416;
  /** Content-Length, Content-Range, Content-Disposition, ETag. */
  headers: Record<string, string>;
  bytes: AsyncIterable<Uint8Array>;
}

/** What a query or path value stands for on the wire, by its schema. */
export type WireKind = 'text' | 'number' | 'boolean' | 'list';

/** Looks through defaults and the like to the type a value has. */
export function wireKind(schema: z.ZodType): WireKind {
  let inner: z.ZodType = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodNullable
  )
    inner = inner.unwrap() as z.ZodType;
  if (inner instanceof z.ZodNumber) return 'number';
  if (inner instanceof z.ZodBoolean) return 'boolean';
  return inner instanceof z.ZodArray ? 'list' : 'text';
}
