import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Canary, canariesIn, canary, searchFolder, watchWords } from '../secrets/canaries.ts';
import { type GuardedSite, startGuardedSite } from '../secrets/guarded-site.ts';
import { commandPath, workFolder } from './lab.ts';

/** Long enough for a busy machine; a crawl here has six pages. */
const COMMAND_MS = 90_000;
const storeUser = 'crawler';

/**
 * Passwords that exist nowhere else are given in every place where one can be given: typed, in the environment, in
 * files; for the store, the proxy and a site. Crawls, a coordinator with a worker, and every command that looks at
 * their folders run with them. Then all that was printed, the process list while it ran, the folders with archives and
 * reports, and what the store wrote to its disk are searched, and the servers say what they were sent. Where a password
 * was typed the process list counts from the first printed word on: before that nobody can have masked it. Controls: a
 * planted canary is found in each place, and without the rule of the origin a password reaches another one.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('secrets');
  const site = await startGuardedSite();
  const redis = await startRedis({ parent: work.path });
  try {
    const rounds = quick ? 1 : 3;
    const total = { canaries: 0, commands: 0, looks: 0, found: [] as string[], sentElsewhere: 0 };
    let [authorised, proxied] = [0, 0];
    for (let round = 1; round <= rounds; round++) {
      const figures = await runRound({ site, redis, under: work.path, round, quick });
      total.canaries += figures.canaries.length;
      total.commands += figures.commands;
      total.looks += figures.looks;
      total.found.push(...figures.found);
      total.sentElsewhere += figures.sentElsewhere;
      authorised += figures.authorised;
      proxied += figures.proxied;
    }
    const planted = await plantedFound(work.path, redis);
    const leaked = await leakedInControl(site, work.path);
    for (const what of total.found.slice(0, 20)) console.error(`  found ${what}`);
    const { found, ...counts } = total;
    return {
      ok:
        found.length + total.sentElsewhere === 0 &&
        authorised > 0 &&
        proxied > 0 &&
        planted === 4 &&
        leaked > 0,
      result: {
        ...counts,
        found: found.length,
        authorised,
        proxied,
        plantedFound: planted,
        sentElsewhereInControl: leaked,
        sizes: { rounds },
      },
    };
  } finally {
    await site.stop();
    await redis.stop();
    work.remove();
  }
}

interface Round {
  site: GuardedSite;
  redis: RedisServers;
  under: string;
  round: number;
  quick: boolean;
}

async function runRound({ site, redis, under, round, quick }: Round) {
  const folder = (name: string) => join(under, `${name}-${round}`);
  const file = (name: string, text: string) => {
    const path = join(under, `${name}-${round}.secret`);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  const canaries: Canary[] = [];
  const made = (name: string) => {
    const one = canary(`${name}${round}`, name.startsWith('store') ? storeUser : 'name');
    canaries.push(one);
    return one.value;
  };
  const storeAddress = async (password: string) => {
    for (const node of redis.nodes)
      await node.ask('ACL', 'SETUSER', storeUser, 'on', `>${password}`, '~*', '&*', '+@all');
    return redis.url.replace('redis://', `redis://${storeUser}:${password}@`);
  };
  const siteAddress = (password: string) => `${site.origin.replace('://', `://name:${password}@`)}/`;
  const proxyAddress = (password: string) => `http://name:${password}@127.0.0.1:${site.proxyPort}`;
  const words = [
    '--contact',
    'https://lab.test/',
    '--stay',
    'web',
    '--allow-private',
    '127.0.0.0/8',
    '--gap',
    '5ms',
  ];
  const from = site.seen.length;
  const fromProxy = site.atProxy.length;
  const ran: Ran[] = [];
  const run = async (args: string[], more: Partial<RunOptions> = {}) => {
    ran.push(await runCommand({ args, canaries, typed: false, env: {}, ...more }));
  };

  const typed = folder('typed');
  const typedStore = await storeAddress(made('store-typed'));
  await run(
    [
      'crawl',
      siteAddress(made('site-typed')),
      '--proxy',
      proxyAddress(made('proxy-typed')),
      '--store',
      typedStore,
      '--name',
      `typed${round}`,
      '--out',
      typed,
      ...words,
    ],
    { typed: true },
  );
  const filed = folder('filed');
  const storeFile = file('store', await storeAddress(made('store-file')));
  await run([
    'crawl',
    `${site.origin}/`,
    '--store-file',
    storeFile,
    '--name',
    `filed${round}`,
    '--json',
    '--proxy-file',
    file('proxy', proxyAddress(made('proxy-file'))),
    '--credentials-file',
    file('site', siteAddress(made('site-file'))),
    '--processes',
    '2',
    '--out',
    filed,
    ...words,
  ]);
  const served = folder('served');
  const given = await storeAddress(made('store-env'));
  const env = {
    WEBFARER_STORE: given,
    WEBFARER_PROXY: proxyAddress(made('proxy-env')),
    WEBFARER_CREDENTIALS: siteAddress(made('site-env')),
  };
  await run(
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
  );
  for (const role of ['worker', 'operator']) {
    const value = readFileSync(join(served, `${role}.token`), 'utf8').trim();
    canaries.push({ name: `${role}-token${round}`, value, forms: [value] });
  }
  const token = file('token', '');
  await run(['token', 'new', 'worker', '--token-file', token], { env });
  const value = readFileSync(token, 'utf8').trim();
  canaries.push({ name: `new-token${round}`, value, forms: [value] });
  await run(['token', 'list'], { env });
  await run(['store', 'crawls'], { env });
  const looks = [
    ['status'],
    ['report', '--json'],
    ['export', '--jsonl'],
    ['export', '--wacz', join(under, `${round}.wacz`)],
    ['doctor'],
  ];
  for (const [n, crawl] of [typed, filed, served].entries()) {
    const store = crawl === filed ? { WEBFARER_STORE: readFileSync(storeFile, 'utf8').trim() } : env;
    const chosen = quick ? [looks[n] ?? [], looks[n + 2] ?? []] : looks;
    for (const [name = '', ...how] of chosen) await run([name, crawl, ...how], { env: store });
  }
  // What fails says most.
  await run(['crawl', `name:${made('site-odd')}@127.0.0.2`, '--out', folder('odd')], { typed: true });
  await run(['store', 'crawls', '--store', `redis://name:${made('store-dead')}@127.0.0.1:1`], {
    typed: true,
  });
  const found = [
    ...ran.flatMap(({ command, inOutput, inWords }) => [
      ...inOutput.map((name) => `${name} in the output of ${command}`),
      ...inWords.map((name) => `${name} in the process list, ${command}`),
    ]),
    ...[typed, filed, served].flatMap((each) => searchFolder(each, canaries)),
    ...redis.nodes.flatMap((node) => searchFolder(node.folder, canaries)),
  ];
  for (const { command, code, text } of ran)
    if (code !== 0) console.error(`  ${command} ended with ${code}: ${text.slice(-200).trim()}`);
  const seen = site.seen.slice(from);
  const own = (host: string) => `http://${host}` === site.origin;
  return {
    canaries,
    commands: ran.length,
    looks: ran.reduce((sum, { looks }) => sum + looks, 0),
    found,
    authorised: seen.filter(({ host, authorization }) => own(host) && authorization).length,
    sentElsewhere: seen.filter(
      ({ host, authorization, proxyAuthorization }) => (!own(host) && authorization) || proxyAuthorization,
    ).length,
    proxied: site.atProxy.slice(fromProxy).filter((header) => canariesIn(header, canaries).length > 0).length,
  };
}

interface RunOptions {
  args: string[];
  env: Record<string, string>;
  canaries: readonly Canary[];
  /** A secret is among the words. */
  typed: boolean;
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

