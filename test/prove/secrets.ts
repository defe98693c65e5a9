// watches: packages/protocol/src/url/secrets.ts, packages/protocol/src/job, packages/cli/src/secrets
// watches: packages/cli/src/accounts, packages/cli/src/diagnostics, packages/cli/src/view, packages/cli/src/commands
// watches: packages/worker/src/fetch, packages/worker/src/egress, packages/worker/src/save
// watches: packages/worker/src/site-login, packages/coordinator/src/redis/address, packages/coordinator/src/link
// watches: packages/coordinator/src/folder, packages/worker/src/crawls
// misses: passwords, keys and tokens in output, process lists, folders, at another origin or told to a stolen worker token
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type S3Server, startS3 } from '../objects/s3-server.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Canary, canariesIn, canary, canaryOf, searchFolder, watchWords } from '../secrets/canaries.ts';
import { type GuardedSite, startGuardedSite } from '../secrets/guarded-site.ts';
import { useObjectKeys } from '../secrets/object-keys.ts';
import { useStolenToken } from '../secrets/stolen-token.ts';
import { commandPath, workFolder } from './lab.ts';

/** Long enough for a busy machine; a crawl here has a dozen pages. */
const COMMAND_MS = 600_000;
const storeUser = 'crawler';
/** Behind each password and token of a site: what is escaped in URLs and ends a name in HTTP Basic. */
const tail = ':@/%41';
/** Crawls as a program of a user's own does. */
const libraryProgram = join(import.meta.dirname, '../secrets/library-program.ts');
const words = '--contact https://lab.test/ --stay web --gap 5ms --allow-private 127.0.0.0/8'.split(' ');

