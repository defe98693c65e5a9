// ci: core
// watches: packages/coordinator/src/api, packages/coordinator/src/stream, packages/coordinator/src/tokens
// watches: packages/coordinator/src/teams, packages/coordinator/src/log-in, packages/coordinator/src/registry
// watches: packages/coordinator/src/owners, packages/coordinator/src/host-rules, packages/coordinator/src/live-login
// watches: packages/coordinator/src/admission, packages/coordinator/src/link
// watches: packages/protocol/src/api
// misses: a route without its check of scope or team, tokens in logs, and floods that stop honest clients
import { join } from 'node:path';
import { type Attack, type AttackKind, attackKinds, attacksOn, type Attackers } from '../api/attacks.ts';
import { flood } from '../api/floods.ts';
import { attackLink } from '../api/link-attacks.ts';
import { changedKeys, faultOf, storeContents } from '../api/judge.ts';
import { absent, bodiesFor, type DocumentedRoute, pathOf, queries, routesIn } from '../api/routes.ts';
import { readSecrets } from '../api/secret-readers.ts';
import { inTurn, openSender } from '../api/send.ts';
import { attackStream } from '../api/stream-attacks.ts';
import { attackTeams } from '../api/team-attacks.ts';
import { type ApiWorld, openWorld, standingCoordinator, urlOf } from '../api/world.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Canary, canariesIn, searchFolder, watchWords } from '../secrets/canaries.ts';
import { until, workFolder } from './lab.ts';

const plans = { quick: { variants: 2, flood: 1 }, full: { variants: 100, flood: 3 } };
const atOnce = 16;

