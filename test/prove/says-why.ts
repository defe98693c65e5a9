// watches: packages/protocol/src/crawl/stall.ts, packages/coordinator/src/crawl/watch, packages/coordinator/src/crawl
// watches: packages/coordinator/src/stores, packages/coordinator/src/api, packages/cli/src/view
// watches: packages/cli/src/terminal, packages/cli/src/network
// misses: a crawl that waits and names a wrong cause, or none
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTicks, worthMs } from '../demand/silences.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Cause, causes, type Setting } from '../says-why/causes.ts';
import { openScreen, type Screen } from '../says-why/screen.ts';
import { closedPort } from '../says-why/site.ts';
import { quickSurfaces, type Said, statusCause } from '../says-why/surfaces.ts';
import { argument, commandPath, until, workFolder, writeJob } from './lab.ts';

const quickCauses = ['retry-after', 'connect-refused', 'no-worker', 'store-full'];
/** All four surfaces name it within this time. */
const WITHIN_MS = 5_000;
/** After this nobody waits any more, however busy the machine is. */
const GIVE_UP_MS = 60_000;

/**
 * Causes of standing still, made real one by one with a coordinator in a terminal and a worker: the screen, `status
 * --json`, the event and `/ready` must name the same true cause within 5 s of time that the machine had for them.
 * `--cause NAME` runs one. The control runs a copy that has forgotten what went wrong with a host; it must be caught.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--cause');
  const chosen = causes.filter(({ cause }) =>
    only ? cause === only : !quick || quickCauses.includes(cause),
  );
  const folder = workFolder('says-why');
  const trial = (cause: Cause, command?: string) => tryCause(cause, join(folder.path, cause.cause), command);
  try {
    const control = controlTrial(folder.path);
    const found: Outcome[] = [];
    if (quick) found.push(...(await Promise.all(chosen.map((cause) => trial(cause)))));
    else for (const cause of chosen) found.push(await trial(cause));
    const caught = await control;
    const wrong = found.filter(({ ok }) => !ok);
    return {
      ok: wrong.length === 0 && caught,
      result: {
        causes: found.length,
        wrong: wrong.length,
        controlCaught: caught,
        slowestSeconds: Math.max(...found.map(({ ms }) => ms)) / 1_000,
        wrongCauses: wrong.map(({ cause, said }) => ({ cause, ...said, screen: said.screen.slice(-300) })),
        sizes: { causes: chosen.map(({ cause }) => cause) },
      },
    };
  } finally {
    folder.remove();
  }
}

interface Outcome {
  cause: string;
  ok: boolean;
  /** How long it took until all named it. */
  ms: number;
  said: Said;
}

async function tryCause(cause: Cause, under: string, command = commandPath): Promise<Outcome> {
  mkdirSync(under, { recursive: true });
  const setting = await cause.make(under);
  const lab = await startLab(setting, under, command);
  const ticks = startTicks();
  try {
    const sinceNs = await setting.happens(lab);
    const calmMs = () => Math.round(worthMs(ticks, sinceNs));
    const started = performance.now();
    let said: Said;
    do {
      said = { ...(await quickSurfaces(lab)), status: undefined };
      if (isNamed(cause, { ...said, status: cause.cause })) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } while (calmMs() <= WITHIN_MS && performance.now() - started < GIVE_UP_MS);
    const ms = calmMs();
    said.status = await statusCause(lab).catch((error: unknown) => `no status: ${String(error)}`);
    const ok = isNamed(cause, said) && ms <= WITHIN_MS;
    console.error(
      `  ${cause.cause}: ${ok ? `named after ${ms} ms` : `WRONG ${JSON.stringify({ ...said, screen: said.screen.slice(-400) })}`}`,
    );
    return { cause: cause.cause, ok, ms, said };
  } finally {
    ticks.stop();
    await lab.stop();
    await setting.stop();
  }
}

function isNamed({ cause, screen, ready }: Cause, said: Said): boolean {
  const same = said.status === cause && said.event === cause && said.ready === cause;
  return same && said.readyStatus === ready && screen.test(said.screen);
}

interface Lab {
  folder: string;
  url: string;
  screen: Screen;
  command: string;
  stop(): Promise<void>;
}

async function startLab(setting: Setting, under: string, command: string): Promise<Lab> {
  const folder = setting.data ?? join(under, 'data');
  const job = join(under, 'job.json');
  const { fetch, limits, ...rest } = setting.job;
  await writeJob(job, {
    name: 'why',
    seeds: [],
    contact: 'https://lab.test/crawler',
    ...rest,
    limits: { minFree: '1MB', ...limits },
    fetch: { allowPrivate: ['127.0.0.0/8'], timeout: '10s', ...fetch },
  });
  const port = await closedPort();
  const url = `http://127.0.0.1:${port}`;
  const store = setting.store === undefined ? [] : ['--store', setting.store];
  const words = ['coordinator', job, '--data', folder, '--listen', `127.0.0.1:${port}`, ...store];
  const screen = openScreen([process.execPath, command, ...words], join(under, 'coordinator.pid'));
  const workers: ChildProcess[] = [];
  try {
    const token = join(folder, 'worker.token');
    await until(
      'the coordinator to listen',
      () => existsSync(token) && /Listening on/.test(screen.text()),
      60_000,
    );
    for (let n = 0; n < (setting.workers ?? 1); n++) {
      const out = setting.workerFolder ?? join(under, `worker-${n}`);
      const own = ['worker', url, '--token-file', token, '--out', out, ...(setting.workerWords ?? [])];
      workers.push(spawn(process.execPath, [command, ...own], { stdio: 'ignore' }));
    }
  } catch (error) {
    console.error(screen.text().slice(-2_000));
    await screen.kill();
    throw error;
  }
  return {
    folder,
    url,
    screen,
    command,
    async stop() {
      for (const worker of workers) {
        const gone = new Promise((resolve) => worker.once('close', resolve));
        if (worker.exitCode === null && worker.signalCode === null && worker.kill('SIGKILL')) await gone;
      }
      await screen.kill();
    },
  };
}

/** The reason of a trouble is not remembered: then a refused connection is "after trouble" again. */
const forgetful: Change = {
  file: 'packages/protocol/src/crawl/stall.ts',
  from: "return why === 'backoff' ? (known ?? 'trouble') : byWait[why];",
  to: "return why === 'backoff' && known === 'dns-failed' ? known : byWait[why];",
};

async function controlTrial(under: string): Promise<boolean> {
  const refused = causes.find(({ cause }) => cause === 'connect-refused') as Cause;
  const command = copyWith([forgetful], join(under, 'source'));
  const { ok, said } = await tryCause(refused, join(under, 'control'), command);
  return !ok && said.status === 'trouble';
}
