import { type Clock, type StallCause, WebfarerError } from '@webfarer/protocol';
import {
  type InvalidValue,
  type Problem,
  problemOf,
  problemType,
  type Route,
  type RouteBytes,
  scopeCovers,
} from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { type Context, Hono } from 'hono';
import { asDiskTrouble } from '../../folder/disk-trouble.ts';
import { isCrossOrigin, isSameOrigin, securityHeaders } from './browser-guard.ts';
import { browserPagePolicy, isForPerson, refusalPage } from './browser-page.ts';
import type { Call, HandlersOf, Principal } from '../call/call.ts';
import { InvalidRequest, readInput } from '../call/read-request.ts';
import { type OpenStreams, trackStreams } from './open-streams.ts';
import { encoded, linesOf, streamed, type StreamWay } from './streamed.ts';

/** Whether a coordinator can be worked with, and what its crawls wait for. */
export interface Readiness {
  /** API and console work. A load balancer takes away only a coordinator that is not ready. */
  ready: boolean;
  /** Everything that workers report can be acknowledged, whatever crawl and shard it belongs to. */
  acknowledges: boolean;
  cause?: StallCause;
  reason?: string;
}

/** A change that a request made. */
export interface ApiChange {
  principal: Principal;
  /** The name of the route. */
  action: string;
  /** The path with its values: which crawl or document. */
  what: string;
  /** What the handler answered. */
  answer: unknown;
}

export interface AppOptions<Table extends Record<string, Route>> {
  routes: Table;
  /** Undefined: starting up, nothing can be asked yet. */
  handlers: () => HandlersOf<Table> | undefined;
  /** Whose token or session a request brings. Undefined: it is not accepted, or not any more. */
  authenticate: (header: HeaderOf) => Principal | undefined;
  /** The same where `authenticate` knows nobody: another coordinator may have opened the session just now. */
  lookUp: (header: HeaderOf) => Promise<Principal | undefined>;
  ready: () => Promise<Readiness>;
  /** Why the store does not answer at the moment; undefined while it does. */
  storeTrouble: () => string | undefined;
  /** As far as it concerns the holder of this token. */
  status: (principal: Principal) => Promise<unknown>;
  /** Called after every change that succeeded, before it is answered. */
  changed: (change: ApiChange) => Promise<void>;
  /** A bug of ours, which the answer does not tell. */
  failed: (error: unknown) => void;
  /** Pages for people at paths that are not of the API; undefined: there is none at this path. */
  page: (path: string, header: HeaderOf) => Response | undefined;
  clock: Clock;
}

/** What an app needs of the server that it answers for. */
export interface AppBindings {
  /** Ends the connection after what was written, so that the client sees that the answer is not complete. */
  cutOff: () => void;
}

type HeaderOf = (name: string) => string | undefined;
export type App = (request: Request, bindings: AppBindings) => Promise<Response>;
type AppContext = Context<{ Bindings: AppBindings }>;

const longestKey = 200;
/** Answers that are no streams. */
const short: ReadonlySet<Route['answer']['kind']> = new Set(['json', 'none', 'redirect']);

/**
 * What a coordinator answers on its port: `/health` (the process lives), `/ready` (it can be worked with), `/ready/acknowledges` (and
 * nothing that is reported has to wait), `/status` (all
 * it knows, for operators) and the routes of the table. Every request passes the same checks in the same order: origin,
 * token, scope, values.
 */
export function createApp<Table extends Record<string, Route>>(options: AppOptions<Table>): App {
  const app = new Hono<{ Bindings: AppBindings }>({ strict: true });
  const entrances = new Set(
    Object.values(options.routes).flatMap(({ path, fromElsewhere }) => (fromElsewhere ? path : [])),
  );
  app.use(async (context, next) => {
    const header = (name: string) => context.req.header(name);
    const isGet = context.req.method === 'GET';
    // A link on another site may lead to a page: it holds no data.
    const page = isGet || context.req.method === 'HEAD' ? options.page(context.req.path, header) : undefined;
    const isEntrance = isGet && entrances.has(context.req.path);
    if (page) context.res = page;
    else if (!isEntrance && isCrossOrigin(header)) context.res = refusal(crossOrigin());
    else await next();
    // A page of ours has a policy of its own, and files that a browser may keep.
    const own = page ? ['content-security-policy', 'cache-control'] : ['content-security-policy'];
    for (const [name, value] of Object.entries(securityHeaders))
      if (!own.includes(name) || !context.res.headers.has(name)) context.res.headers.set(name, value);
  });
  addFace(app, options);
  const streams = trackStreams(options.clock);
  for (const [name, route] of Object.entries(options.routes))
    app.on(route.method, honoPath(route.path), (context) =>
      answer({ name, route, context, options, streams }),
    );
  for (const [path, methods] of methodsByPath(Object.values(options.routes)))
    app.all(path, () => methodRefused(methods));
  app.notFound(() =>
    refusal(
      new WebfarerError('not-found', 'there is nothing at this path', {
        next: 'GET /v1/openapi.json lists every path.',
      }),
    ),
  );
  app.onError((error) => refused(error, options));
  return async (request, bindings) => await app.fetch(request, bindings);
}