/**
 * Passwords and tokens that exist nowhere else are given in every place where one can be given: typed, in the environment, in
 * files, in a job file, in cookies.txt, by a program; for the store, the proxy, sites and object storage. Crawls, a coordinator with a worker,
 * and every command that looks at their folders run with them. Then all that was printed, the process list while it ran
 * (words, and the environment where nothing was given there), the folders with archives and reports, exports, and what the store
 * wrote to its disk are searched, and the servers say what they were sent: everything at its own origin, also over redirects
 * to another host, another port and from https to http. A coordinator whose crawl has a password, a header and a proxy is
 * asked by someone who has its worker token and nothing else: it is told none of them and closes no other worker. Operators of
 * two teams read nothing of what an admin gave to a crawl and a policy there. Where a password was typed the process list counts from the first
 * printed word on: before that nobody can have masked it. Controls: a planted canary is found in each place and form, and
 * without the rule of the origin a token reaches another one.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('secrets');
  const site = await startGuardedSite(work.path);
  const redis = await startRedis({ parent: work.path });
  const s3 = await startS3({ secret: canary('object-key').value });
  try {
    const rounds = quick ? 1 : 3;
    const total = { canaries: 0, commands: 0, looks: 0, authorised: 0, proxied: 0, sentElsewhere: 0 };
    const stolen = { told: 0, displaced: 0, toldWithLease: 0, shownToOperators: 0, operatorAnswers: 0 };
    const [found, unused]: [string[], string[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      const figures = await runRound({ site, redis, s3, under: work.path, round, quick });
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += figures[key];
      found.push(...figures.found);
      unused.push(...figures.unused);
      for (const key of Object.keys(stolen) as (keyof typeof stolen)[]) stolen[key] += figures.stolen[key];
    }
    const planted = await plantedFound(work.path, redis);
    const leaked = await leakedInControl(site, work.path);
    for (const what of found.slice(0, 20)) console.error(`  found ${what}`);
    for (const what of unused) console.error(`  never sent: ${what}`);
    return {
      ok:
        found.length + unused.length + total.sentElsewhere === 0 &&
        stolen.told + stolen.displaced + stolen.shownToOperators === 0 &&
        stolen.operatorAnswers > 0 &&
        stolen.toldWithLease === rounds * secretKinds &&
        total.proxied > 0 &&
        planted === plantedPlaces &&
        leaked > 0,
      result: {
        ...total,
        found: found.length,
        unused: unused.length,
        plantedFound: planted,
        sentElsewhereInControl: leaked,
        stolenToken: stolen,
        sizes: { rounds },
      },
    };
  } finally {
    await site.stop();
    await redis.stop();
    await s3.stop();
    work.remove();
  }
}

interface Round {
  site: GuardedSite;
  redis: RedisServers;
  s3: S3Server;
  under: string;
  round: number;
  quick: boolean;
}

async function runRound({ site, redis, s3, under, round, quick }: Round) {
  const folder = (name: string) => join(under, `${name}-${round}`);
  const file = (name: string, text: string) => {
    const path = join(under, `${name}-${round}.secret`);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  const canaries: Canary[] = [];
  /** Where a canary belongs; those that are not here belong into no request to a site. */
  const homes = new Map<string, (origin: string) => boolean>();
  const made = (name: string) => {
    const one = canary(`${name}${round}`);
    canaries.push(one);
    return one.value;
  };
  const forSite = (name: string, origin = site.origin) => {
    homes.set(`${name}${round}`, (to) => to === origin);
    return made(name) + tail;
  };
  const storeAddress = async (password: string) => {
    for (const node of redis.nodes)
      await node.ask('ACL', 'SETUSER', storeUser, 'on', `>${password}`, '~*', '&*', '+@all');
    return redis.url.replace('redis://', `redis://${storeUser}:${password}@`);
  };
  const inAddress = (password: string) =>
    `${site.origin.replace('://', `://name:${encodeURIComponent(password)}@`)}/`;
  const proxyAddress = (password: string) => `http://name:${password}@127.0.0.1:${site.proxyPort}`;
  const from = site.seen.length;
  const fromProxy = site.atProxy.length;
  const ran: Ran[] = [];
  let runs = 0;
  const run = async (args: string[], more: Partial<RunOptions> = {}) => {
    // They do not take turns: each has a host ledger of its own.
    const env = { WEBFARER_STATE: folder(`state${runs++}`) };
    const one = await runCommand({ args, canaries, typed: false, ...more, env: { ...env, ...more.env } });
    if (more.ends !== 'anyhow' && (one.code === 0) === (more.ends === 'badly'))
      throw new Error(`${one.command} ended with ${one.code}: ${one.text.slice(-500).trim()}`);
    ran.push(one);
  };

  const [typed, filed, served] = [folder('typed'), folder('filed'), folder('served')];
  const [program, inJob] = [folder('program'), folder('job')];
  const storeFile = file('store', await storeAddress(made('store-file')));
  const lines = [
    `${site.origin}/ basic name:${forSite('basic-file')}`,
    `${site.secureOrigin}/ bearer ${forSite('bearer-file', site.secureOrigin)}`,
  ];
  const env = {
    WEBFARER_STORE: await storeAddress(made('store-env')),
    WEBFARER_PROXY: proxyAddress(made('proxy-env')),
    WEBFARER_CREDENTIALS: `${site.origin}/ bearer ${forSite('bearer-env')}`,
  };
  const bySite = {
    [site.origin]: { bearer: forSite('bearer-program') },
    [site.secureOrigin]: { user: 'name', password: forSite('basic-program', site.secureOrigin) },
  };
  homes.set(`cookie${round}`, (to) => to.startsWith('http://127.0.0.2:'));
  const cookies = ['127.0.0.2', 'FALSE', '/', 'FALSE', '0', 'session', made('cookie')].join('\t');
  const jobFile = `${folder('job')}.json`;
  homes.set(`job-header${round}`, (to) => to.startsWith('http://127.0.0.2:'));
  const key = { 'X-Api-Key': made('job-header') };
  const fetch = { cookies: file('cookies', cookies), headers: key };
  writeFileSync(jobFile, JSON.stringify(jobWith({ seeds: [inAddress(forSite('job-seed'))], fetch })));
  const typedStore = await storeAddress(made('store-typed'));
  const proxied = ['--proxy', proxyAddress(made('proxy-typed')), '--store', typedStore];
  const inFiles = ['--store-file', storeFile, '--credentials-file', file('site', lines.join('\n'))];
  inFiles.push('--proxy-file', file('proxy', proxyAddress(made('proxy-file'))), '--ca', site.caFile);
  const crawlOf = (name: string, to: string) => ['--name', `${name}${round}`, '--out', to, ...words];
  await Promise.all([
    run(['crawl', inAddress(forSite('typed')), ...proxied, ...crawlOf('typed', typed)], { typed: true }),
    run([
      'crawl',
      `${site.origin}/`,
      `${site.secureOrigin}/`,
      '--json',
      '--processes',
      '2',
      ...inFiles,
      ...crawlOf('filed', filed),
    ]),
    run(
      [
        'coordinator',
        `${site.origin}/`,
        '--data',
        served,
        '--name',
        `served${round}`,
        '--with-worker',
        '--listen',
        '127.0.0.1:0',
        '--until-done',
        ...words,
      ],
      { env },
    ),
    run([program, site.caFile], {
      command: libraryProgram,
      env: { SITE_CREDENTIALS: JSON.stringify(bySite) },
    }),
    run(['run', jobFile, '--out', inJob]),
  ]);
  canaries.push(canaryOf(`object-key${round}`, s3.env['AWS_SECRET_ACCESS_KEY'] ?? ''));
  const objects = await useObjectKeys({
    s3,
    path: folder,
    made,
    run,
    job: (save) => ({ ...jobWith({ seeds: [`${site.origin}/`] }), save }),
  });
  const stolen = await stealFrom(site, folder('stolen'), made);
  for (const role of ['worker', 'operator']) {
    const value = readFileSync(join(served, `${role}.token`), 'utf8').trim();
    canaries.push({ name: `${role}-token${round}`, value, forms: [value] });
  }
  const tokenFile = file('token', '');
  await run(['token', 'new', 'worker', '--token-file', tokenFile], { env });
  const value = readFileSync(tokenFile, 'utf8').trim();
  canaries.push({ name: `new-token${round}`, value, forms: [value] });
  const wacz = (crawl: string) => `${crawl}.wacz`;
  const looks = [
    ['status'],
    ['report', '--json'],
    ['export', '--jsonl'],
    ['export', '--wacz'],
    ['doctor'],
    ['report'],
  ];
  const lookAt = async (crawl: string, n: number) => {
    const store = crawl === filed ? { WEBFARER_STORE: readFileSync(storeFile, 'utf8').trim() } : env;
    const chosen = quick ? [looks[n % 3] ?? [], looks[3 + (n % 3)] ?? []] : looks;
    for (const [name = '', ...how] of chosen)
      await run([name, crawl, ...how, ...(how[0] === '--wacz' ? [wacz(crawl)] : [])], {
        env: store,
        ends: 'anyhow',
      });
  };
  const badHeader = `${folder('bad')}.json`;
  writeFileSync(
    badHeader,
    JSON.stringify(jobWith({ fetch: { headers: { Authorization: `Bearer ${made('header')}` } } })),
  );
  const odd = `name:${made('site-odd')}@127.0.0.2`;
  const badLine = file('bad-line', `127.0.0.2 bearer ${made('bad-line')}`);
  const deadStore = `redis://name:${made('store-dead')}@127.0.0.1:1`;
  await Promise.all([
    ...[typed, filed, served].map(lookAt),
    ...(quick ? [] : [program, inJob].map(lookAt)),
    run(['token', 'list'], { env }),
    run(['store', 'crawls'], { env }),
    // What fails says most.
    run(['crawl', odd, '--out', folder('odd')], { typed: true, ends: 'badly' }),
    run(['store', 'crawls', '--store', deadStore], { typed: true, ends: 'badly' }),
    run(['run', badHeader, '--out', folder('bad')], { ends: 'badly' }),
    run(['crawl', `${site.origin}/`, '--credentials-file', badLine, ...words], { ends: 'badly' }),
  ]);
  const exported = folder('exported');
  mkdirSync(exported);
  for (const crawl of [typed, filed, served, program, inJob, objects]) unpack(wacz(crawl), exported);
  const found = [
    ...ran.flatMap(({ command, inOutput, inWords }) => [
      ...inOutput.map((name) => `${name} in the output of ${command}`),
      ...inWords.map((name) => `${name} in the process list, ${command}`),
    ]),
    ...[typed, filed, served, program, inJob, objects, s3.folder, folder('stolen'), exported].flatMap(
      (each) => searchFolder(each, canaries),
    ),
    ...redis.nodes.flatMap((node) => searchFolder(node.folder, canaries)),
  ];
  const sent = site.seen.slice(from).flatMap(({ origin, headers }) =>
    canariesIn(JSON.stringify(headers), canaries).map((name) => ({
      name,
      isHome: homes.get(name)?.(origin),
    })),
  );
  const usedAt = new Set(sent.filter(({ isHome }) => isHome).map(({ name }) => name));
  return {
    canaries: canaries.length,
    commands: ran.length,
    looks: ran.reduce((sum, { looks }) => sum + looks, 0),
    found,
    stolen,
    unused: [
      ...[...homes.keys()].filter((name) => !usedAt.has(name)),
      // Without a good key nothing would be there.
      ...(readdirSync(s3.folder).length > 0 ? [] : [`object-key${round}`]),
    ],
    authorised: sent.filter(({ isHome }) => isHome).length,
    sentElsewhere: sent.filter(({ isHome }) => !isHome).length,
    proxied: site.atProxy.slice(fromProxy).filter((header) => canariesIn(header, canaries).length > 0).length,
  };
}

