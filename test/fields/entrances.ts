import { policySchema } from '@webfarer/protocol/job';
import { type Fragment, merged } from './bodies.ts';
import type { Answer, FieldsWorld, Role } from './world.ts';

/** A way by which a job, or a part of one, comes to the coordinator. */
export interface Entrance {
  name: string;
  /** Whether it takes such a fragment at all. */
  takes(fragment: Fragment): boolean;
  send(world: FieldsWorld, role: Role, fragment: Fragment): Promise<Answer>;
  /** It takes a whole job, so that what is right is done. A change may not fit the job that it is made to. */
  isWhole: boolean;
}

/** The crawls that edits and previews are about, of team A. */
export const targets = { own: 'target', ofAdmin: 'target-of-admin' } as const;

let count = 0;
const fresh = (what: string): string => `${what}-${++count}`;

let turn = 0;
const nextOf = (origins: readonly string[]): string => origins[turn++ % origins.length] ?? '';

/** A job that does next to nothing on the site, with the fragment over it; the hosts of the site take turns. */
export function jobWith(
  { site }: Pick<FieldsWorld, 'site'>,
  fragment: Fragment,
  name = fresh('try'),
): Fragment {
  const base = {
    seeds: [`${nextOf(site.origins)}/`],
    policy: 'lab',
    contact: 'https://lab.test/crawler',
    limits: { pages: 1 },
  };
  return { ...merged(base, fragment), name };
}

const scheduled = (job: Fragment, recrawl: boolean) => ({
  // Never due while anyone looks.
  schedule: { name: 'lab', when: { cron: '0 0 29 2 *' }, run: { job }, recrawl },
});

const everything = () => true;
const policyFields = new Set(Object.keys(policySchema.shape));

export const entrances: Entrance[] = [
  {
    name: 'create',
    takes: everything,
    isWhole: true,
    send: (world, role, fragment) => world.ask(role, 'POST', '/v1/crawls', { job: jobWith(world, fragment) }),
  },
  {
    name: 'edit',
    takes: everything,
    isWhole: false,
    send: (world, role, changes) => world.ask(role, 'PATCH', `/v1/crawls/${targets.own}`, { changes }),
  },
  {
    name: 'edit of an admin’s crawl',
    takes: everything,
    isWhole: false,
    send: (world, role, changes) => world.ask(role, 'PATCH', `/v1/crawls/${targets.ofAdmin}`, { changes }),
  },
  {
    name: 'preview',
    takes: everything,
    isWhole: false,
    send: (world, role, changes) =>
      world.ask(role, 'POST', `/v1/crawls/${targets.own}/scope-preview`, { changes }),
  },
  {
    name: 'dry run',
    takes: everything,
    isWhole: true,
    send: (world, role, fragment) =>
      world.ask(role, 'POST', '/v1/schedule-preview', scheduled(jobWith(world, fragment), false)),
  },
  {
    name: 'schedule',
    takes: everything,
    isWhole: true,
    send: (world, role, fragment) =>
      world.ask(role, 'PUT', `/v1/schedules/${fresh('plan')}`, scheduled(jobWith(world, fragment), false)),
  },
  {
    name: 'recrawl',
    takes: everything,
    isWhole: true,
    send: (world, role, fragment) =>
      world.ask(role, 'PUT', `/v1/schedules/${fresh('again')}`, scheduled(jobWith(world, fragment), true)),
  },
  {
    name: 'policy',
    takes: (fragment) => Object.keys(fragment).every((field) => policyFields.has(field)),
    isWhole: true,
    send: (world, role, policy) => world.ask(role, 'PUT', `/v1/policies/${fresh('rules')}`, { policy }),
  },
];
