import { resolveJob } from '@webfarer/protocol/job';
import { boundRegexps } from '@webfarer/protocol/node';
import { beforeAll, expect, it } from 'vitest';
import { powersOf, refuseJobPowers, refuseNewPowers } from './job-powers.ts';

const job = (more: Record<string, unknown>) =>
  resolveJob({ name: 'x', seeds: ['https://a.example'], contact: 'me@a.example', ...more });
const unbounded = 'a regular expression with look-around, a back-reference or a count above 16';
beforeAll(boundRegexps);
const by = (scope: 'operator' | 'admin') => ({ id: 't', scope, team: '' });

it('finds every setting that reaches beyond the public web', () => {
  expect(powersOf(job({}))).toEqual([]);
  expect(powersOf(job({ scope: { include: [{ regex: '^https?://{seeds}/(a|b)+' }] } }))).toEqual([]);
  expect(powersOf(job({ fetch: { proxy: [{ use: 'direct' }] } }))).toEqual([]);
  for (const [power, more] of [
    ['seeds: { file }', { seeds: [{ file: '/etc/passwd' }] }],
    ['fetch.allowPrivate', { fetch: { allowPrivate: ['127.0.0.0/8'] } }],
    ['fetch.proxy', { fetch: { proxy: [{ use: 'http://proxy.example:3128' }] } }],
    ['fetch.dns', { fetch: { dns: ['10.0.0.1:53'] } }],
    ['fetch.ports', { fetch: { ports: [25] } }],
    ['fetch.cookies: a file', { fetch: { cookies: 'cookies.txt' } }],
    ['fetch.ca', { fetch: { ca: 'ca.pem' } }],
    ['identity.key', { identity: { directory: 'https://me.test', key: 'identity.key' } }],
    ['scraper: a module', { scraper: './mine.ts' }],
    ['save: a module', { save: ['./mine.ts'] }],
    [unbounded, { scope: { include: [{ regex: '^(?!x)' }] } }],
    [unbounded, { scope: { exclude: [{ regex: '(.*,){20}P' }] } }],
    [unbounded, { urlRules: [{ unless: { regex: '(a)\\1' }, cost: 1 }] }],
    [unbounded, { labels: { x: ['/p/*', { regex: '^(?!x)' }] } }],
    [unbounded, { scraper: { links: { follow: [{ regex: '(a)\\1', flags: 'i' }] } } }],
    [unbounded, { extract: [{ fields: { x: { regex: '(a)\\1' } } }] }],
    [unbounded, { extract: [{ pages: { regex: '(?=a)b' }, fields: { x: 'h1' } }] }],
    [unbounded, { scraper: { ids: { find: '(?=a)b', template: 'https://a.example/{id}' } } }],
  ] as const)
    expect(powersOf(job(more)), power).toEqual([power]);
});

it('leaves them to admins, and the store to the coordinator', () => {
  const powerful = job({ fetch: { allowPrivate: ['127.0.0.0/8'] } });
  expect(() => refuseJobPowers(powerful, by('operator'))).toThrow('fetch.allowPrivate');
  expect(() => refuseJobPowers(powerful, by('admin'))).not.toThrow();
  expect(() => refuseJobPowers(job({ store: 'redis://127.0.0.1:6379' }), by('admin'))).toThrow('store');
});

it('lets an operator edit the job of an admin, but not what only an admin may set', () => {
  const before = job({ fetch: { allowPrivate: ['127.0.0.0/8'] } });
  const slower = job({ fetch: { allowPrivate: ['127.0.0.0/8'] }, politeness: { gap: '9s' } });
  const wider = job({ fetch: { allowPrivate: ['127.0.0.0/8', '10.0.0.0/8'] } });
  expect(() => refuseNewPowers({ before, after: slower }, by('operator'))).not.toThrow();
  expect(() => refuseNewPowers({ before, after: wider }, by('operator'))).toThrow('fetch.allowPrivate');
  expect(() => refuseNewPowers({ before, after: wider }, by('admin'))).not.toThrow();
  const asAda = job({ login: [{ site: 'a.example', as: 'ada', check: 'status' }] });
  expect(() => refuseNewPowers({ before: job({}), after: asAda }, by('operator'))).toThrow('login');
  expect(() => refuseNewPowers({ before: asAda, after: asAda }, by('operator'))).not.toThrow();
  const moved = job({ store: 'redis://127.0.0.1:6379' });
  expect(() => refuseNewPowers({ before: job({}), after: moved }, by('admin'))).toThrow('store');
});
