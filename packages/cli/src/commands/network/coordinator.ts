import { join, resolve } from 'node:path';
import type { Coordinator, TlsFiles, TokenFiles } from '@webfarer/coordinator';
import { isLoopback, parseListen } from '@webfarer/coordinator/api/http/listen-address';
import { readManifest } from '@webfarer/coordinator/folder/manifest';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { resolveJob, type Storages, storagesSchema, type StoreChoice } from '@webfarer/protocol/job';
import { readLogInFile, readSettingsFile, readSiteOwnersFile } from '@webfarer/protocol/node';
import type { CliContext } from '../../context/context.ts';
import { type CrawlOptions, storeChoice, withOverrides } from '../../job/crawl-options.ts';
import { endingExit } from '../../crawl/ending.ts';
import { shownPath } from '../../folder/folders.ts';
import { addDiagnosticsOptions, type DiagnosticsOptions } from '../../diagnostics/diagnostics-options.ts';
import { openDiagnostics } from '../../diagnostics/open-diagnostics.ts';
import type { CoordinatorService } from '../../network/coordinator-service.ts';
import { readStoredJob } from '../../network/stored-job.ts';
import { type CrawlPlan, runCrawl } from '../../crawling/run-crawl.ts';
import { climbStopLadder } from '../../crawling/stop-ladder.ts';
import { watchCoordinator } from '../../crawling/watch-coordinator.ts';
import { plural } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import { growForManyWorkers } from '../../machine/young-generation.ts';
import {
  addCredentialsOption,
  addJobOptions,
  addStoreOptions,
  crawlPlan,
  type OutputOptions,
} from '../crawl.ts';
import { collect, type CommandHome } from '../home.ts';
import { planOfJob, runPlan } from '../run.ts';

interface CoordinatorOptions extends CrawlOptions, DiagnosticsOptions {
  data: string;
  listen: string;
  advertise?: string;
  tlsCert?: string;
  tlsKey?: string;
  workerTokenFile?: string;
  operatorTokenFile?: string;
  join?: string;
  capacity: string;
  webhookPrivate?: string[];
  logIn?: string;
  siteOwners?: string;
  storages?: string;
  withWorker?: boolean;
  untilDone?: boolean;
  json?: boolean;
  quiet?: boolean;
}

export function addCoordinatorCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('coordinator')
    .description(
      'Hosts crawls and hands their URLs to workers. Without a job it waits for crawls that start, schedule or its API give it. Run the same command again to resume them; workers reconnect on their own.',
    )
    .argument('[job.yml|url...]', 'a job file or a seed to begin with')
    .optionsGroup('The server:')
    .option(
      '--data <folder>',
      'where its crawls, their results and the tokens are kept',
      './webfarer-coordinator',
    )
    .option('--listen <address:port>', 'address that workers connect to', '127.0.0.1:7311')
    .option('--advertise <url>', 'URL to advertise, if it differs from the address it listens on')
    .option('--tls-cert <file>', 'certificate for https (PEM, with its chain); read again when it changes')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option('--worker-token-file <file>', 'worker token to use, in place of one made at the first start')
    .option('--operator-token-file <file>', 'operator token to use, likewise')
    .option(
      '--log-in <file>',
      'let people log in with an OpenID provider, as the file describes (docs/log-in.md)',
    )
    .option(
      '--site-owners <file>',
      'serve a public page at /owners on which owners of sites stop or slow down crawls (docs/site-owners.md)',
    )
    .option(
      '--storages <file>',
      'object storage that jobs may name, as the file describes (docs/object-storage.md)',
    )
    .option('--join <url>', 'another coordinator of the same --store; warns if it is not found')
    .option('--capacity <n>', 'relative share of the workers: 2 gets twice as many as 1', '1')
    .option('--name <name>', 'name of the crawl (default: the host of the first seed)')
    .option(
      '--webhook-private <host>',
      'private address (origin or CIDR range) that webhooks may be sent to',
      collect,
    )
    .option('--with-worker', 'also fetch in this process')
    .option('--until-done', 'exit when the crawl is over, with its exit code; take up no other crawl')
    .option('--json', 'events as JSON lines on stdout')
    .option('--quiet', 'only notes and the summary');
  addStoreOptions(command);
  addCredentialsOption(command);
  addJobOptions(command);
  addDiagnosticsOptions(command);
  command.action(async (words: string[], options: CoordinatorOptions) => {
    exit(await serve(context, words, options));
  });
}

