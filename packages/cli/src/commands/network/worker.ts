import { browserSettings } from '../../machine/browser-settings.ts';
import { saveSettings } from '../../machine/save-settings.ts';
import { resolve } from 'node:path';
import { createEventBus, logEvents, writeEvents } from '@webfarer/coordinator';
import { type WebfarerEvent, WebfarerError, type WorkerId } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import type { LinkState, OpenWorker, OpenWorkerLook } from '@webfarer/worker';
import { jsonLine } from '@webfarer/protocol/crawl';
import { parseSize } from '@webfarer/protocol/job';
import type { CliContext } from '../../context/context.ts';
import { shownPath } from '../../folder/folders.ts';
import { climbStopLadder } from '../../crawling/stop-ladder.ts';
import { count, plural, stopwatch } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import { wholeNumber } from '../../job/crawl-options.ts';
import { givenIdentityKey } from '../../secrets/given-secrets.ts';
import { identityKeyText } from '../../secrets/secret-options.ts';
import { addDiagnosticsOptions, type DiagnosticsOptions } from '../../diagnostics/diagnostics-options.ts';
import { openDiagnostics } from '../../diagnostics/open-diagnostics.ts';
import { collect, type CommandHome } from '../home.ts';

interface WorkerCommandOptions extends DiagnosticsOptions {
  tokenFile?: string;
  out: string;
  connections: string;
  minFree: string;
  allowPrivate?: string[];
  allowModules?: boolean;
  allowStorage?: string[];
  untilDone?: boolean;
  json?: boolean;
  quiet?: boolean;
}

export function addWorkerCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('worker')
    .description('Fetches for the given coordinators until it is stopped. Reconnects on its own.')
    .argument('<url...>', 'coordinator URLs, such as http://10.0.0.5:7311; one is enough to find the others')
    .option('--token-file <file>', "the coordinator's worker.token (or WEBFARER_TOKEN in the environment)")
    .option('--out <folder>', 'folder for its captures and its identity', './webfarer-worker')
    .option('--connections <n>', 'hosts to fetch from in parallel', '100')
    .option('--min-free <size>', 'disk space to leave free; below it the worker pauses', '50MB')
    .option(
      '--allow-private <host>',
      'private address that a coordinator on another machine may have this worker fetch',
      collect,
    )
    .option('--identity-key <file>', identityKeyText)
    .option('--allow-modules', 'let jobs run scraper and saver modules of this machine')
    .option(
      '--allow-storage <place>',
      'object storage that a coordinator on another machine may have this worker save to (s3://BUCKET)',
      collect,
    )
    .option('--until-done', 'exit when every crawl is over')
    .option('--json', 'events as JSON lines on stdout')
    .option('--quiet', 'only trouble');
  addDiagnosticsOptions(command);
  command.action(async (urls: string[], options: WorkerCommandOptions) => {
    exit(await work(context, urls, options));
  });
}

