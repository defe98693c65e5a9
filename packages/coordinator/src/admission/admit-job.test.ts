import { fieldPaths, type PolicyInput } from '@webfarer/protocol/job';
import { boundRegexps } from '@webfarer/protocol/node';
import { beforeAll, expect, it } from 'vitest';
import { fieldRules, harmlessChanges } from './field-rules.ts';
import { gateWith } from './job-gate.fixture.ts';

beforeAll(boundRegexps);
const by = (scope: 'operator' | 'admin', team = 'press') => ({ scope, team });
const job = (more: Record<string, unknown> = {}) => ({
  name: 'x',
  seeds: ['https://a.example'],
  contact: 'me@a.example',
  ...more,
});
const gate = gateWith();

it('has a rule for every field of a job, and none for fields that do not exist', () => {
  expect(Object.keys(fieldRules).toSorted()).toEqual(fieldPaths().toSorted());
  expect([...harmlessChanges].filter((path) => !(path in fieldRules))).toEqual([]);
});

it('admits the job of an operator that stays on the public web and is polite', async () => {
  const plain = job({
    scope: { include: [{ regex: '^https?://{seeds}/(a|b)+' }], exclude: ['**/login/**'] },
    fetch: {
      proxy: [{ use: 'direct' }],
      headers: { 'x-key': 'k' },
      cookies: false,
      maxBody: '20MB',
      retries: { backoff: '1s' },
    },
    politeness: {
      gap: '500ms',
      slowFactor: 1,
      retryAfterMax: '1h',
      hosts: [{ match: 'b.example', block: true }],
    },
    limits: { pages: 10, minFree: '1GB' },
    save: ['markdown', { warc: { at: 'coordinator' } }, { redis: { key: 'webfarer:{crawl}:{hash}' } }],
    mirror: {},
    steps: [{ do: [{ type: { into: '#q', text: 'shoes' } }] }],
    render: 'auto',
  });
  expect(await gate.admit(plain, by('operator'))).toBe(plain);
});

it('leaves to admins what reaches beyond that', async () => {
  for (const [field, more] of [
    ['seeds[].file', { seeds: [{ file: '/etc/passwd' }] }],
    ['limits.minFree', { limits: { minFree: '90TB' } }],
    ['politeness.gap', { politeness: { gap: 0 } }],
    ['politeness.gap', { politeness: { gap: '50ms' } }],
    ['politeness.gap', { politeness: { gap: '11m' } }],
    ['politeness.hosts[].gap', { politeness: { hosts: [{ match: '*', gap: '0s' }] } }],
    ['politeness.slowFactor', { politeness: { slowFactor: 0 } }],
    ['politeness.retryAfterMax', { politeness: { retryAfterMax: 0 } }],
    ['politeness.retryAfterMax', { politeness: { retryAfterMax: '59m' } }],
    ['politeness.retryAfterMax', { politeness: { retryAfterMax: '25h' } }],
    ['robots.giveUpAfter', { robots: { giveUpAfter: '1d' } }],
    ['politeness.perAddress', { politeness: { perAddress: 10_000 } }],
    ['politeness.ownHosts[]', { politeness: { ownHosts: ['b.example'] } }],
    ['robots.ignoreFor[]', { robots: { obey: false, ignoreFor: ['b.example'] } }],
    ['fetch.allowPrivate[]', { fetch: { allowPrivate: ['127.0.0.0/8'] } }],
    ['fetch.proxy[].use', { fetch: { proxy: [{ use: 'http://proxy.example:3128' }] } }],
    ['fetch.dns[]', { fetch: { dns: ['10.0.0.1:53'] } }],
    ['fetch.ports[]', { fetch: { ports: [25] } }],
    ['fetch.cookies', { fetch: { cookies: 'cookies.txt' } }],
    ['fetch.ca', { fetch: { ca: 'ca.pem' } }],
    ['fetch.timeout', { fetch: { timeout: '10ms' } }],
    ['fetch.timeout', { fetch: { timeout: '1h' } }],
    ['fetch.retries.backoff', { fetch: { retries: { backoff: 0 } } }],
    ['fetch.retries.backoff', { fetch: { retries: { backoff: '999ms' } } }],
    ['fetch.retries.backoff', { fetch: { retries: { backoff: '1h' } } }],
    ['fetch.maxBody', { fetch: { maxBody: '5GB' } }],
    ['fetch.maxDecoded', { fetch: { maxDecoded: '9GB' } }],
    ['identity.key', { identity: { directory: 'https://me.test', key: 'identity.key' } }],
    ['login[].site', { login: [{ site: 'a.example', as: 'ada', check: 'status' }] }],
    [
      'steps[].do[].type.fromEnv',
      { render: 'auto', steps: [{ do: [{ type: { into: '#p', fromEnv: 'WEBFARER_TYPE_PW' } }] }] },
    ],
    ['scraper', { scraper: './mine.ts' }],
    ['save[]', { save: ['./mine.ts'] }],
    ['save[].warc.at', { save: [{ warc: { at: 'file:///srv/elsewhere' } }] }],
    [
      'save[].warc.s3.endpoint',
      { save: [{ warc: { at: 's3://bkt/x', s3: { endpoint: 'http://10.0.0.1' } } }] },
    ],
    ['save[].warc.s3.allowPrivate', { save: [{ warc: { at: 's3://bkt/x', s3: { allowPrivate: true } } }] }],
    ['save[].redis.key', { save: [{ redis: { key: 'other:{hash}' } }] }],
    ['mirror.folder', { mirror: { folder: '/srv/elsewhere' } }],
  ] as const) {
    const refused = expect(gate.admit(job(more), by('operator')), field).rejects;
    await refused.toMatchObject({ code: 'forbidden', message: expect.stringContaining(field) as string });
    await expect(gate.admit(job(more), by('admin')), field).resolves.toEqual(job(more));
  }
});

