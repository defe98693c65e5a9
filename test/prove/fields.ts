// ci: core
// watches: packages/coordinator/src/admission, packages/coordinator/src/api, packages/coordinator/src/schedule
// watches: packages/coordinator/src/host-rules, packages/coordinator/src/registry, packages/protocol/src/job
// misses: a field of a job, a policy or a host rule by which one team reaches files, keys, addresses or crawls that are not its own
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fieldPaths, resolveJob } from '@webfarer/protocol/job';
import { boundRegexps } from '@webfarer/protocol/node';
import { fieldRules } from '../../packages/coordinator/src/admission/field-rules.ts';
import { inTurn } from '../api/send.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { bodyOf, type Fragment } from '../fields/bodies.ts';
import { entrances, jobWith, targets } from '../fields/entrances.ts';
import { harmsOf } from '../fields/harms.ts';
import { faultIn, verdictOf } from '../fields/judge.ts';
import {
  addresses,
  allPages,
  closeFieldsWorld,
  type FieldsWorld,
  must,
  type NotingSite,
  openFieldsWorld,
  openSite,
  type Role,
  roles,
  untilOver,
} from '../fields/world.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { until, workFolder } from './lab.ts';

/**
 * Jobs that are allowed are created too, and each is a crawl: of the fields every so many-th. By the roles beside the
 * operator, and by entrances that are much like another, this share of the fields is tried, each at another entrance. The
 * full form took 20 minutes on a machine with ten times the work that it has processors.
 */
const plans = {
  quick: { created: 24, others: 8, endMs: 120_000 },
  full: { created: 1, others: 1, endMs: 600_000 },
};
const atOnce = 8;

/**
 * Every field of a job, with a valid body, by every entrance, as a viewer, as operators of two teams and as an admin, at a
 * coordinator with a worker. Then what must never be granted to an operator, written down apart from the product's own
 * table; policies and host rules across teams. Judged by the answers and by what happened: files outside of the data
 * folder, connections to a listener in the private network, headers that a site saw, and the crawl of the other team.
 * Controls: an admin may do all of it and it shows; a copy of the product in which operators may name the folder of a mirror
 * is found, and so is a field without a rule.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const plan = quick ? plans.quick : plans.full;
  boundRegexps();
  const work = workFolder('fields');
  const startedMs = performance.now();
  const tell = (what: string, broken: readonly string[]) => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.error(`  ${seconds} s: ${what}: ${broken.length} broken`);
    for (const line of broken.slice(0, 30)) console.error(`    ${line}`);
  };
  const neighbourSite = await openSite(addresses.neighbour);
  const world = await openFieldsWorld(join(work.path, 'world'), { others: [neighbourSite] });
  try {
    await furnish(world, neighbourSite);
    // Before an admin has changed the jobs that operators then try to change.
    const harms = await tryHarms(world, ['operator', 'other']);
    tell(`${harms.cases} cases of ${harms.kinds} harms`, harms.broken);
    const fields = await tryFields(world, plan);
    tell(`${fields.cases} cases of ${fields.paths} fields`, fields.broken);
    const between = await tryTeams(world, neighbourSite);
    tell(`${between.cases} cases between teams`, between.broken);
    const effects = await effectsIn(world, neighbourSite, plan.endMs);
    tell('effects', effects.broken);
    const shown = await showAsAdmin(world);
    tell('what an admin may do shows', shown.broken);
    const control = await runControl(work.path);
    const broken = [fields, harms, between, effects, shown].flatMap((part) => part.broken);
    return {
      ok: broken.length === 0 && control.mirrored > 0 && control.unruled.join() === 'planted',
      result: {
        fields: fields.paths,
        entrances: entrances.length,
        roles: roles.length,
        cases: fields.cases + harms.cases + between.cases,
        harms: harms.kinds,
        allowed: fields.allowed,
        refused: fields.refused,
        broken: broken.length,
        neighbourPages: effects.neighbourPages,
        foundInControl: control,
        sizes: plan,
      },
    };
  } finally {
    await closeFieldsWorld(world);
    neighbourSite.stop();
    work.remove();
  }
}

/** A crawl of each team that is over, one with settings of an admin, and one of the other team that runs all the while. */
async function furnish(world: FieldsWorld, neighbourSite: NotingSite): Promise<void> {
  await must(world, 'other', 'POST', '/v1/crawls', {
    job: jobWith(
      world,
      {
        seeds: [`${neighbourSite.origin}/`],
        politeness: { gap: '200ms' },
        limits: { pages: 'none' },
      },
      'neighbour',
    ),
  });
  await must(world, 'operator', 'POST', '/v1/crawls', { job: jobWith(world, {}, targets.own) });
  const typed = [{ pages: '/log-in', do: [{ type: { into: '#p', fromEnv: 'WEBFARER_TYPE_LAB' } }] }];
  const powers = { team: 'team-a', robots: { obey: false, ignoreFor: ['c.example'] } };
  await must(world, 'admin', 'POST', '/v1/crawls', { job: jobWith(world, powers, targets.ofAdmin) });
  await untilOver(world, targets.own);
  await untilOver(world, targets.ofAdmin);
  // Not before it is over: nobody has a browser here.
  const changes = { render: 'auto', steps: typed };
  await must(world, 'admin', 'PATCH', `/v1/crawls/${targets.ofAdmin}`, { changes });
}

