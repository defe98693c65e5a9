import type { Mutant } from './mutant.ts';

const volunteer = 'packages/coordinator/src/link/volunteer-checks.ts';
const worker = 'packages/worker/src/link';
const hostile = 'test/link/hostile.test.ts';
const stolen = 'test/link/stolen-token.test.ts';
const learnsWithLease = 'a worker learns what requests of a crawl carry once it holds a lease';

const lost = (name: string) => ({
  test: 'packages/coordinator/src/crawl/watch/abandoned-leases.test.ts',
  case: name,
});

/** The link between workers and coordinators, and what a coordinator believes of a worker. */
export const linkMutants: readonly Mutant[] = [
  {
    name: 'damaged-key-of-a-worker',
    why: 'A worker whose key was lost with a full disk would wait for ever without a word.',
    file: 'packages/coordinator/src/folder/data-folder.ts',
    from: 'if (workerKey.test(key)) return key;',
    to: 'if (key !== undefined) return key;',
    killer: {
      test: 'packages/coordinator/src/folder/data-folder.test.ts',
      case: 'says that the key of a worker is damaged, and what to do',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'refused-hello-without-a-word',
    why: 'A worker whose hello no coordinator can read would try for ever, with nothing to be seen.',
    file: 'packages/worker/src/link/conversation.ts',
    from: "if (id === undefined && known === 'frame-invalid') welcomed.reject(helloRefused(options.url, error));",
    to: '',
    killer: {
      test: 'test/link/stolen-token.test.ts',
      case: 'a worker whose hello cannot be read is told so, and ends',
      says: 'it is refused',
    },
  },
  {
    name: 'volunteer-unchecked',
    why: 'A volunteer could settle URLs it was never given and offer URLs outside the crawl.',
    file: volunteer,
    from: '(held.has(report.id) ? checked(report) : undefined)',
    to: '(held.has(report.id) ? report : undefined)',
    killer: {
      test: hostile,
      case: 'a volunteer settles what it was given and offers what belongs to the crawl, nothing else',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'earlier-jobs-as-told',
    why: 'A worker that is upgraded before its coordinators could not open any crawl.',
    file: 'packages/protocol/src/link/frame-schemas.ts',
    from: 'z.looseObject({ name: z.string(), ...sinceFirstVersion })',
    to: 'z.looseObject({ name: z.string() })',
    killer: {
      test: 'packages/protocol/src/link/frames.test.ts',
      case: 'a job of a coordinator of an earlier version has the parts that it does not know, empty',
    },
  },
  {
    name: 'volunteer-on-any-lease',
    why: 'A volunteer could end the leases of other workers.',
    file: volunteer,
    from: '(held.has(report.id) ? checked(report) : undefined)',
    to: 'checked(report)',
    more: [
      {
        file: volunteer,
        from: 'const entries = held.get(report.id)?.entries;',
        to: 'const entries = held.get(report.id)?.entries ?? new Map<Url, Entry>();',
      },
    ],
    killer: {
      test: hostile,
      case: 'a volunteer cannot touch what others hold',
    },
  },
  {
    name: 'volunteer-shortens-gap',
    why: 'A volunteer could have a host contacted without a pause.',
    file: volunteer,
    from: 'gapMs: Math.max(news.gapMs, rules.gapMs)',
    to: 'gapMs: news.gapMs',
    killer: { test: hostile, case: 'a volunteer cannot shorten the gap of a host' },
  },
  {
    name: 'volunteer-robots-believed',
    why: 'A volunteer could forge the robots.txt that all workers obey.',
    file: volunteer,
    from: 'function checked({ robots: _robots, cookies: _cookies, ...report }: LeaseReport)',
    to: 'function checked({ cookies: _cookies, ...report }: LeaseReport)',
    killer: {
      test: hostile,
      case: 'a volunteer settles what it was given and offers what belongs to the crawl, nothing else',
    },
  },
  {
    name: 'token-not-needed',
    why: 'Anyone who reaches the port could take work and report results.',
    file: 'packages/coordinator/src/tokens/tokens.ts',
    from: "return own ? 'own' : volunteer ? 'volunteer' : undefined;",
    to: "return own ? 'own' : 'volunteer';",
    killer: {
      test: hostile,
      case: 'nobody is let in without a token, with a wrong one, or from a page in a browser',
    },
  },
  {
    name: 'browsers-let-in',
    why: 'A page that an operator opens could speak to the coordinator.',
    file: 'packages/coordinator/src/link/link-server.ts',
    from: 'if (headers.origin !== undefined) return',
    to: "if (headers.origin === '') return",
    killer: {
      test: hostile,
      case: 'nobody is let in without a token, with a wrong one, or from a page in a browser',
    },
  },
  {
    name: 'reports-on-other-hosts',
    why: 'A worker could settle URLs of hosts it does not hold.',
    file: 'packages/coordinator/src/link/requests.ts',
    from: 'if (found === host) return;',
    to: 'if (found !== undefined) return;',
    killer: {
      test: hostile,
      case: 'an own worker cannot report on other hosts, and offers that are not URLs are counted and left out',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'body-digest-unchecked',
    why: 'A capture that was damaged on the way would be archived as the page.',
    file: 'packages/coordinator/src/link/bodies.ts',
    from: "if (part.hash.digest('hex') !== sent.digest)",
    to: "if (part.hash.digest('hex') === '')",
    killer: {
      test: 'packages/coordinator/src/link/bodies.test.ts',
      case: 'keeps no body that was changed on the way',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'worker-outbox-not-synced',
    why: 'Reports that a worker keeps while its coordinator is unreachable would be lost with the power.',
    file: `${worker}/outbox.ts`,
    from: '      await file.datasync();\n',
    to: '',
    killer: { test: `${worker}/outbox.test.ts`, case: 'a report is on disk before it counts as kept' },
  },
  {
    name: 'known-cache-kept',
    why: 'After a restore or `store forget`, workers would leave out links that the store no longer knows.',
    file: `${worker}/known-offers.ts`,
    from: 'there?.epoch === epoch ? there :',
    to: 'there ? there :',
    killer: {
      test: `${worker}/known-offers.test.ts`,
      case: 'drops what it knows as soon as an answer names another epoch',
    },
  },
  {
    name: 'hosts-in-frames-unchecked',
    why: 'One frame with a malformed host would stop a crawl on a store for ever.',
    file: 'packages/protocol/src/link/frame-fields.ts',
    from: ".refine(isHostKey, { error: 'not a host name as URLs have it' });",
    to: ';',
    killer: {
      test: 'packages/protocol/src/link/frames.test.ts',
      case: 'a lease of a host that is none is refused',
    },
  },
  {
    name: 'paths-in-frames-unchecked',
    why: 'A worker could name files outside the crawl folder.',
    file: 'packages/protocol/src/link/frame-fields.ts',
    from: "return path.split(/[/\\\\]/).every((part) => part !== '..');",
    to: 'return true;',
    killer: {
      test: 'packages/protocol/src/link/frames.test.ts',
      case: 'a file outside of the folder is refused',
    },
  },
  {
    name: 'missed-deletions-not-told',
    why: 'A worker that was away when a crawl was deleted would keep its archives for ever.',
    file: 'packages/coordinator/src/link/worker-session.ts',
    from: "if (nonces.length > 0) connection.send({ type: 'deleted', nonces });",
    to: 'void nonces;',
    killer: {
      test: 'test/link/operators.test.ts',
      case: 'a worker is told which of the crawls it keeps were deleted: when it connects, and whenever one is',
      says: 'in vain',
    },
  },
  {
    name: 'secrets-at-welcome',
    why: 'Whoever has a worker token would be told the passwords and headers of all crawls of all teams.',
    file: 'packages/coordinator/src/link/worker-session.ts',
    from: "if (trust === 'own') return { ...crawl, job, ...(secrets ? { withheld: true } : {}) };",
    to: "if (trust === 'own') return { ...crawl, job: whole };",
    killer: { test: stolen, case: learnsWithLease },
  },
  {
    name: 'secrets-without-a-lease',
    why: 'Whoever has a worker token could ask for the passwords and headers of all crawls.',
    file: 'packages/coordinator/src/link/requests.ts',
    from: 'const secrets = about && isHeld ? withholdSecrets(about.job).secrets : undefined;',
    to: 'const secrets = about && (isHeld || true) ? withholdSecrets(about.job).secrets : undefined;',
    killer: { test: stolen, case: learnsWithLease },
  },
  {
    name: 'volunteer-asks-secrets',
    why: 'A volunteer would be told the keys of the crawls that it works on.',
    file: 'packages/coordinator/src/link/requests.ts',
    from: "const about = trust === 'own' ? crawls.crawl(crawl) : undefined;",
    to: 'const about = trust ? crawls.crawl(crawl) : undefined;',
    killer: { test: stolen, case: 'a volunteer with a lease is not told the secrets of its crawl' },
  },
  {
    name: 'digest-of-a-key',
    why: 'A worker that was given no key could try out passwords against the digest that names the job.',
    file: 'packages/coordinator/src/crawl/job-in-force.ts',
    from: 'const revision = revisionOf({ nonce, job: open, seeds, userAgent });',
    to: 'const revision = revisionOf({ nonce, job: whole, seeds, userAgent });',
    killer: {
      test: 'packages/coordinator/src/edited-meanwhile.test.ts',
      case: 'names a key anew when it changes, and gives away nothing by which it could be guessed',
    },
  },
  {
    name: 'mask-sent-as-a-key',
    why: 'A crawl whose crawl.json was copied without its keys would send *** to the site and be refused everywhere.',
    file: 'packages/protocol/src/job/secrets.ts',
    from: 'const lost = fetch.headers.filter(([, value]) => value === mask).map(([header]) => header);',
    to: 'const lost: string[] = fetch.headers.length < 0 ? [name] : [];',
    killer: {
      test: 'packages/coordinator/src/folder/header-values.test.ts',
      case: 'sends no mask in the place of a key',
      says: 'to throw',
    },
  },
  {
    name: 'key-in-crawl-json',
    why: 'Every user of the machine, and every viewer who downloads crawl.json, could read the keys of the job.',
    file: 'packages/coordinator/src/folder/manifest.ts',
    from: 'JSON.stringify({ ...manifest, job }, null, 2)',
    to: 'JSON.stringify({ job, ...manifest }, null, 2)',
    killer: {
      test: 'packages/coordinator/src/folder/header-values.test.ts',
      case: 'keeps keys of a job out of crawl.json and crawl.db',
    },
  },
  {
    name: 'header-values-for-all-to-read',
    why: 'Every user of the machine could read the keys of the job.',
    file: 'packages/coordinator/src/folder/header-values.ts',
    from: '{ mode: 0o600 }',
    to: '{ mode: 0o644 }',
    killer: {
      test: 'packages/coordinator/src/folder/header-values.test.ts',
      case: 'keeps keys of a job out of crawl.json and crawl.db',
    },
  },
  {
    name: 'backup-for-all-to-read',
    why: 'Every user of the machine could read token digests and keys in a backup.',
    file: 'packages/coordinator/src/folder/backup-folder.ts',
    from: 'statSync(from).mode & 0o777',
    to: 'statSync(from).mode | 0o666',
    killer: {
      test: 'packages/coordinator/src/folder/backup-folder.test.ts',
      case: 'is as closed to others as the folder',
    },
  },
  {
    name: 'form-password-to-workers',
    why: 'The password of a login form would be sent to machines that never log in.',
    file: 'packages/protocol/src/job/secrets.ts',
    from: 'const credentials = job.fetch.credentials.filter((one) => !isForm(one));',
    to: 'const { credentials } = job.fetch;',
    killer: { test: stolen, case: learnsWithLease },
  },
  {
    name: 'earlier-worker-without-secrets',
    why: 'A worker of an earlier version would fetch pages without the keys that they need, and report the refusals.',
    file: 'packages/coordinator/src/link/requests.ts',
    from: "if (isChild || asksSecrets || trust !== 'own') return left;",
    to: 'if (isChild || asksSecrets || trust) return left;',
    killer: {
      test: stolen,
      case: 'a worker that would not ask for the secrets of a crawl is given no lease',
    },
  },
  {
    name: 'name-of-another-worker',
    why: 'Whoever has a worker token could close the connection of any worker and free its leases.',
    file: 'packages/coordinator/src/link/worker-names.ts',
    from: 'if ((owner && !isSame) || isInside?.(worker)) return nameTaken(worker);',
    to: 'if (isInside?.(worker)) return nameTaken(worker);',
    killer: { test: stolen, case: 'the token does not give a worker the name of another', says: 'in vain' },
  },
  {
    name: 'name-free-at-once',
    why: 'A thief of the worker token could take the name and the leases of a worker as soon as its connection breaks.',
    file: 'packages/coordinator/src/link/worker-names.ts',
    from: 'const KEPT_MS = 600_000;',
    to: 'const KEPT_MS = 0;',
    killer: {
      test: 'packages/coordinator/src/link/worker-names.test.ts',
      case: 'keeps the name of a worker that was cut off for ten minutes',
    },
  },
  {
    name: 'name-of-the-own-worker',
    why: 'Whoever has a worker token could take over the leases of the worker in the process of the coordinator.',
    file: 'packages/coordinator/src/link/worker-names.ts',
    from: 'if ((owner && !isSame) || isInside?.(worker)) return nameTaken(worker);',
    to: 'if (owner && !isSame) return nameTaken(worker);',
    killer: {
      test: 'packages/coordinator/src/link/worker-names.test.ts',
      case: 'gives nobody the name of a worker in the process of the coordinator',
    },
  },
  {
    name: 'fetches-without-its-secrets',
    why: 'A worker would ask a site for pages before it knows the key that the site wants.',
    file: 'packages/worker/src/crawls/request-rules.ts',
    from: 'if (known === about().secrets) return true;',
    to: 'if (known !== about().id) return true;',
    killer: {
      test: 'packages/worker/src/crawls/worker-crawls.test.ts',
      case: 'asks for the secrets of a crawl when it is about to work on it',
    },
  },
  {
    name: 'lost-leases-not-told',
    why: 'After a restore of the store a crawl would wait for a minute without a reason.',
    file: 'packages/protocol/src/crawl/stall.ts',
    from: 'if (abandonedForMs !== undefined && abandoned > inFlight)',
    to: 'if (abandonedForMs !== undefined && abandoned < 0)',
    killer: {
      test: 'packages/protocol/src/crawl/stall.test.ts',
      case: 'says how many URLs leases hold that nobody renews, and when they are free',
    },
  },
  {
    name: 'lost-leases-of-this-epoch-only',
    why: 'A crawl would be told to wait for workers of before a restore only where the coordinator was restarted as well.',
    file: 'packages/coordinator/src/crawl/watch/abandoned-leases.ts',
    from: 'if (now !== epoch) [epoch, sinceMs] = [now, clock.now()];',
    to: 'if (now !== epoch) epoch = now;',
    killer: lost('tells of them again after the store was restored or failed over'),
  },
  {
    name: 'lost-leases-of-connected-workers',
    why: 'A healthy crawl would be said to wait for workers that have vanished.',
    file: 'packages/coordinator/src/crawl/watch/abandoned-leases.ts',
    from: 'const abandoned = leased - mostHad(leases);',
    to: 'const abandoned = leased;',
    killer: lost('leaves out what connected workers have, had when the store was asked, or may have brought'),
  },
  {
    name: 'lost-leases-of-other-coordinators',
    why: 'Workers of another coordinator would be said to have vanished.',
    file: 'packages/coordinator/src/crawl/watch/abandoned-leases.ts',
    from: 'ageMs < CONNECTING_MS || network?.othersServe()',
    to: 'ageMs < CONNECTING_MS',
    killer: lost('says nothing where another coordinator has workers'),
  },
];