async function serve(context: CliContext, words: string[], options: CoordinatorOptions): Promise<number> {
  const capacity = capacityOf(options.capacity);
  // Pages that it fetched itself would fill whatever room there is.
  if (!options.withWorker) growForManyWorkers();
  const plan = await planOf(context, words, options);
  const store = plan ? plan.open.job.store : storeOf(options);
  refuseJoiningAlone(store, options);
  const folder = resolve(context.cwd, options.data);
  const { json = false, quiet = false } = options;
  const diagnostics = await openDiagnostics(context, options, { role: 'coordinator', folder, json, quiet });
  const { metrics, tracing, log } = diagnostics;
  const { openCoordinatorService } = await import('../../network/coordinator-service.ts');
  const service = await openCoordinatorService({
    folder: resolve(context.cwd, options.data),
    listen: parseListen(options.listen),
    advertise: options.advertise,
    ...tlsOf(context, options),
    tokenFiles: tokenFilesOf(context, options),
    withWorker: options.withWorker ?? false,
    baseFolder: context.cwd,
    clock: context.clock,
    capacity,
    webhookPrivate: options.webhookPrivate ?? [],
    ...(options.logIn === undefined
      ? {}
      : { logIn: await readLogInFile(resolve(context.cwd, options.logIn)) }),
    ...(options.siteOwners === undefined
      ? {}
      : { siteOwners: await readSiteOwnersFile(resolve(context.cwd, options.siteOwners)) }),
    ...(options.storages === undefined
      ? {}
      : { storages: await readStorages(resolve(context.cwd, options.storages)) }),
    join: options.join,
    metrics,
    tracing,
    log,
    standing: !options.untilDone,
  });
  try {
    return await (plan
      ? serveCrawl(context, { plan, service, options })
      : stand(context, { service, options, store }));
  } finally {
    await diagnostics.stop();
  }
}

/** The object storage that jobs may name. */
async function readStorages(path: string): Promise<Storages> {
  return await readSettingsFile(path, { schema: storagesSchema, docs: 'docs/object-storage.md' });
}

/** With a crawl in the foreground: its progress, its summary and its exit code. */
async function serveCrawl(
  context: CliContext,
  { plan, service, options }: { plan: CrawlPlan; service: CoordinatorService; options: CoordinatorOptions },
): Promise<number> {
  let isOpen = false;
  const stopping = climbStopLadder(context, {
    // Nothing has begun that would have to be finished; a store that does not answer must not keep it here.
    stop: () => void (isOpen || context.exitNow(endingExit.interrupted)),
    drop: () => undefined,
  });
  // A request that comes between two listeners reaches the next one.
  const onInterrupt: CliContext['onInterrupt'] = (handler) => {
    if (stopping.asked > 0) handler();
    return context.onInterrupt(handler);
  };
  try {
    const openLocal: typeof service.open = async (open) => {
      const opened = await service.open(open);
      isOpen = true;
      // Not before: until then there is no token, and nobody is let in.
      sayWhere(context, service, options);
      return opened;
    };
    const local = { ...context.local, openLocal };
    const code = await runCrawl({ ...context, onInterrupt, local }, plan);
    const over = code === 0 || code === endingExit['threshold-missed'];
    if (!options.untilDone && over && stopping.asked === 0) await servedUntilInterrupted(context, options);
    // Asked to end, a server that did so has done well.
    return !options.untilDone && (over || code === endingExit.interrupted) ? 0 : code;
  } finally {
    await service.stop();
    stopping.end();
  }
}

