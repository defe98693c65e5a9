import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { type Clock, WebfarerError } from '@webfarer/protocol';

/** Where a process spent its time. */
export interface CpuProfile {
  tookMs: number;
  /** Looks at what was running. */
  samples: number;
  /** Of the time, the share in which nothing ran. */
  idle: number;
  /** Those that ran longest themselves come first. */
  functions: ProfiledFunction[];
}

export interface ProfiledFunction {
  name: string;
  /** Without the folders above the package; empty for what is a part of the runtime. */
  file: string;
  /** From 1; 0 where there is none. */
  line: number;
  /** In the function itself, and with everything that it called. */
  ownMs: number;
  totalMs: number;
}

/** The profile of this process, one at a time. */
export interface CpuProfiler {
  profile(how: { ms: number; top: number; signal: AbortSignal }): Promise<CpuProfile>;
}

const sampleMicroseconds = 1_000;

export function createCpuProfiler(clock: Clock): CpuProfiler {
  let isBusy = false;
  return {
    async profile({ ms, top, signal }) {
      if (isBusy)
        throw new WebfarerError('conflict', 'a profile is being taken already', {
          next: 'Ask again when it is done, in a few seconds.',
        });
      isBusy = true;
      const session = new Session();
      try {
        session.connect();
        await session.post('Profiler.enable');
        await session.post('Profiler.setSamplingInterval', { interval: sampleMicroseconds });
        await session.post('Profiler.start');
        await clock.sleep(ms, signal).catch(() => undefined);
        const { profile } = await session.post('Profiler.stop');
        return summed(profile, top);
      } finally {
        session.disconnect();
        isBusy = false;
      }
    },
  };
}

type Profile = Profiler.Profile;

/** By function, over all places that it was called from. */
function summed({ nodes, samples = [], timeDeltas = [] }: Profile, top: number): CpuProfile {
  const own = new Map<number, number>();
  for (const [n, node] of samples.entries())
    own.set(node, (own.get(node) ?? 0) + (timeDeltas[n] ?? 0) / 1_000);
  const found = new Map<string, ProfiledFunction>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const functionOf = (id: number): [string, ProfiledFunction] => {
    const { functionName, url, lineNumber } = byId.get(id)?.callFrame ?? {
      functionName: '',
      url: '',
      lineNumber: -1,
    };
    const key = `${functionName} ${url} ${lineNumber}`;
    const known = found.get(key) ?? {
      name: functionName || '(anonymous)',
      file: withoutFolders(url),
      line: lineNumber + 1,
      ownMs: 0,
      totalMs: 0,
    };
    found.set(key, known);
    return [key, known];
  };
  for (const [id, ms] of own) {
    functionOf(id)[1].ownMs += ms;
    // One that calls itself is counted once.
    const above = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const [key, known] = functionOf(at);
      if (!above.has(key)) known.totalMs += ms;
      above.add(key);
    }
  }
  const tookMs = timeDeltas.reduce((sum, delta) => sum + delta, 0) / 1_000;
  const all = [...found.values()];
  const idleMs = all.find(({ name }) => name === '(idle)')?.ownMs ?? 0;
  return {
    tookMs: Math.round(tookMs),
    samples: samples.length,
    idle: tookMs === 0 ? 0 : rounded(Math.min(1, idleMs / tookMs)),
    functions: all
      .filter(({ name, ownMs, totalMs }) => !outside.has(name) && ownMs + totalMs > 0)
      .toSorted((a, b) => b.ownMs - a.ownMs)
      .slice(0, top)
      .map((one) => ({ ...one, ownMs: rounded(one.ownMs), totalMs: rounded(one.totalMs) })),
  };
}

const outside: ReadonlySet<string> = new Set(['(root)', '(idle)']);

/** Where the software is installed is nobody's business. */
function withoutFolders(url: string): string {
  const path = url.replace(/^file:\/\//, '');
  const at = Math.max(path.lastIndexOf('/node_modules/') + 1, path.lastIndexOf('/packages/') + 1);
  return at > 0 ? path.slice(at) : (path.split('/').at(-1) ?? '');
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