interface Tried {
  cases: number;
  broken: string[];
}

async function tryFields(world: FieldsWorld, { created, others }: (typeof plans)['quick']) {
  const paths = fieldPaths();
  const broken = paths.filter((path) => !(path in fieldRules)).map((path) => `${path}: no rule`);
  const tries: { path: string; fragment: Fragment; role: Role; nth: number }[] = [];
  for (const [nth, path] of paths.entries()) {
    const fragment = bodyOf(path, world.lures);
    const trouble =
      fragment === undefined ? 'no example: add one to test/fields' : troubleIn(world, path, fragment);
    if (trouble !== undefined) broken.push(`${path}: ${trouble}`);
    if (fragment === undefined) continue;
    for (const role of roles) tries.push({ path, fragment, role, nth });
  }
  const counts = { allowed: 0, refused: 0 };
  let cases = 0;
  // An admin's edits come last: they would stand in the job that others then change.
  for (const role of roles) {
    for (const [place, entrance] of entrances.entries()) {
      const share = role === 'operator' && !rare.has(entrance.name) ? 1 : others;
      const chosen = tries.filter(
        (one) => one.role === role && (one.nth + place) % share === 0 && entrance.takes(one.fragment),
      );
      await inTurn(chosen, atOnce, async ({ path, fragment, nth }) => {
        const verdict = verdictOf(role, entrance, fragment);
        const isCreated = entrance.name === 'create' && verdict === 'allowed';
        // Admins' crawls with such settings would disturb the machine that proves this, and some never begin on it.
        if (isCreated && (role === 'admin' || nth % created > 0 || needsMore.test(path))) return;
        cases++;
        const answer = await entrance.send(world, role, fragment);
        counts[verdict === 'allowed' ? 'allowed' : 'refused']++;
        const fault = faultIn(verdict, answer, entrance);
        if (fault !== undefined)
          broken.push(`${path}: ${entrance.name} as ${role}: ${fault}: ${String(answer.body['detail'])}`);
      });
    }
  }
  return { paths: paths.length, cases, broken, ...counts };
}

/** They lead to the same judgement as a schedule that is stored. */
const rare = new Set(['dry run', 'recrawl']);
/** Fields for which a worker needs a browser, a key or a server. */
const needsMore = /^(?:render|screenshots|pdf|steps|identity|save\[\]\.redis)/;

/** The example must be a valid job: what is refused for its form says nothing. */
function troubleIn(world: FieldsWorld, path: string, fragment: Fragment): string | undefined {
  if (path === 'steps[].recording') return undefined;
  try {
    resolveJob(jobWith(world, fragment));
    return undefined;
  } catch (error) {
    return `its example is not valid: ${(error as Error).message}`;
  }
}

async function tryHarms(
  world: FieldsWorld,
  by: readonly Role[],
  which = '',
): Promise<Tried & { kinds: number }> {
  const broken: string[] = [];
  let cases = 0;
  const { length: kinds } = harmsOf(world.lures, 'x');
  for (const role of by) {
    for (const entrance of entrances) {
      const harms = harmsOf(world.lures, `${role}-${entrance.name.replaceAll(/\W/g, '-')}`);
      await inTurn(
        harms.filter(({ what, job }) => what.includes(which) && entrance.takes(job)),
        atOnce,
        async ({ what, job }) => {
          cases++;
          const { status, body } = await entrance.send(world, role, job);
          const isWhole = entrance.isWhole ? [400, 403].includes(status) : status >= 400 && status < 500;
          if (!isWhole)
            broken.push(
              `${what}: ${entrance.name} as ${role}: answered ${status} ${JSON.stringify(body['detail'])}`,
            );
        },
      );
    }
  }
  return { kinds, cases, broken };
}

/** What an admin lends team A for one place, and what the team makes of it elsewhere. */
const lent = {
  policy: {
    politeness: { hosts: [{ match: 'own.example', gap: 0 }] },
    fetch: { proxy: [{ match: '**/own/**', use: 'http://10.99.0.1:81' }] },
  },
  elsewhere: [
    { politeness: { hosts: [{ match: 'b.example', gap: 0 }] } },
    { fetch: { proxy: [{ use: 'http://10.99.0.1:81' }] } },
  ],
};