/**
 * A coordinator on a real store with the crawls, schedules, webhooks and policies of two teams. Every route of the document
 * that it serves and every topic of the stream is asked for without a token, with too small a scope, with dead tokens, by
 * another team and another site, with too much, with reserved names and with nonsense: each is refused as documented, and
 * the store is the same as before. Nobody takes the name of a worker. Then come floods and clients that neither read nor write, beside one that is honest.
 * At the end the tokens are looked for in everything that was written and printed. Controls: what is right is accepted,
 * and in a changed copy of the product a route without its scope check and one without its team check are found.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const plan = quick ? plans.quick : plans.full;
  const work = workFolder('api-security');
  const tell = (what: string, wrong: readonly string[]) => {
    console.error(`  ${what}: ${wrong.length} wrong`);
    for (const line of wrong.slice(0, 20)) console.error(`    ${line}`);
  };
  const world = await openWorld(work.path);
  try {
    const words = watchWords(world.coordinator.pid as number, canariesOf(world));
    const attackers = await openAttackers(world);
    const routes = routesIn(world.document);
    const resultsToken = await tokenOf(world, 'red');
    const bodies = bodiesFor(world, resultsToken);
    const attacks: Attack[] = [];
    const missing: string[] = [];
    for (const [n, route] of routes.entries()) {
      const found = attacksOn(route, n, { world, attackers, bodies, variants: plan.variants });
      attacks.push(...found.attacks);
      if (found.missing) missing.push(route.name);
    }
    await settle(world, attackers);
    const refused = await attack(world, world.url, attacks);
    tell(`${attacks.length} requests`, [...refused.wrong, ...refused.changedBy]);
    const before = await storeContents(world.redis);
    const stream = await attackStream(world, attackers);
    tell(`${stream.cases} subscriptions`, stream.wrong);
    const between = await attackTeams(world, attackers);
    tell(`${between.cases} requests between teams`, between.wrong);
    const readers = await readSecrets(world, attackers, routes);
    tell(`${readers.cases} readers of secrets`, readers.wrong);
    const changedBy = [
      ...refused.changedBy,
      ...changedKeys(before, await storeContents(world.redis)).map((key) => `stream and teams: ${key}`),
    ];
    tell('keys', changedBy);
    const link = await attackLink(world, attackers);
    tell(`${link.cases} connections of workers`, link.wrong);
    const floods = await flood(world, attackers, plan.flood);
    tell('floods', floods.wrong);
    const control = await runControl({ world, work: work.path, attacks });
    const accepted = await acceptOwn(world, { routes, bodies });
    tell(`${accepted.count} accepted`, accepted.wrong);
    const wrong = [
      ...refused.wrong,
      ...stream.wrong,
      ...between.wrong,
      ...readers.wrong,
      ...link.wrong,
      ...floods.wrong,
      ...accepted.wrong,
    ];
    const looks = words.looks();
    const leaked = [...words.stop(), ...(await leaksIn(world, work.path))];
    tell('tokens', leaked);
    for (const name of missing) console.error(`  ${name} has no example here: add one to test/api`);
    const byKind = Object.fromEntries(
      attackKinds.map((kind) => [kind, attacks.filter((one) => one.kind === kind).length]),
    ) as Record<AttackKind, number>;
    return {
      ok:
        wrong.length + missing.length + changedBy.length + leaked.length === 0 &&
        attackKinds.every((kind) => byKind[kind] > 0) &&
        looks > 0 &&
        readers.seenByOwner > 0 &&
        control.scope > 0 &&
        control.team > 0 &&
        control.others === 0,
      result: {
        routes: routes.length,
        topics: stream.topics,
        cases: attacks.length + stream.cases + between.cases + readers.cases + link.cases,
        wrong: wrong.length,
        withoutExample: missing,
        changed: changedBy.length,
        byKind: {
          ...byKind,
          stream: stream.cases,
          'between-teams': between.cases,
          'secrets-read': readers.cases,
          link: link.cases,
        },
        accepted: accepted.count,
        floods: floods.figures,
        tokens: world.tokens.length,
        tokenBytesFound: leaked.length,
        foundInControl: control,
        sizes: plan,
      },
    };
  } finally {
    await world.stop();
    work.remove();
  }
}

async function openAttackers(world: ApiWorld): Promise<Attackers> {
  const { newToken, ask, admin } = world;
  const make = async (scope: string, team: string) => (await newToken(scope, team)).token;
  const revoked = await newToken('admin');
  await ask('POST', `/v1/tokens/${revoked.id}/revoke`);
  const expired = await newToken('admin', 'default', { expiresInMs: 1_000 });
  const replaced = await newToken('admin');
  const { token } = (await ask('POST', `/v1/tokens/${replaced.id}/rotate`, { overlapMs: 0 })) as {
    token: string;
  };
  world.tokens.push(token);
  const byScope = {
    viewer: await make('viewer', 'red'),
    operator: await make('operator', 'red'),
    metrics: await make('metrics', 'red'),
    worker: await make('worker', 'default'),
  };
  const isDead = async () =>
    (await fetch(`${world.url}/v1/whoami`, { headers: { authorization: `Bearer ${expired.token}` } }))
      .status === 401;
  await until('the token to expire', isDead, 30_000);
  const viewerOfBlue = await make('viewer', 'blue');
  return { admin, byScope, viewerOfBlue, dead: [revoked.token, expired.token, replaced.token] };
}

/** Every token has been used once, so that the note of its first use is not taken for a change. */
async function settle(world: ApiWorld, { byScope, viewerOfBlue }: Attackers): Promise<void> {
  for (const token of [...Object.values(byScope), viewerOfBlue, world.admin])
    await fetch(`${world.url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  let last = await storeContents(world.redis);
  await until(
    'the store to rest',
    async () => {
      const now = await storeContents(world.redis);
      const isSame = changedKeys(last, now).length === 0;
      last = now;
      return isSame;
    },
    60_000,
  );
}

/** Sends them kind by kind, and looks at the store behind each. */
async function attack(world: Pick<ApiWorld, 'redis'>, url: string, attacks: readonly Attack[]) {
  const wrong: string[] = [];
  const changedBy: string[] = [];
  const found: Attack[] = [];
  const sender = openSender(url);
  for (const kind of attackKinds) {
    const before = await storeContents(world.redis);
    await inTurn(
      attacks.filter((one) => one.kind === kind),
      atOnce,
      async (one) => {
        const fault = faultOf(one, await sender.send(one.wire));
        if (fault === undefined) return;
        found.push(one);
        wrong.push(`${one.route}: ${kind}: ${one.what}: ${fault}`);
      },
    );
    const changed = changedKeys(before, await storeContents(world.redis));
    changedBy.push(...changed.map((key) => `${kind}: ${key}`));
  }
  sender.close();
  return { wrong, changedBy, found };
}

/** What is right is accepted: without that, refusing everything would do. Deletions come last. */
async function acceptOwn(
  world: ApiWorld,
  { routes, bodies }: { routes: DocumentedRoute[]; bodies: Record<string, () => unknown> },
): Promise<{ count: number; wrong: string[] }> {
  const order = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
  const wrong: string[] = [];
  let count = 0;
  const sender = openSender(world.url);
  const inOrder = routes
    .filter(({ name }) => name !== 'followEvents')
    .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method) || b.path.length - a.path.length);
  for (const route of inOrder) {
    const path = pathOf(route, world, 'red');
    const body = bodies[route.name];
    if (path === undefined || (route.takesBody && !body)) continue;
    const query = queries[route.name];
    const { status, text } = await sender.send({
      method: route.method,
      path: query === undefined ? path : `${path}?${query}`,
      headers: {
        authorization: `Bearer ${world.admin}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body()) } : {}),
    });
    const made = /"token":"(wf_[^"]+)"/.exec(text)?.[1];
    if (made !== undefined) world.tokens.push(made);
    // A crawl that is over has no hosts, a message that was not given up is not sent again.
    if ((status >= 200 && status < 300) || status === (absent.has(route.name) ? 404 : 409)) count++;
    else wrong.push(`${route.name}: what is right was answered ${status}: ${text.slice(0, 600)}`);
  }
  sender.close();
  return { count, wrong };
}

