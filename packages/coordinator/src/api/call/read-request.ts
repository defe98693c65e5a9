import { WebfarerError } from '@webfarer/protocol';
import { type InvalidValue, type Route, wireKind } from '@webfarer/protocol/api';

type Schema = NonNullable<Route['body']>;

/** The largest body that is read. */
export const maxBodyBytes = 1_048_576;
/** Deeper values are not jobs, and would exhaust the stack of whatever walks through them. */
const maxDepth = 64;
const reserved = new Set(['__proto__', 'constructor', 'prototype']);

/** A request that does not fit its route, value by value. */
export class InvalidRequest extends Error {
  readonly invalid: InvalidValue[];
  constructor(invalid: InvalidValue[]) {
    super('the request does not fit the route');
    this.invalid = invalid;
  }
}

export interface ReadInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Reads and checks everything that a request brings. Throws `InvalidRequest` or a `WebfarerError`. */
export async function readInput(
  route: Route,
  request: Request,
  texts: { params: Record<string, string>; search: URLSearchParams },
): Promise<ReadInput> {
  const params = parse(route.params, valuesOf(route.params, Object.entries(texts.params), 'path'), 'path');
  const query = parse(route.query, valuesOf(route.query, texts.search.entries(), 'query'), 'query');
  const given = await readBody(route, request);
  return { params, query, body: route.body ? parse(route.body, given, 'body') : undefined };
}

function parse(schema: Schema, value: unknown, where: InvalidValue['in']): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new InvalidRequest(
    error.issues
      .slice(0, 20)
      .map(({ path, message }) => ({ in: where, at: path.map(String).join('.'), message })),
  );
}

/** Text becomes what the schema says it stands for. What cannot stays text, for the schema to refuse. */
function valuesOf(
  schema: Route['params'],
  entries: Iterable<[string, string]>,
  where: InvalidValue['in'],
): Record<string, unknown> {
  // Without a prototype, a name such as __proto__ is a name like any other, and unknown.
  const values = Object.create(null) as Record<string, unknown>;
  const shape = new Map(Object.entries(schema.shape));
  for (const [name, text] of entries) {
    const field = shape.get(name);
    if (!field && isOpen(schema)) continue;
    if (!field)
      throw new InvalidRequest([{ in: where, at: name.slice(0, 100), message: 'unknown parameter' }]);
    if (where === 'path' && reserved.has(text))
      throw new InvalidRequest([{ in: where, at: name, message: 'reserved name' }]);
    const kind = wireKind(field as Schema);
    if (kind === 'list') values[name] = [...((values[name] as string[] | undefined) ?? []), text];
    else if (name in values)
      throw new InvalidRequest([{ in: where, at: name, message: 'given more than once' }]);
    else values[name] = kind === 'text' ? text : valueOf(text);
  }
  return values;
}

/** Names that it does not list are left out, where others are refused. */
function isOpen({ def }: Route['params']): boolean {
  return def.catchall?._zod.def.type === 'unknown';
}

function valueOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

async function readBody(route: Route, request: Request): Promise<unknown> {
  const text = await readText(request);
  if (!route.body) {
    if (text === '') return undefined;
    throw new InvalidRequest([{ in: 'body', at: '', message: 'this route takes no body' }]);
  }
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') return parseJson(text);
  if (route.yamlField !== undefined && yamlTypes.has(type)) return { [route.yamlField]: text };
  const also = route.yamlField === undefined ? '' : ' or application/yaml';
  throw new WebfarerError(
    'type-refused',
    type === '' ? 'the body has no content type' : `the body is ${type}`,
    {
      next: `Send it as application/json${also}.`,
    },
  );
}

const yamlTypes: ReadonlySet<string> = new Set(['application/yaml', 'application/x-yaml', 'text/yaml']);

async function readText(request: Request): Promise<string> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.body === null) return '';
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.body) {
    bytes += piece.length;
    if (bytes > maxBodyBytes) throw tooLarge();
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new InvalidRequest([{ in: 'body', at: '', message: 'not UTF-8 text' }]);
  }
}

function tooLarge(): WebfarerError {
  return new WebfarerError('too-large', `the body is larger than ${maxBodyBytes} bytes`, {
    next: 'Put long lists of seeds into a file or a sitemap that the job names.',
  });
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidRequest([{ in: 'body', at: '', message: 'not valid JSON' }]);
  }
  refuseReservedKeys(value);
  return value;
}

/** Keys that would reach an object's prototype once somebody copies it carelessly. */
export function refuseReservedKeys(value: unknown, path: string[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  if (path.length > maxDepth)
    throw new InvalidRequest([{ in: 'body', at: path.slice(0, 5).join('.'), message: 'nested too deeply' }]);
  for (const [key, inner] of Object.entries(value)) {
    if (reserved.has(key))
      throw new InvalidRequest([{ in: 'body', at: [...path, key].join('.'), message: 'reserved name' }]);
    refuseReservedKeys(inner, [...path, key]);
  }
}
