import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FakeWeb } from '../fake-web/server.ts';
import { until } from './lab.ts';

/** Processes that are sent signals, and what is documented for each. */
export interface SignalWorld {
  name: string;
  actors: string[];
  states: SignalState[];
  /** The folder that holds the results. */
  judged: string;
  strike(moment: Moment): Promise<Trial>;
  /** Runs everything to its end, undisturbed. */
  finish(): Promise<void>;
  stop(): Promise<void>;
}

export type SignalState = 'starting' | 'running' | 'stopping' | 'store dead' | 'starting, store dead';

export interface Moment {
  actor: string;
  state: SignalState;
  signal: NodeJS.Signals;
}

export interface Trial {
  code: number | string;
  /** From the signal that ends it to its end. */
  tookMs: number;
  faults: string[];
}

interface Actor {
  words: string[];
  /** Documented exit codes after a stop signal, beside 130 for one that was still opening. */
  codes: number[];
  /** More words for the run that finishes the crawl. */
  last: string[];
  /** A file that must exist before it can start. */
  needs?: string;
}

export interface SignalWorldOptions {
  name: string;
  fake: FakeWeb;
  command: string;
  judged: string;
  actors: Record<string, Actor>;
  states: SignalState[];
  store?: { freeze(): Promise<void>; thaw(): Promise<void>; stop(): Promise<void> };
}

/** What docs/signals.md promises. */
const endsWithinMs = 30_000;
const interrupted = 130;
/** Frames of a stack, and what Node prints before them. */
const stackTrace = /^ {2,}at .+:\d+:\d+\)?$|^Node\.js v\d|Uncaught|triggerUncaughtException/m;

interface Running {
  child: ChildProcess;
  ended: Promise<number | string>;
  over: boolean;
  output: string;
}

export function createSignalWorld(options: SignalWorldOptions): SignalWorld {
  const { fake, actors, store } = options;
  const running = new Map<string, Running>();
  const states = mkdtempSync(join(process.env.WEBFARER_STATE ?? tmpdir(), 'signals-'));

  async function start(name: string, more: string[] = []): Promise<Running> {
    const { words = [], needs } = actors[name] ?? {};
    if (needs !== undefined) await until(`${needs} to exist`, () => existsSync(needs), 60_000);
    const child = spawn(process.execPath, [options.command, ...words, ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // What was killed in another round must not keep its hosts from this one.
      env: { ...process.env, WEBFARER_STATE: join(states, name) },
      // As a service manager or nohup would start it: without a terminal.
      detached: true,
    });
    const process_: Running = { child, over: false, output: '', ended: Promise.resolve(0) };
    const keep = (chunk: Buffer) => {
      process_.output = (process_.output + chunk.toString()).slice(-50_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    process_.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        process_.over = true;
        resolve(code ?? signal ?? 'gone');
      });
    });
    running.set(name, process_);
    return process_;
  }

  const isUp = (name: string) => running.get(name)?.over === false;

  /** Until it fetches, or has nothing left to fetch. */
  async function atWork(target: Running): Promise<void> {
    const { requests } = await fake.stats();
    const moved = async () => target.over || (await fake.stats()).requests > requests;
    await until('requests', moved, 8_000).catch(() => undefined);
    await later(Math.random() * 800);
  }

  /** Brings it to the state; answers whether it may still have been opening. */
  async function bring(target: Running, state: SignalState): Promise<void> {
    if (state === 'starting, store dead') await store?.freeze();
    if (state === 'starting' || state === 'starting, store dead') return await later(Math.random() * 1_500);
    await atWork(target);
    if (state === 'stopping') {
      target.child.kill('SIGTERM');
      await later(Math.random() * 600);
    }
    if (state === 'store dead') {
      await store?.freeze();
      await later(Math.random() * 3_000);
    }
  }

  /** Answers the exit code, or 'late' after the deadline. */
  async function endOf(target: Running): Promise<{ code: number | string; tookMs: number }> {
    const from = performance.now();
    const late = later(endsWithinMs).then(() => 'late' as const);
    const code = await Promise.race([target.ended, late]);
    const tookMs = performance.now() - from;
    if (code === 'late') {
      target.child.kill('SIGKILL');
      await target.ended;
    }
    return { code, tookMs };
  }

  async function strike({ actor, state, signal }: Moment): Promise<Trial> {
    if (isUp(actor)) {
      running.get(actor)?.child.kill('SIGTERM');
      await running.get(actor)?.ended;
    }
    const others = Object.keys(actors).filter((name) => name !== actor && !isUp(name));
    const isFirst = Object.keys(actors)[0] === actor;
    if (!isFirst) for (const name of others) await start(name);
    const target = await start(actor);
    if (isFirst && !state.startsWith('starting')) for (const name of others) await start(name);
    const faults: string[] = [];
    const where = `${options.name}, ${actor}, ${state}, ${signal}`;
    try {
      await bring(target, state);
      const wasOver = target.over;
      target.child.kill(signal);
      if (signal === 'SIGHUP' && !wasOver) {
        await later(700);
        const ended = target.over ? await target.ended : 0;
        if (ended !== 0 && state !== 'stopping' && !state.startsWith('starting'))
          faults.push(`${where}: ended with ${ended} though SIGHUP is ignored without a terminal`);
        target.child.kill('SIGTERM');
      }
      const { code, tookMs } = await endOf(target);
      if (code === 'late') faults.push(`${where}: did not end within 30 s:\n${target.output.slice(-2_000)}`);
      else if (!isDocumented(actor, state, code))
        faults.push(`${where}: exit code ${code}:\n${target.output.slice(-2_000)}`);
      if (stackTrace.test(target.output))
        faults.push(`${where}: stack trace:\n${target.output.slice(-2_000)}`);
      return { code, tookMs, faults };
    } finally {
      await store?.thaw();
    }
  }

  /** 0: it had finished before the signal came. 6: its store was dead, as the summary says. */
  function isDocumented(actor: string, state: SignalState, code: number | string): boolean {
    const codes = [...(actors[actor]?.codes ?? []), 0];
    // Before the program has begun, a signal ends it as the system does.
    if (state.startsWith('starting') && typeof code === 'string') return code.startsWith('SIG');
    if (state.startsWith('starting') || state === 'stopping') codes.push(interrupted);
    if (state.endsWith('store dead')) codes.push(6, interrupted);
    return codes.includes(Number(code));
  }

  return {
    name: options.name,
    actors: Object.keys(actors),
    states: options.states,
    judged: options.judged,
    strike,
    async finish() {
      for (const [name, { child, ended, over }] of running) {
        if (!over) child.kill('SIGTERM');
        await ended;
        running.delete(name);
      }
      const last: Running[] = [];
      for (const [name, actor] of Object.entries(actors)) last.push(await start(name, actor.last));
      for (const one of last) {
        const code = await Promise.race([one.ended, later(240_000).then(() => 'late')]);
        if (code !== 0) throw new Error(`${options.name}: the last run ended with ${code}:\n${one.output}`);
      }
    },
    async stop() {
      for (const { child, over, ended } of running.values()) {
        if (!over) child.kill('SIGKILL');
        await ended;
      }
      await store?.stop();
    },
  };
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