const canary = 'of-team-b-alone';
const optOut = { reason: 'no', contact: 'owner@lab.test', date: '2026-11-18' };

/** Policies, host rules and documents of one team, in the hands of another. */
async function tryTeams(world: FieldsWorld, neighbourSite: NotingSite): Promise<Tried> {
  const broken: string[] = [];
  let cases = 0;
  async function refused(
    what: string,
    status: number,
    ...asked: Parameters<FieldsWorld['ask']>
  ): Promise<void> {
    cases++;
    const answer = await world.ask(...asked);
    if (answer.status !== status) broken.push(`${what}: answered ${answer.status}, not ${status}`);
  }
  const keys = { fetch: { headers: { 'x-canary': canary } } };
  await must(world, 'other', 'PUT', '/v1/policies/keys-of-b', { policy: keys });
  await must(world, 'other', 'PUT', '/v1/policies/gone-of-b', { policy: keys });
  await must(world, 'other', 'DELETE', '/v1/policies/gone-of-b');
  // As if its fields were in the job already: nothing is put into it, and no site sees the header.
  const held = { policy: { name: 'keys-of-b', version: 1 } };
  await world.ask('operator', 'POST', '/v1/crawls', { job: jobWith(world, held) });
  for (const policy of ['keys-of-b', 'keys-of-b@1', 'gone-of-b@1'])
    for (const entrance of entrances.filter(({ isWhole, name }) => isWhole && name !== 'policy')) {
      cases++;
      const { status } = await entrance.send(world, 'operator', { policy });
      if (status !== 403 && status !== 404)
        broken.push(`team A names ${JSON.stringify(policy)} of B: ${entrance.name} answered ${status}`);
    }
  for (const name of ['keys-of-b', 'gone-of-b', 'lab']) {
    await refused(`team A writes the policy ${name}`, 403, 'operator', 'PUT', `/v1/policies/${name}`, {
      policy: {},
    });
    await refused(`team A deletes the policy ${name}`, 403, 'operator', 'DELETE', `/v1/policies/${name}`);
  }
  await must(world, 'admin', 'PUT', '/v1/policies/lent', { policy: lent.policy, users: ['team-a'] });
  for (const entrance of entrances.filter(({ isWhole, name }) => isWhole && name !== 'policy'))
    for (const [n, more] of [{}, ...lent.elsewhere].entries()) {
      cases++;
      const { status } = await entrance.send(world, 'operator', { policy: 'lent', ...more });
      if ((n === 0) !== status < 300 || (n > 0 && status !== 403))
        broken.push(`what was lent, with ${JSON.stringify(more)}: ${entrance.name} answered ${status}`);
    }
  const { hostname } = new URL(neighbourSite.origin);
  await must(world, 'admin', 'PUT', '/v1/host-rules/complained.example', { block: true });
  for (const [method, path, body] of [
    ['PUT', '/v1/host-rules/*', { block: true }],
    ['PUT', '/v1/opt-outs/*', optOut],
    ['PUT', `/v1/host-rules/${hostname}?team=*`, { block: true }],
    ['PUT', `/v1/host-rules/${hostname}?team=team-b`, { block: true }],
    ['PUT', `/v1/opt-outs/${hostname}?team=team-b`, optOut],
    ['PUT', `/v1/host-rules/${hostname}`, { gapMs: 86_400_000 }],
    ['DELETE', '/v1/host-rules/complained.example', undefined],
    ['DELETE', '/v1/host-rules/complained.example?team=*', undefined],
  ] as const)
    await refused(`${method} ${path} as an operator`, 403, 'operator', method, path, body);
  await refused('team A stops the crawl of B', 404, 'operator', 'POST', '/v1/crawls/neighbour/stop');
  await refused('team A deletes the crawl of B', 404, 'operator', 'DELETE', '/v1/crawls/neighbour');
  // For its own crawls a team decides; the neighbour is on the same host, and goes on.
  await must(world, 'operator', 'PUT', `/v1/host-rules/${hostname}`, { block: true });
  await must(world, 'operator', 'PUT', `/v1/opt-outs/${hostname}`, optOut);
  await must(world, 'operator', 'POST', '/v1/crawls', {
    job: jobWith(world, { seeds: [`${neighbourSite.origin}/`] }, 'ruled'),
  });
  const ruled = await untilOver(world, 'ruled');
  const { endedBy, balance } = ruled['progress'] as { endedBy?: string; balance: { refused: number } };
  cases += 2;
  if (balance.refused === 0) broken.push('the rules of team A do not hold in its own crawl');
  if (!endedBy) broken.push('a crawl whose only host was ruled away is simply finished');
  return { cases, broken };
}