function tlsOf({ cwd }: CliContext, { tlsCert, tlsKey }: CoordinatorOptions): { tls?: TlsFiles } {
  if (tlsCert === undefined && tlsKey === undefined) return {};
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { tls: { certFile: resolve(cwd, tlsCert), keyFile: resolve(cwd, tlsKey) } };
  throw new WebfarerError('usage', 'TLS needs a certificate and its private key', {
    next: 'Give both --tls-cert and --tls-key.',
  });
}

function tokenFilesOf(
  { cwd }: CliContext,
  { workerTokenFile: worker, operatorTokenFile: operator }: CoordinatorOptions,
): TokenFiles {
  return {
    ...(worker === undefined ? {} : { worker: resolve(cwd, worker) }),
    ...(operator === undefined ? {} : { operator: resolve(cwd, operator) }),
  };
}

/** Without one: it takes up what it has and stays until it is told to stop. */
async function stand(
  context: CliContext,
  {
    service,
    options,
    store,
  }: { service: CoordinatorService; options: CoordinatorOptions; store: StoreChoice | undefined },
): Promise<number> {
  const asked = Promise.withResolvers<void>();
  let isOpen = false;
  const stopping = climbStopLadder(context, {
    stop: () => (isOpen ? asked.resolve() : context.exitNow(endingExit.interrupted)),
    drop: () => void service.stop({ now: true }),
  });
  const shown = { json: options.json ?? false, quiet: options.quiet ?? false };
  try {
    const { coordinator, warnings } = await service.stand({ store, ledger: context.ledger });
    isOpen = true;
    const unwatch = watchCoordinator(context, coordinator, shown);
    sayWhere(context, service, options);
    for (const warning of warnings) context.terminal.err(`  ! ${warning}\n`);
    if (!shown.json && !shown.quiet) await sayNext(context, { coordinator, options });
    await Promise.race([asked.promise, coordinator.failure]);
    unwatch();
    return 0;
  } finally {
    await service.stop();
    stopping.end();
  }
}

function capacityOf(text: string): number {
  const capacity = Number(text);
  if (capacity > 0 && capacity <= 1_000) return capacity;
  throw new WebfarerError('usage', `--capacity needs a number above 0 and up to 1000, not ${text}`, {
    next: 'Write 2 for a machine that should have twice as many workers as the others.',
  });
}

function refuseJoiningAlone(store: StoreChoice | undefined, { join: peer }: CoordinatorOptions): void {
  if (peer === undefined || store) return;
  throw new WebfarerError(
    'usage',
    `--join ${peer} needs --store, through which coordinators find each other`,
    {
      next: 'Start every coordinator with the same --store redis://host:6379. Or run one coordinator and add workers:  webfarer worker URL',
    },
  );
}

/** The store that its crawls are kept in, as the command line names it. */
function storeOf(options: CoordinatorOptions): StoreChoice | undefined {
  const store = storeChoice(storeWords(options));
  return store === undefined ? undefined : resolveJob({ seeds: ['http://none.invalid/'], store }).store;
}

/** The crawl that the words describe, or the one that is in the folder; undefined: none is in the foreground. */
async function planOf(
  context: CliContext,
  words: string[],
  options: CoordinatorOptions,
): Promise<CrawlPlan | undefined> {
  const folder = resolve(context.cwd, options.data);
  const [first] = words;
  const shown = { json: options.json ?? false, quiet: options.quiet ?? false };
  const where = { out: folder, ...shown, ...storeWords(options) };
  if (first !== undefined && words.length === 1 && /\.(ya?ml|json)$/i.test(first))
    return await runPlan(context, first, { ...options, ...where });
  if (first !== undefined) return crawlPlan(context, words, { ...options, ...where });
  if (await readManifest(folder))
    return await runPlan(context, join(folder, 'crawl.json'), { ...options, ...where });
  if (!options.untilDone && options.name === undefined) return undefined;
  if (options.store !== undefined) return await storedPlan(context, options, where);
  throw new WebfarerError('usage', `There is no crawl in ${shownPath(folder, context.cwd)} yet.`, {
    next: 'Name a job file or a seed:  webfarer coordinator example.org --data ./data',
  });
}