/** What was there before the API, for workers, load balancers and `webfarer status`. */
function addFace<Table extends Record<string, Route>>(
  app: Hono<{ Bindings: AppBindings }>,
  options: AppOptions<Table>,
): void {
  app.get('/health', () => json(200, { ok: true }));
  app.get('/ready', async () => {
    const readiness = await options.ready();
    return json(readiness.ready ? 200 : 503, readiness);
  });
  app.get('/status', async (context) => {
    if (options.handlers() === undefined) return refusal(startingUp());
    const principal = options.authenticate((name) => context.req.header(name));
    // To those who ask for it, a token that does not suffice was always one that is not accepted.
    if (!principal || !scopeCovers(principal.scope, 'operator')) throw notAccepted();
    return json(200, await options.status(principal));
  });
  app.get('/ready/acknowledges', async () => {
    const readiness = await options.ready();
    return json(readiness.ready && readiness.acknowledges ? 200 : 503, readiness);
  });
  for (const path of ['/health', '/ready', '/ready/acknowledges', '/status'])
    app.all(path, () => methodRefused(['GET']));
}

interface Asked<Table extends Record<string, Route>> {
  name: string;
  route: Route;
  context: AppContext;
  options: AppOptions<Table>;
  streams: OpenStreams;
}

async function answer<Table extends Record<string, Route>>(asked: Asked<Table>): Promise<Response> {
  const { name, route, context, options, streams } = asked;
  try {
    const handlers = options.handlers();
    if (handlers === undefined) throw startingUp();
    const principal =
      route.scope === 'public' ? undefined : await admit(route, route.scope, { context, options });
    const request = context.req.raw;
    const token = principal?.id ?? '';
    if (!short.has(route.answer.kind)) streams.refuseMore(token);
    const withdrawn = new AbortController();
    refuseMalformedPath(request.url);
    const search = new URLSearchParams(request.url.split('?').slice(1).join('?'));
    const input = await readInput(route, request, { params: context.req.param(), search });
    const headers: [string, string][] = [];
    const call = {
      ...input,
      principal,
      idempotencyKey: idempotencyKeyOf(route, context),
      header: (wanted: string) => context.req.header(wanted),
      setHeader: (given: string, value: string) => void headers.push([given, value]),
      signal: AbortSignal.any([request.signal, withdrawn.signal]),
    } as Call<Route>;
    const handler = handlers[name] as unknown as (call: Call<Route>) => unknown;
    const asksStore = route.method === 'GET' && !route.withoutStore;
    const value = await (asksStore ? unlessStoreSilent(handler(call), options) : handler(call));
    if (route.method !== 'GET' && !route.changesNothing && principal !== undefined)
      await options.changed({ principal, action: name, what: context.req.path, answer: value });
    const isHead = request.method === 'HEAD';
    const response = responseOf(route, value, {
      cutOff: () => (isHead ? undefined : context.env.cutOff()),
      failed: options.failed,
      signal: request.signal,
      withdrawn: withdrawn.signal,
      enter: () =>
        streams.enter({
          token,
          isAccepted: () =>
            principal === undefined ||
            options.authenticate((wanted) => context.req.header(wanted)) !== undefined,
          withdraw: () => withdrawn.abort(),
        }),
    });
    for (const [given, value] of headers) response.headers.append(given, value);
    // Only the head is asked for: what would be streamed is let go.
    if (isHead) {
      withdrawn.abort();
      void response.body?.cancel();
    }
    return response;
  } catch (error) {
    const response = refused(error, options);
    return isForPerson(route, context.req.header('accept')) ? await asPage(response) : response;
  }
}

/** How long a question may wait for a store that is known not to answer, and how often that is looked at. */
const SILENT_MS = 1_000;

/** A question that waits for a store which does not answer is refused: calls to it may wait for half a minute. */
async function unlessStoreSilent(
  answer: unknown,
  { clock, storeTrouble }: Pick<AppOptions<never>, 'clock' | 'storeTrouble'>,
): Promise<unknown> {
  const answered = new AbortController();
  const silent = async (): Promise<never> => {
    for (;;) {
      await clock.sleep(SILENT_MS, answered.signal);
      const trouble = storeTrouble();
      if (trouble !== undefined)
        throw new WebfarerError('store-silent', trouble, {
          next: 'Repeat the request in a moment. GET /ready says when the store answers again.',
        });
    }
  };
  const refusal = silent();
  refusal.catch(() => undefined);
  try {
    return await Promise.race([answer, refusal]);
  } finally {
    answered.abort();
  }
}