async function work(context: CliContext, urls: string[], options: WorkerCommandOptions): Promise<number> {
  const folder = resolve(context.cwd, options.out);
  const token = await tokenOf(context, options);
  const connections = wholeNumber(options.connections, '--connections', 100);
  const minFreeBytes = parseSize(options.minFree);
  if (minFreeBytes === undefined)
    throw new WebfarerError('usage', `--min-free ${options.minFree} is not a size`, {
      next: 'Write --min-free 500MB',
    });
  const { openWorkerFolder } = await import('../../network/worker-folder.ts');
  const { id, key: workerKey, lock } = await openWorkerFolder(folder, context.version);
  try {
    const { consentOf, guardLoop, openWorker, takeLastEnd } = await import('@webfarer/worker');
    const { signingKeyOf } = await import('../../secrets/signing-key-of.ts');
    const key = givenIdentityKey();
    const { keepManifest } = await import('../../network/worker-manifest.ts');
    const say = speaker(context, options);
    const worker = id as WorkerId;
    const events = createEventBus({ clock: context.clock, failed: rethrow });
    logEvents(events, folder);
    if (options.json) writeEvents(events, context.terminal.out);
    events.publish({ type: 'worker-started', worker, version: context.version });
    const { json = false, quiet = false } = options;
    const lastEnd = takeLastEnd(folder);
    if (lastEnd !== undefined) {
      events.publish({ type: 'failed', code: 'blocks-worker', message: lastEnd });
      say.lastEnd(lastEnd);
    }
    const guard = guardLoop({ folder });
    const diagnostics = await openDiagnostics(context, options, { role: 'worker', folder, json, quiet });
    const { metrics, tracing } = diagnostics;
    diagnostics.log?.attach(events, () => undefined);
    const service = openWorker({
      metrics,
      tracing,
      link: { kind: 'network', urls, token, key: workerKey },
      id: worker,
      version: context.version,
      folder,
      prepareFolder: keepManifest({ member: id, baseFolder: context.cwd, clock: context.clock }),
      baseFolder: context.cwd,
      member: id,
      connections,
      minFreeBytes,
      indexed: true,
      clock: context.clock,
      random: Math.random,
      ...browserSettings(),
      ...saveSettings(context.clock),
      changed(state) {
        events.publish(linkEvent(state));
        say.link(state);
      },
      crawls: say.crawls,
      unable(crawl, error) {
        events.publish(failedEvent(error));
        say.unable(crawl, error);
      },
      consent: consentOf(urls, options),
      ...(key ? { signingKey: signingKeyOf(key) } : {}),
    });
    say.hello(id, shownPath(folder, context.cwd));
    const over = new AbortController();
    const saying = saySometimes(context, { service, options, urls, signal: over.signal });
    try {
      const why = await untilEnded(context, service, options);
      events.publish({ type: 'worker-stopped', worker, why, pages: service.look().pages });
      return 0;
    } catch (error) {
      events.publish(failedEvent(error));
      throw error;
    } finally {
      over.abort();
      await saying;
      await guard.stop();
      await diagnostics.stop();
    }
  } finally {
    lock.release();
  }
}

function linkEvent({ connected, url, coordinator, lastError, outbox }: LinkState): WebfarerEvent {
  if (connected) return { type: 'link-up', url: url ?? '', coordinator: coordinator ?? '' };
  return { type: 'link-down', reason: lastError ?? '', outbox };
}

function failedEvent(error: unknown): WebfarerEvent {
  const code = error instanceof WebfarerError ? error.code : 'internal';
  return { type: 'failed', code, message: error instanceof Error ? error.message : String(error) };
}

function rethrow(error: unknown): never {
  throw error;
}

async function untilEnded(
  context: CliContext,
  service: OpenWorker,
  options: WorkerCommandOptions,
): Promise<keyof typeof partings> {
  const asked = Promise.withResolvers<'asked'>();
  let stopping: Promise<void> | undefined;
  const stop = (now: boolean) => {
    stopping = Promise.all([stopping, service.stop({ now })]).then(() => undefined);
    return stopping;
  };
  const ladder = climbStopLadder(context, {
    stop: () => asked.resolve('asked'),
    drop: () => void stop(true).catch(() => undefined),
  });
  try {
    const started = service.start();
    const why = await Promise.race([asked.promise, endOf(service, options), started.then(() => never)]);
    const lastLook = service.look();
    await stop(false);
    await stopping;
    if (!options.json && !options.quiet) context.terminal.out(`  ${partingWords(why, lastLook)}\n`);
    return why;
  } catch (error) {
    await stop(true).catch(() => undefined);
    throw error;
  } finally {
    ladder.end();
  }
}

const partings = {
  asked: 'stopped; finished pages are reported, the rest are back in the queue',
  drain: 'the coordinator asked this worker to exit',
  over: 'every crawl is over',
} as const;

function partingWords(why: keyof typeof partings, { link }: OpenWorkerLook): string {
  if (why !== 'asked' || link.everConnected) return partings[why];
  return `stopped without having connected to a coordinator: ${clean(link.lastError ?? 'the first attempt was still running')}`;
}

const never = new Promise<never>(() => undefined);

/** A worker stays for crawls that come later, unless it was told to leave. */
async function endOf(service: OpenWorker, { untilDone }: WorkerCommandOptions): Promise<'drain' | 'over'> {
  const why = await service.ended;
  return why === 'over' && !untilDone ? await never : why;
}

const SAY_MS = 10_000;
/** Longer than a restart of the coordinator takes. */
const AWAY_MS = 3_000;

interface Saying {
  service: OpenWorker;
  options: WorkerCommandOptions;
  urls: string[];
  signal: AbortSignal;
}