async function tokenOf(world: ApiWorld, team: 'red' | 'blue'): Promise<string> {
  const text = String(await world.ask('GET', `/v1/crawls/${world.of[team].crawl}/results?limit=1`));
  return (JSON.parse(text.trim().split('\n').at(-1) ?? '') as { token: string }).token;
}

function canariesOf(world: ApiWorld): Canary[] {
  return world.tokens.map((value, n) => ({ name: `token ${n}`, value, forms: [value] }));
}

/** Everything that the coordinator, its worker and the store have written or printed. */
async function leaksIn(world: ApiWorld, under: string): Promise<string[]> {
  const canaries = canariesOf(world);
  await world.coordinator.stop();
  return [
    ...canariesIn(world.coordinator.output(), canaries).map((name) => `${name} in what was printed`),
    ...searchFolder(under, canaries),
  ];
}

/** Each harm is certain: on one route nobody asks for the scope, on another nobody for the team. */
const harms: Change[] = [
  {
    file: 'packages/coordinator/src/api/http/app.ts',
    from: 'if (scopeCovers(principal.scope, needs)) return principal;',
    to: "if (scopeCovers(principal.scope, needs) || context.req.path === '/v1/audit') return principal;",
  },
  {
    file: 'packages/coordinator/src/api/call/crawl-teams.ts',
    from: 'if (entry && !maySee(call.principal, entry)) throw noSuchCrawl(crawl);',
    to: "if (entry && !maySee(call.principal, entry) && name !== 'listConsumers') throw noSuchCrawl(crawl);",
  },
];

interface Control {
  world: ApiWorld;
  work: string;
  attacks: readonly Attack[];
}

async function runControl({ world, work, attacks }: Control) {
  const command = copyWith(harms, join(work, 'harmed'));
  const coordinator = standingCoordinator(join(work, 'harmed-data'), world.redis.url, command);
  try {
    await coordinator.start();
    const chosen = attacks.filter(({ kind }) => kind === 'wrong-scope' || kind === 'other-team');
    const { found } = await attack(world, urlOf(coordinator), chosen);
    const scope = found.filter(({ kind, route }) => kind === 'wrong-scope' && route === 'listAudit').length;
    const team = found.filter(({ kind, route }) => kind === 'other-team' && route === 'listConsumers').length;
    return { scope, team, others: found.length - scope - team };
  } finally {
    await coordinator.kill();
  }
}