/** The same refusal, as a person reads it. */
async function asPage(refused: Response): Promise<Response> {
  const { status } = refused;
  const headers = new Headers(refused.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', browserPagePolicy);
  return new Response(refusalPage((await refused.json()) as Problem), { status, headers });
}

function refused(thrown: unknown, { failed }: { failed: (error: unknown) => void }): Response {
  const error = asDiskTrouble(thrown);
  if (error instanceof InvalidRequest) return refusal(invalidRequest(), error.invalid);
  if (!(error instanceof WebfarerError) || error.code === 'internal') failed(error);
  return refusal(error);
}

/** The one place where a token or session is checked, and what it may do. */
async function admit<Table extends Record<string, Route>>(
  { method }: Route,
  needs: Exclude<Route['scope'], 'public'>,
  { context, options }: Pick<Asked<Table>, 'context' | 'options'>,
): Promise<Principal> {
  const header = (name: string) => context.req.header(name);
  const principal = options.authenticate(header) ?? (await options.lookUp(header));
  if (principal === undefined) throw notAccepted();
  if (principal.session !== undefined && method !== 'GET' && !isSameOrigin(header)) throw crossOrigin();
  if (scopeCovers(principal.scope, needs)) return principal;
  const what = principal.session === undefined ? 'token' : 'session';
  throw new WebfarerError(
    'forbidden',
    `the ${what} is a ${principal.scope} ${what}, and this needs ${needs}`,
    {
      next: `Use a token with the scope ${needs}.`,
    },
  );
}

/** Percent signs that encode nothing would otherwise stand for themselves, and two paths for one name. */
function refuseMalformedPath(url: string): void {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
  } catch {
    throw new InvalidRequest([{ in: 'path', at: '', message: 'malformed percent-encoding' }]);
  }
}

function idempotencyKeyOf(route: Route, context: AppContext): string | undefined {
  const key = context.req.header('idempotency-key');
  if (key === undefined) return undefined;
  const at = { in: 'header', at: 'Idempotency-Key' } as const;
  if (!route.idempotent) throw new InvalidRequest([{ ...at, message: 'this route takes no key' }]);
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= longestKey) return key;
  throw new InvalidRequest([{ ...at, message: `1 to ${longestKey} printable ASCII characters` }]);
}

function responseOf(route: Route, value: unknown, way: StreamWay): Response {
  const { answer: wanted } = route;
  switch (wanted.kind) {
    case 'json':
      return json(wanted.status, value);
    case 'none':
      return new Response(null, { status: 204 });
    case 'redirect':
      return new Response(null, { status: 302, headers: { location: value as string } });
    case 'ndjson':
      return streamed(linesOf(value as AsyncIterable<unknown>), way, { type: 'application/x-ndjson' });
    case 'text':
      return typeof value === 'string'
        ? new Response(value, { headers: { 'content-type': wanted.type } })
        : streamed(encoded(value as AsyncIterable<string>), way, { type: wanted.type });
    case 'bytes': {
      const { bytes, ...head } = value as RouteBytes;
      return streamed(bytes, way, { type: wanted.type, ...head });
    }
  }
}

function json(status: number, value: unknown, type = 'application/json'): Response {
  return new Response(jsonLine(value), { status, headers: { 'content-type': `${type}; charset=utf-8` } });
}

/** Also for requests that never reach the app. */
export function refusal(error: unknown, invalid: InvalidValue[] = []): Response {
  const problem = problemOf(error, invalid);
  const response = json(problem.status, problem, problemType);
  if (problem.status === 401) response.headers.set('www-authenticate', 'Bearer');
  if (problem.status === 503) response.headers.set('retry-after', '1');
  return response;
}

function methodRefused(methods: readonly string[]): Response {
  const response = refusal(
    new WebfarerError('method-refused', `this path answers ${methods.join(', ')} only`),
  );
  response.headers.set('allow', methods.join(', '));
  return response;
}

function methodsByPath(routes: Route[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, method } of routes)
    found.set(honoPath(path), [...(found.get(honoPath(path)) ?? []), method]);
  return found;
}

const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

const startingUp = () =>
  new WebfarerError('starting', 'the coordinator is starting up', { next: 'Retry in a few seconds.' });
const notAccepted = () =>
  new WebfarerError('link-refused', 'the request has no token or session that this coordinator accepts', {
    next: 'Send Authorization: Bearer and a token (the first one is in operator.token in the data folder), or log in at /v1/session/log-in.',
  });
const crossOrigin = () =>
  new WebfarerError('forbidden', 'a browser sent the request from another site, or did not say from which', {
    next: 'Call the API from its own origin, or from a program.',
  });
const invalidRequest = () =>
  new WebfarerError('usage', 'the request has values that the API does not accept', {
    next: 'Correct the values that `invalid` lists. GET /v1/openapi.json describes every one.',
  });