/** A header, a password and a proxy of a crawl. */
const secretKinds = 3;

/** What someone with the worker token learns of a crawl that nobody works on, and does to a worker. */
async function stealFrom({ origin }: GuardedSite, data: string, made: (name: string) => string) {
  const values = ['stolen-header', 'stolen-password', 'stolen-proxy', 'stolen-form'].map(made);
  const [header, password, proxy, form] = values;
  const fetch = { headers: { 'X-Api-Key': header }, proxy: [{ use: `http://name:${proxy}@127.0.0.1:9` }] };
  const job = `${data}.json`;
  writeFileSync(job, JSON.stringify(jobWith({ seeds: [`${origin}/`], fetch })), { mode: 0o600 });
  const lines = [`${origin}/ basic name:${password}`, `${origin}/ form name:${form}`];
  const env = { WEBFARER_CREDENTIALS: lines.join('\n'), WEBFARER_STATE: `${data}-state` };
  const canaries = values.map((value, n) => canaryOf(`stolen${n}`, value));
  const kinds = ['header', 'password', 'proxy'] as const;
  const given = kinds.map((kind) => [kind, made(`teams-${kind}`)] as const);
  const ofTeams = {
    canaries: given.map(([kind, value]) => canaryOf(`teams-${kind}`, value)),
    values: Object.fromEntries(given) as Record<(typeof kinds)[number], string>,
  };
  const used = await useStolenToken({ job, data, env, canaries, ofTeams });
  const { toldBefore, displaced, toldWithLease, shown } = used;
  for (const name of shown.found) console.error(`  an operator was shown ${name}`);
  return {
    told: toldBefore.length,
    displaced,
    toldWithLease: toldWithLease.length,
    shownToOperators: shown.found.length,
    operatorAnswers: shown.answers,
  };
}

