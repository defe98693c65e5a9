import type { Fragment, Lures } from './bodies.ts';

/** A value that reaches beyond the public web and the own team, and why. Written down apart from the product's rules. */
export interface Harm {
  what: string;
  job: Fragment;
}

/** All that an operator must not be given, by whatever entrance. `name` keeps the files of two tries apart. */
export function harmsOf({ site, file, folder, listener }: Lures, name: string): Harm[] {
  const harm = (what: string, job: Fragment): Harm => ({ what, job });
  const far = `http://${listener}`;
  return [
    harm('reads a file of the machine as seeds', { seeds: [{ file }] }),
    harm('reads a file of the machine as cookies', { fetch: { cookies: file } }),
    harm('trusts the authorities of a file', { fetch: { ca: file } }),
    harm('signs with a key of the machine', {
      identity: { directory: 'https://crawler.lab.test', key: file },
    }),
    harm('types a variable of the environment', {
      render: 'auto',
      steps: [{ do: [{ type: { into: '#p', fromEnv: 'WEBFARER_TYPE_LAB' } }] }],
    }),
    harm('runs a scraper of the machine', { scraper: `${folder}/${name}.mjs` }),
    harm('runs a saver of the machine', { save: [`${folder}/${name}.mjs`] }),
    harm('writes a copy anywhere', { mirror: { folder: `${folder}/mirror-${name}` } }),
    harm('writes an archive anywhere', { save: [{ warc: { at: `file://${folder}/warc-${name}` } }] }),
    harm('sends an archive anywhere', {
      save: [{ warc: { at: 's3://lab-archive/x', s3: { endpoint: far } } }],
    }),
    harm('sends an archive to the bucket of a stranger', {
      save: [{ warc: { at: 's3://of-a-stranger/x' } }],
    }),
    harm('opens a storage to private addresses', {
      save: [{ warc: { at: 's3://lab-archive/x', s3: { allowPrivate: true } } }],
    }),
    harm('writes keys of other crawls', { save: [{ redis: { key: 'other:{hash}' } }] }),
    harm('keeps the crawl on a server of its own', { store: `redis://${listener}` }),
    harm('fetches from a private address', { seeds: [`${far}/`], fetch: { allowPrivate: [listener] } }),
    harm('opens all of the private network', { fetch: { allowPrivate: ['0.0.0.0/0'] } }),
    harm('goes through a proxy', { fetch: { proxy: [{ use: far }] } }),
    harm('asks a name server', { seeds: ['http://lab.invalid/'], fetch: { dns: [listener] } }),
    harm('contacts mail servers', { fetch: { ports: [25] } }),
    harm('uses an account of the machine', { login: [{ site: 'b.example', as: 'ada', check: 'status' }] }),
    harm('calls a foreign host its own', { politeness: { ownHosts: ['b.example'], perHost: 50 } }),
    harm('ignores robots.txt of a foreign host', { robots: { obey: false, ignoreFor: ['b.example'] } }),
    harm('asks without a pause', { politeness: { gap: 0 } }),
    harm('asks some host without a pause', { politeness: { hosts: [{ match: 'b.example', gap: 0 }] } }),
    harm('hurries slow hosts', { politeness: { slowFactor: 0 } }),
    harm('asks one address a thousand times at once', { politeness: { perAddress: 1_000 } }),
    harm('keeps a host from other teams for a day', { politeness: { gap: '1d' } }),
    harm('keeps some host from other teams for a day', {
      politeness: { hosts: [{ match: 'b.example', gap: '1d' }] },
    }),
    harm('holds a host for a day', { fetch: { timeout: '1d' } }),
    harm('calls every host troubled', { fetch: { timeout: '1ms' } }),
    harm('has a troubled host rest for a day', { fetch: { retries: { backoff: '1d' } } }),
    harm('asks again although a host told it to wait', { politeness: { retryAfterMax: 0 } }),
    harm('keeps a host that asked for it from other teams for a year', {
      politeness: { retryAfterMax: '365d' },
    }),
    harm('does not wait after trouble', {
      fetch: { retries: { backoff: 0, count: 100, deadAfter: 100 } },
    }),
    harm('has a host without a readable robots.txt rest for days', { robots: { giveUpAfter: '9d' } }),
    harm('claims the disk of others', { limits: { minFree: '90TB' } }),
    harm('claims the memory of others', { fetch: { maxBody: '5GB' } }),
    harm('claims the memory of others once more', { fetch: { maxDecoded: '50GB' } }),
    ...['scope', 'labels', 'scraper', 'extract', 'steps', 'render', 'files'].map((where) =>
      harm(`runs an expression without a bound in ${where}`, endless(where, site)),
    ),
  ];
}

/** Takes for ever on a text of forty letters. */
const catastrophe = { regex: '^(([a-z])+.)+\\2[A-Z]([a-z])+$' };

function endless(where: string, site: string): Fragment {
  const bodies: Record<string, Fragment> = {
    scope: { scope: { exclude: [catastrophe] } },
    labels: { labels: { x: [catastrophe] } },
    scraper: { scraper: { ids: { find: catastrophe.regex, template: `${site}/{id}` } } },
    extract: { extract: [{ fields: { x: catastrophe } }] },
    steps: { render: 'auto', steps: [{ pages: catastrophe, do: [{ press: 'Enter' }] }] },
    render: { render: [{ match: catastrophe, do: 'auto' }] },
    files: { files: { types: ['pdf'], from: catastrophe } },
  };
  return bodies[where] ?? {};
}