/** One line every ten seconds: what it does, or what it waits for. */
async function saySometimes(context: CliContext, { service, options, urls, signal }: Saying): Promise<void> {
  const { clock, terminal } = context;
  const startedAtMs = clock.now();
  for (let waitMs = AWAY_MS; !signal.aborted; waitMs = SAY_MS) {
    await clock.sleep(waitMs, signal).catch(() => undefined);
    const look = service.look();
    const away = !look.link.connected;
    if (signal.aborted || (waitMs === AWAY_MS && !away) || (options.quiet && !away)) continue;
    if (options.json) terminal.out(jsonLine({ type: 'look', ...look }));
    else terminal.out(`  ${stopwatch(clock.now() - startedAtMs)}  ${lookWords(look, urls)}\n`);
  }
}

export function lookWords(look: OpenWorkerLook, urls: string[]): string {
  const { link, inFlight, held, pages, pause, written } = look;
  const kept = link.outbox > 0 ? [`${plural(link.outbox, 'report')} kept until then`] : [];
  if (!link.connected)
    return [
      `no coordinator at ${urls.map(clean).join(', ')} after ${plural(link.attempts, 'attempt')}; retrying`,
      ...(link.lastError === undefined ? [] : [`last error: ${clean(link.lastError)}`]),
      ...kept,
    ].join('   ');
  const paused = pause ? [`paused: ${clean(pause.text)}`] : [];
  const isIdle = inFlight + held === 0 && !written.some(({ open }) => open);
  const done = isIdle && pages === 0 ? [] : [plural(pages, 'page')];
  return [...done, isIdle ? 'waiting for work' : `in flight ${count(inFlight)}`, ...paused].join('   ');
}

async function tokenOf(context: CliContext, { tokenFile }: WorkerCommandOptions): Promise<() => string> {
  const { rotatedToken } = await import('../../network/given-token.ts');
  const token = await rotatedToken(context, tokenFile);
  if (token !== undefined) return token;
  throw new WebfarerError('usage', 'A worker needs the token of its coordinator.', {
    next: "Copy worker.token from the coordinator's --data folder and pass it with --token-file, or set WEBFARER_TOKEN.",
  });
}

/** Plain lines, or JSON: a worker is looked at in a log, not on a screen. */
export function speaker(
  { terminal }: Pick<CliContext, 'terminal'>,
  { json, quiet, untilDone }: Pick<WorkerCommandOptions, 'json' | 'quiet' | 'untilDone'>,
) {
  const line = (text: string) => terminal.out(`  ${text}\n`);
  let linked: boolean | undefined;
  let lastWhy = '';
  let known = '';
  let over = false;
  /** It said that it waits, and has not been connected since. */
  let waits = false;
  /** With nothing left to do nobody misses a coordinator that has ended, nor how often it is tried in vain. */
  function lost({ lastError }: LinkState): void {
    if (!over) return line(`not connected: ${clean(lastError ?? 'the connection was lost')}; retrying`);
    if (!untilDone && !quiet && !waits)
      line('every crawl is over and the coordinator has exited; waiting for another one');
    waits = true;
  }
  return {
    hello(id: string, folder: string): void {
      if (!json && !quiet) line(`worker ${id}   in ${folder}`);
    },
    lastEnd(why: string): void {
      if (!json) line(`! the process before this one was ended: ${clean(why)}`);
    },
    link(state: LinkState): void {
      if (json) return;
      const why = state.connected ? '' : (state.lastError ?? '');
      if (state.connected === linked && why === lastWhy) return;
      linked = state.connected;
      lastWhy = why;
      if (state.connected && !quiet) line(`connected to ${clean(state.url ?? '')}`);
      if (state.connected) waits = false;
      else lost(state);
    },
    unable({ job }: LinkCrawl, error: unknown): void {
      if (json) return;
      const { message, next } = error as Partial<WebfarerError>;
      line(`! ${clean(job.name)} is left out here: ${clean(message ?? String(error))}`);
      if (next !== undefined) line(`  ${clean(next)}`);
    },
    crawls(crawls: readonly LinkCrawl[], isOver: boolean): void {
      over = isOver;
      const text = crawls.map(({ job, state }) => `${clean(job.name)} (${state})`).join(', ');
      if (json || quiet || text === known) return;
      known = text;
      line(
        crawls.length === 0
          ? 'nothing to fetch yet; waiting for work'
          : `${plural(crawls.length, 'crawl')}: ${text}`,
      );
    },
  };
}
