import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Ready, Seen, WebOptions } from './main.ts';

/** The hostile web: its good and its bad hosts, each in a process of their own. */
export interface HostileWeb extends Ready {
  seen(): Promise<Seen>;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startHostileWeb(options: WebOptions): Promise<HostileWeb> {
  const bad = await startPart({ ...options, goodHosts: 0 });
  const good = await startPart({ ...options, others: bad.ready.addresses });
  return {
    ...good.ready,
    bad: bad.ready.bad,
    async seen() {
      const { goodMs, goodPages, contacted } = await good.ask<Seen>('seen');
      const harm = await bad.ask<Seen>('seen');
      return {
        goodMs,
        goodPages,
        pagesPastRobots: harm.pagesPastRobots,
        contacted: contacted + harm.contacted,
      };
    },
    async reset() {
      await Promise.all([good.ask('reset'), bad.ask('reset')]);
    },
    async stop() {
      await Promise.all([good.stop(), bad.stop()]);
    },
  };
}

interface Part {
  ready: Ready;
  ask<T>(what: string): Promise<T>;
  stop(): Promise<void>;
}

async function startPart(options: WebOptions): Promise<Part> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'main.ts'), [JSON.stringify(options)], {
    execArgv: [],
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`the hostile web ended (${code})`);
  });
  gone.catch(() => {});
  const next = async <T>(): Promise<T> => (await Promise.race([once(child, 'message'), gone]))[0] as T;
  const ready = await next<Ready>();
  return {
    ready,
    ask: (what) => {
      const answer = next();
      child.send(what);
      return answer as Promise<never>;
    },
    async stop() {
      child.send('stop');
      await gone.catch(() => {});
    },
  };
}