/** What others saw, by the end of all of it. */
async function effectsIn(world: FieldsWorld, neighbourSite: NotingSite, endMs: number) {
  const broken: string[] = [];
  const { progress } = await untilOver(world, 'neighbour');
  const { balance } = progress as { balance: { done: number; refused: number; failed: number } };
  if (balance.done !== allPages || balance.refused + balance.failed > 0)
    broken.push(`the crawl of team B is not whole: ${JSON.stringify(balance)}`);
  // Crawls that were allowed may still be at work.
  await until('all crawls to end', async () => (await running(world)).length === 0, endMs);
  if (world.reached() > 0) broken.push(`${world.reached()} connections to the private network`);
  broken.push(...world.written().map((file) => `outside of the data folder: ${file}`));
  const sites = [...world.site.asked, ...neighbourSite.asked];
  if (sites.some(({ headers }) => headers['x-canary'] !== undefined))
    broken.push('a site saw the header of team B');
  if (sites.some(({ path }) => path.includes('secret-file'))) broken.push('a file of the machine was read');
  return { broken, neighbourPages: balance.done };
}

async function running(world: FieldsWorld): Promise<unknown[]> {
  const { items } = await must(world, 'admin', 'GET', '/v1/crawls?state=running&limit=1000');
  return items as unknown[];
}

/** The traps work: what an admin may do, and team B with its own header, is seen by the same eyes. */
async function showAsAdmin(world: FieldsWorld): Promise<Tried> {
  const broken: string[] = [];
  const before = { reached: world.reached(), written: world.written().length };
  const { lures } = world;
  mkdirSync(join(lures.folder, 'admin'), { recursive: true });
  const jobs: [Role, Fragment, string][] = [
    ['admin', { save: [{ warc: { at: `file://${lures.folder}/admin` } }] }, 'as-admin-file'],
    ['admin', { seeds: [{ file: lures.file }], limits: { pages: 2 } }, 'as-admin-seeds'],
    ['other', { fetch: { headers: { 'x-shown': 'yes' } } }, 'as-team-b'],
  ];
  for (const [role, fragment, name] of jobs) {
    const { status, body } = await world.ask(role, 'POST', '/v1/crawls', {
      job: jobWith(world, fragment, name),
    });
    if (status !== 201) broken.push(`${name}: answered ${status} ${String(body['detail'])}`);
  }
  const reaching = { seeds: [`http://${lures.listener}/`], fetch: { allowPrivate: [lures.listener] } };
  await world.ask('admin', 'POST', '/v1/crawls', { job: jobWith(world, reaching, 'as-admin-private') });
  await untilOver(world, 'as-admin-file');
  await untilOver(world, 'as-admin-seeds');
  await untilOver(world, 'as-team-b');
  await until('the listener to be reached', async () => world.reached() > before.reached, 60_000).catch(() =>
    broken.push('the listener notices nothing'),
  );
  if (world.written().length <= before.written + 1) broken.push('the folder outside notices nothing');
  if (!world.site.asked.some(({ path }) => path.includes('secret-file')))
    broken.push('the site notices nothing of a file of seeds');
  if (!world.site.asked.some(({ headers }) => headers['x-shown'] === 'yes'))
    broken.push('the site notices no header');
  return { cases: jobs.length + 1, broken };
}

/** Each harm is certain: operators may name a folder, and a field has no rule. */
const planted: Change[] = [
  {
    file: 'packages/coordinator/src/admission/field-rules.ts',
    from: 'save[].warc.s3.allowPrivate mirror.folder`,\n  ),',
    to: "save[].warc.s3.allowPrivate`,\n  ),\n  'mirror.folder': 'operator',",
  },
  {
    file: 'packages/protocol/src/job/schema.ts',
    from: "  $schema: z.string().optional().describe('For editors; not used'),\n",
    to: "  $schema: z.string().optional().describe('For editors; not used'),\n  planted: z.string().optional().describe('Has no rule'),\n",
  },
];

async function runControl(under: string): Promise<{ mirrored: number; unruled: string[] }> {
  const copy = join(under, 'copy');
  const command = copyWith(planted, copy);
  const at = (path: string) => pathToFileURL(join(copy, 'packages', path)).href;
  const { fieldPaths: paths } = (await import(at('protocol/src/job/fields.ts'))) as {
    fieldPaths: typeof fieldPaths;
  };
  const { fieldRules: rules } = (await import(at('coordinator/src/admission/field-rules.ts'))) as {
    fieldRules: typeof fieldRules;
  };
  const world = await openFieldsWorld(join(under, 'copied-world'), { command });
  try {
    const { broken } = await tryHarms(world, ['operator'], 'writes a copy anywhere');
    return { mirrored: broken.length, unruled: paths().filter((path) => !(path in rules)) };
  } finally {
    await closeFieldsWorld(world);
  }
}
