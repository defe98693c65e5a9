// watches: packages/cli/src/crawling, packages/cli/src/crawl, packages/cli/src/network, packages/cli/src/processes
// watches: packages/cli/src/terminal, packages/coordinator/src/network
// misses: processes that do not stop, or stop with another code than documented
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { copyWith } from '../faults/changed-source.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { freePorts } from '../redis/server-process.ts';
import { judgeFolder } from './judge-folder.ts';
import { argument, briskJob, commandPath, smallJob, workFolder, writeJob } from './lab.ts';
import { startStore } from './shared-crawl.ts';
import { createSignalWorld, type SignalWorld, type Trial } from './signal-world.ts';

// ci: rated, because it judges how soon processes end.

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const sizes = { quick: { moments: 6 }, full: { moments: 40 } } as const;

/**
 * Stop signals at random moments of a crawl, a coordinator and a worker that start, run, stop or have lost their
 * store. Each process must do what docs/signals.md says within 30 s: exit with the documented code, or continue on
 * SIGHUP without a terminal. None may print a stack trace, and the crawl, resumed, must lose nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const moments = Number(argument(args, '--count') ?? (quick ? sizes.quick : sizes.full).moments);
  const work = workFolder('signals');
  const trials: Trial[] = [];
  const faults: string[] = [];
  let lost = 0;
  const labs: Lab[] = [];
  async function runWorld(kind: keyof typeof worlds): Promise<void> {
    const lab = await openLab(join(work.path, kind), quick, labs);
    const world = await worlds[kind](lab, kind);
    try {
      const count = Math.max(1, Math.round(moments * shares[kind]));
      for (let n = 0; n < count; n++) trials.push(await strike(world, n));
      await world.finish();
      lost += await judged(lab, world.judged, faults);
    } finally {
      await world.stop();
    }
  }
  try {
    // The short form waits for a dead store while it does the rest.
    if (quick) await Promise.all(kinds.map(runWorld));
    else for (const kind of kinds) await runWorld(kind);
    for (const trial of trials) faults.push(...trial.faults);
    for (const fault of faults) console.error(`  ✗ ${fault}`);
    const foundInControl = await control(await openLab(join(work.path, 'control'), quick, labs));
    const slowestMs = Math.round(Math.max(...trials.map(({ tookMs }) => tookMs)));
    const stackTraces = faults.filter((fault) => fault.includes('stack trace')).length;
    return {
      ok: faults.length === 0 && lost === 0,
      tooEasy: foundInControl === 0,
      result: {
        moments: trials.length,
        late: faults.filter((fault) => fault.includes('did not end')).length,
        stackTraces,
        faults: faults.length,
        lost,
        slowestMs,
        foundInControl,
        sizes: { moments },
      },
    };
  } finally {
    for (const { fake } of labs) await fake.stop();
    work.remove();
  }
}

const shares = { crawl: 0.35, network: 0.45, store: 0.2 };
const kinds = ['crawl', 'network', 'store'] as const;

/** A web of its own for each world, so that each is judged by its own log. */
async function openLab(folder: string, quick: boolean, labs: Lab[]): Promise<Lab> {
  mkdirSync(folder, { recursive: true });
  const fake = await startFakeWeb({ size: 'S', seed: 6 });
  const { job, expect } = quick ? smallJob(fake) : briskJob(fake);
  const file = join(folder, 'job.json');
  await writeJob(file, job);
  const lab: Lab = { fake, file, expect, folder, command: commandPath };
  labs.push(lab);
  return lab;
}

async function strike(world: SignalWorld, n: number): Promise<Trial> {
  const actor = world.actors[n % world.actors.length] ?? '';
  const states = world.states;
  const state = states[Math.floor(n / world.actors.length) % states.length] ?? 'running';
  const signal = signals[Math.floor(Math.random() * signals.length)] ?? 'SIGTERM';
  const trial = await world.strike({ actor, state, signal });
  console.error(
    JSON.stringify({
      world: world.name,
      actor,
      state,
      signal,
      code: trial.code,
      ms: Math.round(trial.tookMs),
    }),
  );
  return trial;
}

interface Lab {
  fake: FakeWeb;
  file: string;
  expect: ExpectOptions;
  folder: string;
  command: string;
}

async function judged({ fake, expect }: Lab, folder: string, faults: string[]): Promise<number> {
  const judgement = await judgeFolder(fake, folder, expect);
  if (!holds(judgement, { repeats: Number.POSITIVE_INFINITY }))
    faults.push(`the resumed crawl is not whole: ${JSON.stringify(judgement)}`);
  return judgement.lost;
}

const worlds = {
  async crawl({ fake, file, folder, command }: Lab, name: string): Promise<SignalWorld> {
    const out = join(folder, `${name}.crawl`);
    return createSignalWorld({
      name,
      fake,
      command,
      judged: out,
      actors: { crawl: { words: ['run', file, '--out', out, '--quiet'], codes: [130], last: [] } },
      states: ['running', 'starting', 'stopping'],
    });
  },

  async network(lab: Lab, name: string): Promise<SignalWorld> {
    const actors = await networkActors(lab, name, []);
    return createSignalWorld({ ...lab, name, ...actors, states: ['running', 'starting', 'stopping'] });
  },

  async store(lab: Lab, name: string): Promise<SignalWorld> {
    const store = await startStore('redis');
    const [server] = store.nodes;
    const actors = await networkActors(lab, name, ['--store', store.url]);
    return createSignalWorld({
      ...lab,
      name,
      ...actors,
      states: ['store dead', 'starting, store dead'],
      store: {
        freeze: async () => await server?.kill('SIGSTOP'),
        thaw: async () => await server?.kill('SIGCONT'),
        stop: () => store.stop(),
      },
    });
  },
};

async function networkActors({ file, folder }: Lab, name: string, more: string[]) {
  const [port = 0] = await freePorts('127.0.0.1', 1);
  const data = join(folder, `${name}-data`);
  const url = `http://127.0.0.1:${port}`;
  const token = join(data, 'worker.token');
  const listen = ['--data', data, '--listen', `127.0.0.1:${port}`, '--quiet'];
  return {
    judged: data,
    actors: {
      coordinator: { words: ['coordinator', file, ...listen, ...more], codes: [0], last: ['--until-done'] },
      worker: {
        words: ['worker', url, '--token-file', token, '--out', join(folder, `${name}-worker`), '--quiet'],
        codes: [0],
        last: ['--until-done'],
        needs: token,
      },
    },
  };
}

/** With a stop that throws, the same judge must find stack traces: otherwise it proves nothing. */
async function control(lab: Lab): Promise<number> {
  const command = copyWith(
    [
      {
        file: 'packages/cli/src/crawling/stop-ladder.ts',
        from: 'asked++;',
        to: "asked++; setImmediate(() => { throw new Error('control'); });",
      },
    ],
    join(lab.folder, 'source'),
  );
  const world = await worlds.crawl({ ...lab, command }, 'control');
  try {
    const { faults } = await world.strike({ actor: 'crawl', state: 'running', signal: 'SIGTERM' });
    return faults.length;
  } finally {
    await world.stop();
  }
}