it('takes expressions that are run in linear time, with their flag, and no others from anyone', async () => {
  const regex = '(a+)+$';
  const fields = (pattern: object, text: string): Record<string, unknown>[] => [
    { scope: { include: [pattern] } },
    { scope: { exclude: [pattern] } },
    { urlRules: [{ match: pattern, cost: 1 }] },
    { urlRules: [{ unless: pattern, cost: 1 }] },
    { labels: { x: pattern } },
    { labels: { x: ['/p/*', pattern] } },
    { scraper: { links: { follow: [pattern] } } },
    { files: { types: ['pdf'], from: pattern } },
    { render: [{ match: pattern, do: 'always' }] },
    { render: 'auto', steps: [{ pages: pattern, do: [{ press: 'Enter' }] }] },
    { fetch: { proxy: [{ match: pattern, use: 'direct' }] } },
    { extract: [{ pages: pattern, fields: { x: 'h1' } }] },
    { extract: [{ fields: { x: { regex: text } } }] },
    { scraper: { ids: { find: text, template: 'https://a.example/{id}' } } },
  ];
  for (const more of [...fields({ regex, flags: 'i' }, regex), ...fields({ regex }, '(.*,){20}P')])
    await expect(gate.admit(job(more), by('operator')), JSON.stringify(more)).resolves.toEqual(job(more));
  for (const sender of [by('operator'), by('admin')])
    for (const more of [
      ...fields({ regex: '^(?!x)' }, '(a)\\1'),
      ...fields({ regex: '(a)\\1', flags: 'i' }, '(?<=a)b'),
    ])
      await expect(gate.admit(job(more), sender), JSON.stringify(more)).rejects.toMatchObject({
        code: 'job-invalid',
        message: expect.stringMatching(
          /(regex|find): the regular expression .* cannot be run in linear time/,
        ) as string,
      });
});

it('leaves the store to the coordinator, whoever asks', async () => {
  for (const store of ['redis://127.0.0.1:6379', { url: 'redis://127.0.0.1:6379' }])
    await expect(gate.admit(job({ store }), by('admin'))).rejects.toMatchObject({ code: 'usage' });
});

it('lends what is in a policy to its team and its users alone', async () => {
  const lending = gateWith({
    keys: { team: 'team-b', policy: { fetch: { headers: { 'x-key': 'of b' } } } },
    intranet: { byAdmin: true, users: ['team-b'], policy: { fetch: { allowPrivate: ['10.0.0.0/8'] } } },
    everyone: { byAdmin: true, users: ['*'], policy: { robots: { obey: false, ignoreFor: ['a.example'] } } },
    forged: { team: 'team-b', policy: { fetch: { allowPrivate: ['10.0.0.0/8'] } } },
    gentle: { team: 'team-b', policy: { limits: { pages: 7 } } },
  });
  const admit = (policy: string, team: string) => lending.admit(job({ policy }), by('operator', team));
  await expect(admit('keys', 'team-a')).rejects.toThrow('fetch.headers.*');
  await expect(admit('intranet', 'team-a')).rejects.toThrow('fetch.allowPrivate[]');
  await expect(admit('forged', 'team-b')).rejects.toThrow('fetch.allowPrivate[]');
  for (const [policy, team] of [
    ['keys', 'team-b'],
    ['intranet', 'team-b'],
    ['everyone', 'team-a'],
    ['gentle', 'team-a'],
  ] as const)
    await expect(admit(policy, team), policy).resolves.toMatchObject({
      policy: { name: policy, version: 1 },
    });
  const own = job({ policy: 'keys', fetch: { headers: { 'x-key': 'of a' } } });
  await expect(lending.admit(own, by('operator', 'team-a'))).resolves.toMatchObject({
    fetch: { headers: { 'x-key': 'of a' } },
  });
});

