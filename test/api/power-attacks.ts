import { isDeepStrictEqual } from 'node:util';
import { policySchema } from '@webfarer/protocol/job';
import { harmsOf } from '../fields/harms.ts';
import { type ApiWorld, ruledBy, storageOf } from './world.ts';

/** A request with a valid body that gives its sender a power that operators do not have. */
export interface PowerCase {
  what: string;
  method: string;
  path: string;
  body: object;
}

const lures = {
  site: 'http://a.test',
  file: '/etc/hostname',
  folder: '/var/tmp/lab',
  listener: '10.99.0.1:81',
};
const policyFields = new Set(Object.keys(policySchema.shape));

/**
 * Everything that an operator must not be given, at every entrance by which a job or a part of one comes to a coordinator;
 * what only another team may name there, its policy and its object storage; then what one team decides about hosts and
 * policies of another.
 */
export function powerCases({ of: { red, blue } }: Pick<ApiWorld, 'of'>): PowerCase[] {
  const foreign = [
    ...[blue.policy, `${blue.policy}@1`].map((policy) => ({
      what: `names the policy ${policy}`,
      job: { policy },
    })),
    {
      what: 'saves to the storage of another team',
      job: { save: [{ warc: { storage: storageOf('blue') } }] },
    },
    { what: 'saves to a storage that there is not', job: { save: [{ warc: { storage: 'unknown' } }] } },
  ];
  return [
    ...jobCases(harmsOf(lures, 'tried'), red.crawl),
    ...jobCases(foreign, red.crawl),
    ...ruleCases(blue.policy),
  ];
}

function jobCases(powers: readonly { what: string; job: object }[], crawl: string): PowerCase[] {
  const scheduled = (job: object, recrawl: boolean) => ({
    schedule: { name: 'x', when: { cron: '0 0 29 2 *' }, run: { job }, recrawl },
  });
  return powers.flatMap(({ what, job: power }, n) => {
    const job = { name: `power-${n}`, seeds: [`${lures.site}/`], contact: 'https://lab.test/', ...power };
    const isPolicy = Object.keys(power).every((field) => policyFields.has(field));
    const entrances: [string, string, string, object][] = [
      ['create', 'POST', '/v1/crawls', { job }],
      ['dry run', 'POST', '/v1/schedule-preview', scheduled(job, false)],
      ['schedule', 'PUT', `/v1/schedules/power-${n}`, scheduled(job, false)],
      ['recrawl', 'PUT', `/v1/schedules/again-${n}`, scheduled(job, true)],
    ];
    // The crawl that is edited has this from an admin: nothing would change.
    if (!isDeepStrictEqual(power, { politeness: { slowFactor: 0 } }))
      entrances.push(
        ['edit', 'PATCH', `/v1/crawls/${crawl}`, { changes: power }],
        ['preview', 'POST', `/v1/crawls/${crawl}/scope-preview`, { changes: power }],
      );
    if (isPolicy) entrances.push(['policy', 'PUT', `/v1/policies/power-${n}`, { policy: power }]);
    return entrances.map(([by, method, path, body]) => ({ what: `${what}, by ${by}`, method, path, body }));
  });
}

function ruleCases(foreign: string): PowerCase[] {
  const one = (what: string, method: string, path: string, body: object): PowerCase => ({
    what,
    method,
    path,
    body,
  });
  const optOut = { reason: 'x', contact: 'owner@lab.test', date: '2026-11-16' };
  const ofBlue = `${ruledBy('blue')}?team=blue`;
  return [
    one('opts all hosts out', 'PUT', '/v1/opt-outs/*', optOut),
    one('rules all hosts', 'PUT', '/v1/host-rules/*', { gapMs: 60_000 }),
    one('rules a host for all teams', 'PUT', '/v1/host-rules/a.test?team=*', { block: true }),
    one('opts a host out for all teams', 'PUT', '/v1/opt-outs/a.test?team=*', optOut),
    one('rules a host for another team', 'PUT', `/v1/host-rules/${ofBlue}`, { block: false }),
    one('opts a host out for another team', 'PUT', `/v1/opt-outs/${ofBlue}`, optOut),
    one('writes the policy of another team', 'PUT', `/v1/policies/${foreign}`, { policy: {} }),
  ];
}
