import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { startFakeWeb } from '../fake-web/server.ts';
import { holds, judge, type Judgement } from '../judge/judge.ts';
import type { JudgedRecord } from '../judge/judge-records.ts';
import { labGapMs, smallJob, until } from '../prove/lab.ts';
import { type Box, openBox } from './box.ts';
import { compose, deploy, imageConfig } from './files.ts';
import { makeCertificates, startNginx } from './proxy.ts';

export interface Trial {
  /** Where deploy/container/assemble put the program. */
  app: string;
  /** The Node that runs it. */
  node: string;
  /** Empty, and readable by everyone. */
  folder: string;
}

export interface Lived {
  failures: string[];
  judgement: Judgement;
  holds: boolean;
  stops: { name: string; code: number | string; ms: number }[];
  health: Record<string, number | string>;
}

const CRAWL_MS = 180_000;
/** Requests after which everything is stopped once. */
const STOP_AFTER = 15;
const host = 'crawl.example.org';
const { env: imageEnv, entrypoint, user, health: healthCommand } = imageConfig();

/** The services of compose.yaml as processes, in a network of their own, with the nginx example in front. */
async function live({ app, node, folder }: Trial): Promise<Lived> {
  const { services } = compose({ WEBFARER_ALLOW_PRIVATE: '127.0.0.0/8' });
  const fake = await startFakeWeb({ size: 'S', seed: 16 });
  const boxes: Box[] = [];
  const failures: string[] = [];
  const certificates = makeCertificates(folder, host);
  const secrets = makeSecrets(folder);
  const names = file('hosts', `127.0.0.1 localhost coordinator valkey objects ${host}\n`);
  const nginx = startNginx(folder, certificates);

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o644 });
    return path;
  }

  function data(name: string, owner: string): string {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    const [uid = 0, gid = uid] = owner.split(':').map(Number);
    chownSync(path, uid, gid);
    return path;
  }

  const common = {
    '/etc/hosts': names,
    '/app': app,
    '/opt/node': node,
    '/web-ca.pem': file('web-ca.pem', readFileSync(fake.fetch.ca, 'utf8')),
  };
  const environment = (service: string, n: number): Record<string, string> => ({
    ...imageEnv,
    ...services[service]?.environment,
    PATH: (imageEnv.PATH ?? '').replace('$PATH', '/opt:/usr/bin:/bin'),
    // One network for all of them, where each container has its own.
    WEBFARER_METRICS: `127.0.0.1:${9464 + n}`,
    NODE_EXTRA_CA_CERTS: '/ca.pem',
  });

  function start(service: string, n: number, more: Record<string, string> = {}): Box {
    const { secrets: named = [], command = [] } = services[service] ?? {};
    const mounted = named.map((name) => [`/run/secrets/${name}`, join(secrets, name)] as const);
    const box = openBox({
      name: service,
      user,
      env: { ...environment(service, n), ...more },
      words: [...entrypoint, ...command],
      folders: { '/data': data(service, user) },
      files: { ...common, '/ca.pem': certificates.ca, ...Object.fromEntries(mounted) },
    });
    boxes.push(box);
    return box;
  }

  function store(): Box {
    const { command = [], user: owner = '' } = services.valkey as { command?: string[]; user?: string };
    const box = openBox({
      name: 'valkey',
      user: owner,
      env: { PATH: '/usr/bin:/bin' },
      words: command.map((word) => (word === 'valkey-server' ? 'redis-server' : word)),
      folders: { '/data': data('valkey', owner) },
      files: {
        '/etc/hosts': names,
        '/etc/valkey/valkey.conf': join(deploy, 'compose/valkey.conf'),
        '/run/secrets/valkey-auth': join(secrets, 'valkey-auth'),
      },
    });
    boxes.push(box);
    return box;
  }

  /** A command of an operator, through nginx. */
  async function operator(...words: string[]): Promise<string> {
    const box = openBox({
      name: words.join(' '),
      user,
      env: { ...environment('coordinator', 9), WEBFARER_AT: `https://${host}` },
      words: [...entrypoint, ...words, '--token-file', '/operator-token'],
      folders: {},
      files: {
        ...common,
        '/ca.pem': certificates.ca,
        '/operator-token': join(secrets, 'operator-token'),
        '/job.json': join(folder, 'job.json'),
      },
    });
    const code = await box.ended;
    if (code !== 0) throw new Error(`webfarer ${words.join(' ')}: exit ${code}: ${box.output().slice(-600)}`);
    return box.output();
  }

  async function healthOf(box: Box, n: number): Promise<number | string> {
    const check = openBox({
      name: `health of ${box.name}`,
      user,
      env: { ...environment(box.name, n) },
      words: healthCommand,
      folders: {},
      files: common,
    });
    const code = await check.ended;
    if (code !== 0) failures.push(`health of ${box.name}: ${check.output().slice(-300)}`);
    return code;
  }

  async function startAll(): Promise<[Box, Box, Box]> {
    const coordinator = start('coordinator', 0);
    await coordinator.says('Listening on');
    const first = start('worker-1', 1);
    // This one comes from elsewhere, through the proxy.
    const second = start('worker-2', 2, { WEBFARER_COORDINATORS: `https://${host}` });
    for (const worker of [first, second]) await worker.says('connected to');
    return [coordinator, first, second];
  }

  try {
    const { job, expect } = smallJob(fake);
    file('job.json', JSON.stringify({ ...job, fetch: { ...job.fetch, ca: '/web-ca.pem' } }));
    const valkey = store();
    await valkey.says('Ready to accept');
    const before = await startAll();
    await operator('start', '/job.json', '--name', 'proof');
    await until(
      'the crawl to be under way',
      async () => [...(await fake.log())].length >= STOP_AFTER,
      CRAWL_MS,
    );
    // As an engine does when everything is stopped in the middle of a crawl.
    const stops = await Promise.all(before.map(async (box) => ({ name: box.name, ...(await box.stop()) })));
    for (const { name, code } of stops)
      if (code !== 0) failures.push(`${name} ended with ${code} after SIGTERM`);
    const fetched = [...(await fake.log())].length;
    const [coordinator] = await startAll();
    await operator('results', 'proof', '--follow');
    const health = { coordinator: await healthOf(coordinator, 0) };
    const shown = JSON.parse(await operator('status', `https://${host}`, '--json')) as { workers: unknown[] };
    if (shown.workers.length !== 2) failures.push(`${shown.workers.length} workers are connected, not 2`);
    const records = recordsIn(await operator('results', 'proof', '--json'));
    if (fetched >= records.length) failures.push('the crawl was over before anything was stopped');
    const judgement = await judge({
      web: fake.web,
      expect,
      log: await fake.log(),
      records,
      gapMs: labGapMs,
      hostPages: fake.web.hostBudget(),
    });
    return { failures, judgement, holds: holds(judgement), stops, health };
  } catch (error) {
    const said = boxes.map((box) => `--- ${box.name}\n${box.output().slice(-1500)}`).join('\n');
    throw new Error(`${String(error)}\n${said}`, { cause: error });
  } finally {
    for (const box of boxes) box.kill();
    nginx.kill();
    await fake.stop();
  }
}

function recordsIn(lines: string): JudgedRecord[] {
  return lines
    .split('\n')
    .filter((line) => line.includes('"kind":"record"'))
    .map((line) => {
      const { url, record } = JSON.parse(line) as { url: string; record: JudgedRecord };
      return { ...record, url: url as JudgedRecord['url'] };
    });
}

/** As an operator does, in a copy of the folder. */
function makeSecrets(folder: string): string {
  const copy = join(folder, 'compose');
  cpSync(join(deploy, 'compose'), copy, { recursive: true });
  const made = spawnSync(join(copy, 'make-secrets'), { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`make-secrets: ${made.stderr}`);
  // Docker mounts the files as root, whoever may enter the folder; so does a user who is inside.
  chmodSync(join(copy, 'secrets'), 0o755);
  return join(copy, 'secrets');
}

const timer = setTimeout(() => {
  console.error(`the trial has not ended after ${CRAWL_MS} ms`);
  process.exit(1);
}, CRAWL_MS);
const lived = await live(JSON.parse(process.argv[2] ?? '{}') as Trial);
clearTimeout(timer);
process.stdout.write(JSON.stringify(lived), () => process.exit(0));
