import { scopeCovers } from '@webfarer/protocol/api';
import type { DocumentedRoute, QueryParameter } from './routes.ts';
import { pathOf, queries } from './routes.ts';
import type { WireRequest } from './send.ts';
import type { ApiWorld } from './world.ts';

export const attackKinds = [
  'no-token',
  'wrong-scope',
  'revoked',
  'other-team',
  'origin',
  'oversized',
  'prototype',
  'malformed',
  'method',
] as const;
export type AttackKind = (typeof attackKinds)[number];

/** A request that must be refused, and how. */
export interface Attack {
  kind: AttackKind;
  route: string;
  /** What is wrong with it, for people. */
  what: string;
  wire: WireRequest;
  expect: readonly number[];
}

/** Who attacks: a token of each scope, and those that are good no more. */
export interface Attackers {
  admin: string;
  /** Of the team red. */
  byScope: Record<'viewer' | 'operator' | 'worker' | 'metrics', string>;
  viewerOfBlue: string;
  /** Of admins: revoked, expired, replaced. */
  dead: string[];
}

export interface AttackPlan {
  world: ApiWorld;
  attackers: Attackers;
  bodies: Record<string, () => unknown>;
  /** Variants of each kind on each route; they take turns, so that all occur on some route. */
  variants: number;
}

const tooLong = 'x'.repeat(20_000);
const tooMuch = `{"x":"${'x'.repeat(1_048_577)}"}`;
const json = { 'content-type': 'application/json' };
const alone = { alone: true };
/** A provider that users log in with sends browsers here from another site, with whatever values. */
const entrances: ReadonlySet<string> = new Set(['finishLogIn']);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

type Variant = Omit<Attack, 'kind' | 'route'>;

/** Every attack on a route; `missing` where this world has no example of what it needs. */
export function attacksOn(
  route: DocumentedRoute,
  index: number,
  plan: AttackPlan,
): { attacks: Attack[]; missing: boolean } {
  const own = pathOf(route, plan.world, 'red');
  const body = plan.bodies[route.name];
  if (own === undefined || (route.takesBody && !body)) return { attacks: [], missing: true };
  const query = queries[route.name];
  const target: Target = {
    route,
    plan,
    path: query === undefined ? own : `${own}?${query}`,
    good: route.takesBody ? { body: JSON.stringify(body?.()), headers: json } : {},
  };
  const attacks = attackKinds.flatMap((kind) => {
    const all = makers[kind](target);
    const count = Math.min(all.length, plan.variants);
    const chosen = Array.from({ length: count }, (_, n) => all[(index * count + n) % all.length] as Variant);
    const isEntrance = entrances.has(route.name);
    if (isEntrance && kind === 'origin') return [];
    return chosen.map(({ expect, ...variant }) => ({
      kind,
      route: route.name,
      ...variant,
      expect: isEntrance ? [...expect, 404] : expect,
    }));
  });
  return { attacks, missing: false };
}

interface Target {
  route: DocumentedRoute;
  plan: AttackPlan;
  /** What the route would answer, with the right token. */
  path: string;
  good: { body?: string; headers?: Record<string, string> };
}

function asked(
  target: Target,
  headers: Record<string, string>,
  more: Partial<WireRequest> = {},
): WireRequest {
  const { route, path, good } = target;
  const { body } = good;
  return {
    method: route.method,
    path,
    ...(body === undefined ? {} : { body }),
    ...more,
    headers: { ...good.headers, ...headers, ...more.headers },
  };
}