function jobWith(more: { seeds?: string[]; fetch?: object }) {
  return {
    name: 'job',
    seeds: ['http://127.0.0.2:9/'],
    contact: 'https://lab.test/',
    scope: { stay: 'web' },
    politeness: { gap: '5ms' },
    ...more,
    fetch: { allowPrivate: ['127.0.0.0/8'], ...more.fetch },
  };
}

/** What is in an export, where there is one. */
function unpack(wacz: string, under: string): void {
  try {
    readFileSync(wacz);
  } catch {
    return;
  }
  execFileSync('python3', ['-m', 'zipfile', '-e', wacz, join(under, wacz.split('/').at(-1) as string)]);
}

interface RunOptions {
  args: string[];
  env: Record<string, string>;
  canaries: readonly Canary[];
  /** A secret is among the words. */
  typed: boolean;
  /** Well, unless it is said. */
  ends?: 'badly' | 'anyhow';
  command?: string;
}

interface Ran {
  command: string;
  code: number | null;
  text: string;
  inOutput: string[];
  inWords: string[];
  looks: number;
}

async function runCommand(options: RunOptions): Promise<Ran> {
  const { args, env, canaries, typed, command = commandPath } = options;
  const child = spawn(process.execPath, [command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let text = '';
  const pid = child.pid as number;
  const environment = canariesIn(Object.values(env).join('\n'), canaries).length === 0;
  const look = () => watchWords(pid, canaries, { environment });
  let watch = typed ? undefined : look();
  const keep = (chunk: Buffer) => {
    text += chunk.toString();
    watch ??= look();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const late = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(late);
  const looks = watch?.looks() ?? 0;
  const inWords = watch?.stop() ?? [];
  const name = args
    .slice(0, 2)
    .join(' ')
    .replace(/\/\S*\//, '')
    .replace(/\S+@/, '');
  return { command: name, code, text, inOutput: canariesIn(text, canaries), inWords, looks };
}

const plantedPlaces = 6;

/** A canary in a file, an archive, a process, its environment and the store, and escaped: in how many the search finds it. */
async function plantedFound(under: string, redis: RedisServers): Promise<number> {
  const planted = canary('planted');
  const folder = join(under, 'planted');
  const script = `mkdir -p ${folder}; echo ${planted.value} | gzip > ${folder}/x.gz; sleep 1`;
  const processes = [
    spawn('sh', ['-c', script]),
    spawn('sh', ['-c', 'sleep 1'], { env: { ...process.env, PLANTED: planted.value } }),
  ];
  const watches = processes.map(({ pid }) => watchWords(pid as number, [planted], { environment: true }));
  await Promise.all(processes.map((child) => new Promise((resolve) => child.once('close', resolve))));
  const inProcesses = watches.map((watch) => watch.stop().length);
  const inArchive = searchFolder(folder, [planted]).length;
  writeFileSync(join(folder, 'worker.token'), planted.value, { mode: 0o644 });
  const readable = searchFolder(folder, [planted]).length - inArchive;
  await redis.nodes[0]?.ask('SET', 'planted', planted.value);
  const inStore = redis.nodes.flatMap((node) => searchFolder(node.folder, [planted])).length;
  const escaped = ['', 'n:', 'na:', 'nam:'].flatMap((user) => {
    const text = `${user}${planted.value}${tail}`;
    return [Buffer.from(text).toString('base64'), encodeURIComponent(text), JSON.stringify(text)];
  });
  const inAll = escaped.every((text) => canariesIn(text, [planted]).length > 0) ? 1 : 0;
  return [...inProcesses, inArchive, readable, inStore, inAll].filter((count) => count > 0).length;
}

/** Where a token is sent wherever a request goes. */
async function leakedInControl(site: GuardedSite, under: string): Promise<number> {
  const rule = 'all.find((one) => one.origin === origin)';
  const file = 'packages/protocol/src/url/secrets.ts';
  const command = copyWith(
    [{ file, from: rule, to: '(origin ? all[0] : undefined)' }],
    join(under, 'source'),
  );
  const from = site.seen.length;
  const one = canary('control');
  const args = ['crawl', `${site.origin}/`, ...words, '--out', join(under, 'control'), '--quiet'];
  const env = { WEBFARER_CREDENTIALS: `${site.origin}/ bearer ${one.value}` };
  await runCommand({ args, env, canaries: [one], typed: false, command });
  return site.seen
    .slice(from)
    .filter(({ origin, headers }) => origin !== site.origin && headers.authorization?.includes(one.value))
    .length;
}