it('lets an operator change what is harmless in the job of an admin, and nothing else', async () => {
  const powers = { fetch: { allowPrivate: ['127.0.0.0/8'] } };
  const before = job(powers);
  const change = (more: Record<string, unknown>, scope: 'operator' | 'admin' = 'operator') =>
    gate.admitChange({ before, after: job({ ...powers, ...more }) }, by(scope));
  await expect(change({ politeness: { gap: '9s' } })).resolves.toBeDefined();
  await expect(change({ limits: { pages: 3 } })).resolves.toBeDefined();
  await expect(change({ fetch: { allowPrivate: ['127.0.0.0/8', '10.0.0.0/8'] } })).rejects.toThrow(
    'fetch.allowPrivate',
  );
  // Harmless in the range that an operator has in any job.
  await expect(change({ politeness: { gap: 0 } })).rejects.toThrow('politeness.gap');
  await expect(change({ politeness: { retryAfterMax: 0 } })).rejects.toThrow('politeness.retryAfterMax');
  await expect(change({ limits: { minFree: '90TB' } })).rejects.toThrow('limits.minFree');
  await expect(change({ seeds: ['https://b.example'] })).rejects.toThrow('seeds[]');
  await expect(change({ scope: { stay: 'web' } })).rejects.toThrow('scope.stay');
  await expect(change({ seeds: ['https://b.example'] }, 'admin')).resolves.toBeDefined();
  // Without the settings of the admin it is a job like any other.
  const own = gate.admitChange({ before, after: job({ seeds: ['https://b.example'] }) }, by('operator'));
  await expect(own).resolves.toBeDefined();
  const moved = gate.admitChange(
    { before: job(), after: job({ store: 'redis://127.0.0.1:6379' }) },
    by('admin'),
  );
  await expect(moved).rejects.toMatchObject({ code: 'usage' });
});

it('leaves an operator all fields of a job whose settings of an admin a policy lends', async () => {
  const lending = gateWith({
    intranet: { byAdmin: true, users: ['press'], policy: { fetch: { allowPrivate: ['10.0.0.0/8'] } } },
  });
  const before = await lending.admit(job({ policy: 'intranet' }), by('operator'));
  const moved = { ...(before as object), seeds: ['https://b.example'] };
  await expect(lending.admitChange({ before, after: moved }, by('operator'))).resolves.toEqual(moved);
  const wider = { ...moved, fetch: { allowPrivate: ['0.0.0.0/0'] } };
  await expect(lending.admitChange({ before, after: wider }, by('operator'))).rejects.toThrow('allowPrivate');
  await expect(lending.admitChange({ before, after: moved }, by('operator', 'web'))).rejects.toThrow('seeds');
});

it('lends the entries of a list whole, and leaves them whole', async () => {
  const fast = (match: string) => ({ match, gap: 0 as const });
  const policy: PolicyInput = {
    politeness: { hosts: [fast('own.example')] },
    fetch: { proxy: [{ match: '*.own.example/**', use: 'http://proxy.example:3128' }] },
  };
  const lending = gateWith({ fast: { byAdmin: true, users: ['press'], policy } });
  const admit = (more: Record<string, unknown>) =>
    lending.admit(job({ policy: 'fast', ...more }), by('operator'));
  await expect(admit({})).resolves.toMatchObject(policy);
  const other = { match: 'b.example', block: true };
  await expect(admit({ politeness: { hosts: [other, fast('own.example')] } })).resolves.toBeDefined();
  for (const [field, more] of [
    ['politeness.hosts[].gap', { politeness: { hosts: [fast('b.example')] } }],
    ['fetch.proxy[].use', { fetch: { proxy: [{ use: 'http://proxy.example:3128' }] } }],
  ] as const)
    await expect(admit(more), field).rejects.toThrow(field);
  const before = job({ politeness: { hosts: [fast('own.example')] } });
  const change = (...hosts: object[]) =>
    gate.admitChange({ before, after: job({ politeness: { hosts } }) }, by('operator'));
  await expect(change(fast('own.example'), other)).resolves.toBeDefined();
  await expect(change(fast('b.example'))).rejects.toThrow('politeness.hosts[].gap');
});

it('writes an entry of a list once to compare it, however many fields it has', async () => {
  let written = 0;
  const entry = { fields: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, 'h1'])) };
  Object.defineProperty(entry, 'toJSON', {
    value() {
      written++;
      return { ...entry };
    },
  });
  const before = job({ extract: [entry] });
  const lending = gateWith({ plain: { policy: { limits: { pages: 1 } } } });
  await lending.admit(job({ policy: 'plain', extract: [entry] }), by('operator'));
  const power = { fetch: { allowPrivate: ['10.0.0.0/8'] } };
  await expect(
    lending.admitChange({ before, after: { ...before, ...power } }, by('operator')),
  ).rejects.toThrow('allowPrivate');
  expect(written).toBeLessThan(5);
});

it('keeps a typed secret on the pages that it was meant for', async () => {
  const typing = (pages: string) => ({
    render: 'auto',
    steps: [{ pages, do: [{ type: { into: '#p', fromEnv: 'WEBFARER_TYPE_PW' } }] }],
  });
  const before = job(typing('/log-in'));
  const moved = gate.admitChange({ before, after: job(typing('/elsewhere')) }, by('operator'));
  await expect(moved).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('steps[].do[].type.fromEnv') as string,
  });
  const elsewhere = job({ ...typing('/log-in'), seeds: ['https://b.example'] });
  await expect(gate.admitChange({ before, after: elsewhere }, by('operator'))).rejects.toThrow('seeds[]');
});