const makers: Record<AttackKind, (target: Target) => Variant[]> = {
  'no-token': (target) => {
    const { admin } = target.plan.attackers;
    const basic = Buffer.from(`admin:${admin}`).toString('base64');
    const headers: [string, Record<string, string>][] = [
      ['none', {}],
      ['an empty one', { authorization: 'Bearer ' }],
      ['another scheme', { authorization: `Basic ${basic}` }],
      ['a wrong one', bearer('x'.repeat(43))],
      ['one character too many', bearer(`${admin}x`)],
      ['one character too few', bearer(admin.slice(0, -1))],
      ['two at once', bearer(`${admin} ${admin}`)],
      ['in a cookie', { cookie: `token=${admin}` }],
    ];
    const variants = headers.map(([what, given]) => variant(what, asked(target, given), 401));
    const path = `${target.path}${target.path.includes('?') ? '&' : '?'}`;
    for (const name of ['token', 'access_token', 'authorization'])
      variants.push(variant('in the query', asked(target, {}, { path: `${path}${name}=${admin}` }), 401));
    return target.route.scope === undefined ? [] : variants;
  },
  'wrong-scope': (target) => {
    const { scope } = target.route;
    const { byScope } = target.plan.attackers;
    return (['worker', 'metrics', 'viewer', 'operator'] as const)
      .filter((has) => scope !== undefined && !scopeCovers(has, scope))
      .map((has) => variant(`a ${has}`, asked(target, bearer(byScope[has])), 403));
  },
  revoked: (target) =>
    target.route.scope === undefined
      ? []
      : target.plan.attackers.dead.map((token) => variant('a dead token', asked(target, bearer(token)), 401)),
  'other-team': otherTeam,
  origin: (target) => {
    const { admin } = target.plan.attackers;
    const origins: Record<string, string>[] = [
      { origin: 'http://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: target.plan.world.url, 'sec-fetch-site': 'cross-site' },
      { origin: `${target.plan.world.url}.elsewhere.example` },
    ];
    return origins.map((headers) =>
      variant(JSON.stringify(headers), asked(target, { ...bearer(admin), ...headers }), 403),
    );
  },
  oversized: (target) => {
    const token = bearer(target.plan.attackers.admin);
    const joint = target.path.includes('?') ? '&' : '?';
    const variants = [
      variant('a long header', asked(target, { ...token, 'x-long': tooLong }, alone), 431),
      variant(
        'a long query',
        asked(target, token, { path: `${target.path}${joint}x=${tooLong}`, ...alone }),
        431,
      ),
    ];
    if (target.route.method === 'GET') return variants;
    const much = { body: tooMuch, headers: json, ...alone };
    return [
      variant('a long body', asked(target, token, much), 413),
      variant('a long body of unknown length', asked(target, token, { ...much, chunked: true }), 413),
      ...variants,
    ];
  },
  prototype: (target) => {
    const token = bearer(target.plan.attackers.admin);
    const names = ['__proto__', 'constructor', 'prototype'];
    const joint = target.path.includes('?') ? '&' : '?';
    const variants = names.flatMap((name) => [
      ...['', '[polluted]'].map((inner) =>
        variant(
          `${name} in the query`,
          asked(target, token, { path: `${target.path}${joint}${name}${inner}=1` }),
          400,
        ),
      ),
      ...target.route.params.map((param) =>
        variant(`${name} in the path`, asked(target, token, { path: changedPath(target, param, name) }), 400),
      ),
    ]);
    if (target.route.method === 'GET') return variants;
    const good = target.good.body ?? '{}';
    // Last, because of two fields of one name the last counts.
    const withField = (field: string) => good.replace(/\}\s*$/, `,${field}}`).replace(/^\{\s*,/, '{');
    const bodies = names.flatMap((name) => [
      withField(`"${name}":{"polluted":1}`),
      withField(`"tags":[{"a":{"${name}":{"polluted":1}}}]`),
    ]);
    return [
      ...bodies.map((body) => variant('in the body', asked(target, token, { body, headers: json }), 400)),
      ...variants,
    ];
  },
  malformed,
  method: (target) => {
    const { document } = target.plan.world;
    const known = Object.keys(document.paths[target.route.path] ?? {}).map((name) => name.toUpperCase());
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
    const token = bearer(target.plan.attackers.admin);
    return [
      ...others
        .filter((method) => !known.includes(method))
        .map((method) => variant(method, { method, path: target.path, headers: token }, 405)),
      variant('FOO', { method: 'FOO', path: target.path, headers: token }, 400),
    ];
  },
};

/** Where each of these belongs to a team, that of another is as if there were none, or is not to be changed. */
function otherTeam(target: Target): Variant[] {
  const { route, plan } = target;
  const { scope, params, method } = route;
  if (scope === undefined || !scopeCovers('operator', scope)) return [];
  const owned = params.find((name) => ['crawl', 'schedule', 'webhook', 'policy', 'team'].includes(name));
  const path = pathOf(route, plan.world, 'blue');
  if (owned === undefined || path === undefined) return [];
  // Everyone may read policies; an id of a schedule that is taken cannot be given to another.
  if (owned === 'policy' && method === 'GET') return [];
  const status = owned === 'policy' ? 403 : owned === 'schedule' && method === 'PUT' ? 409 : 404;
  const query = queries[route.name];
  const there = query === undefined ? path : `${path}?${query}`;
  return [variant(path, asked(target, bearer(plan.attackers.byScope.operator), { path: there }), status)];
}

function malformed(target: Target): Variant[] {
  const { route, plan, path } = target;
  const token = bearer(plan.attackers.admin);
  const joint = path.includes('?') ? '&' : '?';
  const queried = (text: string) => asked(target, token, { path: `${path}${joint}${text}` });
  const variants = [
    variant('an unknown parameter', queried('nosuch=1'), 400),
    ...route.query.flatMap((parameter) =>
      badValues(parameter).map((text) => variant(text, queried(text), 400)),
    ),
    ...route.params.flatMap((param) =>
      ['%00', '%FF', '%zz', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', '%0d%0aX-Injected:%201', 'x'.repeat(5_000)].map(
        (text) =>
          variant(
            `${param} ${text.slice(0, 40)}`,
            asked(target, token, { path: changedPath(target, param, text) }),
            400,
            404,
          ),
      ),
    ),
  ];
  if (route.method === 'GET') return variants;
  const sent = (body: string | Uint8Array, type: string | undefined = 'application/json'): WireRequest => ({
    method: route.method,
    path,
    body,
    headers: { ...token, ...(type === undefined ? {} : { 'content-type': type }) },
  });
  if (!route.takesBody) return [variant('a body', sent('{}'), 400), ...variants];
  const good = target.good.body ?? '{}';
  const bodies = [
    '{',
    '',
    'null',
    '[]',
    '"x"',
    '1',
    '['.repeat(100_000),
    good.replace('{', '{"nosuch":1,').replace(',}', '}'),
  ];
  const yaml = ['seeds: [', 'seeds: *nothing', '- a', 'x: &a [*a]', '{a: '.repeat(5_000)];
  return [
    ...bodies.map((body) => variant(body.slice(0, 40), sent(body), 400)),
    variant('bytes that are no text', sent(Uint8Array.of(0x7b, 0xff, 0xfe)), 400),
    variant('text/plain', sent(good, 'text/plain'), 415),
    variant('a form', sent(good, 'application/x-www-form-urlencoded'), 415),
    variant('no type', { ...sent(good), headers: token }, 415),
    ...(route.takesYaml
      ? yaml.map((body) => variant(body.slice(0, 40), sent(body, 'application/yaml'), 400))
      : []),
    ...variants,
  ];
}

function badValues({ name, schema }: QueryParameter): string[] {
  const { type, enum: values, maxLength } = schema;
  if (type === 'integer' || type === 'number')
    return [`${name}=x`, `${name}=`, `${name}=1e99`, `${name}=1&${name}=2`];
  if (type === 'boolean') return [`${name}=maybe`];
  if (values) return [`${name}=nosuch`];
  return maxLength !== undefined && maxLength < 10_000 ? [`${name}=${'x'.repeat(maxLength + 1)}`] : [];
}

function changedPath({ route, plan, path }: Target, param: string, value: string): string {
  const query = path.includes('?') ? `?${path.split('?')[1]}` : '';
  return `${pathOf(route, plan.world, 'red', { [param]: value }) ?? ''}${query}`;
}

function variant(what: string, wire: WireRequest, ...expect: number[]): Variant {
  return { what, wire, expect };
}