async function runCommand({ args, env, canaries, typed, command = commandPath }: RunOptions): Promise<Ran> {
  const child = spawn(process.execPath, [command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let text = '';
  const pid = child.pid as number;
  let watch = typed ? undefined : watchWords(pid, canaries);
  const keep = (chunk: Buffer) => {
    text += chunk.toString();
    watch ??= watchWords(pid, canaries);
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

/** A canary in a file, an archive, a process and the store: in how many of them the same search finds it. */
async function plantedFound(under: string, redis: RedisServers): Promise<number> {
  const planted = canary('planted');
  const folder = join(under, 'planted');
  const child = spawn('sh', [
    '-c',
    `mkdir -p ${folder}; echo ${planted.value} | gzip > ${folder}/x.gz; sleep 2`,
  ]);
  const watch = watchWords(child.pid as number, [planted]);
  await new Promise((resolve) => child.once('close', resolve));
  const inWords = watch.stop().length;
  const inArchive = searchFolder(folder, [planted]).length;
  writeFileSync(join(folder, 'worker.token'), planted.value, { mode: 0o644 });
  const readable = searchFolder(folder, [planted]).length - inArchive;
  await redis.nodes[0]?.ask('SET', 'planted', planted.value);
  const inStore = redis.nodes.flatMap((node) => searchFolder(node.folder, [planted])).length;
  return [inWords, inArchive, readable, inStore].filter((count) => count > 0).length;
}

/** Where a password is sent wherever a request goes. */
async function leakedInControl(site: GuardedSite, under: string): Promise<number> {
  const rule = 'all.find((one) => one.origin === origin)';
  const file = 'packages/protocol/src/url/secrets.ts';
  const command = copyWith(
    [{ file, from: rule, to: '(origin ? all[0] : undefined)' }],
    join(under, 'source'),
  );
  const from = site.seen.length;
  const one = canary('control');
  const url = `${site.origin.replace('://', `://name:${one.value}@`)}/`;
  const args = ['crawl', url, '--contact', 'https://lab.test/', '--stay', 'web', '--gap', '5ms'];
  args.push('--allow-private', '127.0.0.0/8', '--out', join(under, 'control'), '--quiet');
  await runCommand({ args, env: {}, canaries: [one], typed: true, command });
  return site.seen
    .slice(from)
    .filter(({ host, authorization }) => `http://${host}` !== site.origin && authorization).length;
}
