import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
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
  // On the web they are other people's machines: here they take what the crawler and the good hosts leave.
  setPriority(bad.pid, 15);
  const good = await startPart({ ...options, others: bad.ready.addresses });
  return {
    ...good.ready,
    bad: bad.ready.bad,
    async seen() {
      const { goodAtMs, contacted } = await good.ask<Seen>('seen');
      const worse = await bad.ask<Seen>('seen');
      return { ...worse, goodAtMs, contacted: contacted + worse.contacted };
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
  pid: number;
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
    pid: child.pid ?? 0,
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