/** A machine that has no job file joins what the others work on. */
async function storedPlan(
  context: CliContext,
  { store: url = '', insecureStore: insecure = false, name }: CoordinatorOptions,
  where: OutputOptions & ReturnType<typeof storeWords>,
): Promise<CrawlPlan> {
  const { clock, cwd } = context;
  const { input: kept, durability, ...stored } = await readStoredJob({ url, insecure, name, clock });
  const input = withOverrides(kept, { durability, ...where });
  const job = { input, job: resolveJob(input), path: join(cwd, 'crawl.json'), typed: stored.name };
  return planOfJob(context, job, where);
}

function storeWords({ store, durability, insecureStore }: CoordinatorOptions) {
  return {
    ...(store === undefined ? {} : { store }),
    ...(durability === undefined ? {} : { durability }),
    ...(insecureStore === undefined ? {} : { insecureStore }),
  };
}

/** Where it listens and how a worker gets in: what the next machine must know. */
function sayWhere(context: CliContext, service: CoordinatorService, options: CoordinatorOptions): void {
  const { terminal, launcher, cwd } = context;
  const { url } = service;
  if (options.json) return terminal.out(jsonLine({ type: 'listening', url, id: service.id }));
  const token = shownPath(join(options.data, 'worker.token'), cwd);
  terminal.out(`Listening on ${url}\n`);
  if (isLoopback(service.listen.host))
    terminal.out('  reachable from this machine only (--listen 0.0.0.0:7311 accepts others)\n');
  else terminal.out(`  reachable from other machines; workers need ${token}\n`);
  if (options.withWorker) terminal.out('  this process also fetches; more machines can:\n');
  terminal.out(`  workers:  ${launcher} worker ${url} --token-file ${token}\n`);
  const own = options.operatorTokenFile ?? join(options.data, 'operator.token');
  terminal.out(`  console:  ${url}/ (log in with the token in ${shownPath(own, cwd)})\n`);
}

/** What a person can do now: see what it has, give it a crawl, and have somebody fetch. */
async function sayNext(
  context: CliContext,
  { coordinator, options }: { coordinator: Coordinator; options: CoordinatorOptions },
): Promise<void> {
  const { terminal, cwd, launcher } = context;
  const crawls = coordinator.crawls();
  const names = crawls.slice(0, MOST_NAMED).map(({ name, state }) => `${clean(name)} (${state})`);
  if (crawls.length > MOST_NAMED) names.push('…');
  const { atWords } = await import('../../network/coordinator-at.ts');
  const at = await atWords(context, resolve(cwd, options.data));
  const steps = [
    [`${launcher} init`, 'write a job file'],
    [`${launcher} start job.yml${at}`, 'crawl it now'],
    [`${launcher} schedule add weekly job.yml --every 1w${at}`, 'or again and again'],
    [`${launcher} ls${at}`, 'list the crawls'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  terminal.out(
    crawls.length === 0 ? '  no crawl yet\n' : `  ${plural(crawls.length, 'crawl')}: ${names.join(', ')}\n`,
  );
  terminal.out('  next, in another terminal:\n');
  for (const [command, what] of steps) terminal.out(`    ${command.padEnd(width)}   ${what}\n`);
  terminal.out('  Press Ctrl-C to stop; the same command resumes.\n');
}

/** Crawls that are named when it starts. */
const MOST_NAMED = 10;

async function servedUntilInterrupted(context: CliContext, { json }: CoordinatorOptions): Promise<void> {
  if (!json) context.terminal.out('  the crawl is over; still serving its status. Press Ctrl-C to exit.\n');
  await new Promise<void>((resolve) => {
    const stop = context.onInterrupt(() => {
      stop();
      resolve();
    });
  });
}
