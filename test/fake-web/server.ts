import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Reply } from './control.ts';
import { type LogEntry, readLog } from './request-log.ts';
import type { ProcessOptions, Started, Stats } from './site-process.ts';
import { createWeb, type Web } from './web.ts';

/** A fake web that runs in a process of its own, so that it shares no event loop with the crawler. */
export interface FakeWeb extends Started {
  readonly web: Web;
  readonly pid: number;
  /** What a job needs to reach it: `fetch.dns`, `fetch.ca` and `fetch.allowPrivate`. */
  readonly fetch: { dns: string[]; ca: string; allowPrivate: string[] };
  /** All requests since the start or the last clear, in the order they arrived. */
  log(): Promise<LogEntry[]>;
  clearLog(): Promise<void>;
  /** Clears the log and lets pages that answer differently the second time begin anew. */
  reset(): Promise<void>;
  /** Turns to the web a while later, on the same ports, and answers it: what is right from now on. */
  turn(epoch: number): Promise<Web>;
  /** Closes listeners, resets all connections and stops the name server. */
  vanish(): Promise<void>;
  /** Comes back on the same ports. */
  return(): Promise<void>;
  stats(): Promise<Stats>;
  stop(): Promise<void>;
}

type CommandBody = Command extends infer C ? (C extends { id: number } ? Omit<C, 'id'> : never) : never;

export async function startFakeWeb(options: ProcessOptions): Promise<FakeWeb> {
  const child = fork(join(import.meta.dirname, 'main.ts'), [JSON.stringify(options)], { execArgv: [] });
  const ask = channel(child);
  const started = (await ask.started) as Started;
  const web = createWeb({ ...options, httpPort: started.httpPort, httpsPort: started.httpsPort });
  const tell = async (body: CommandBody): Promise<void> => {
    await ask.send(body);
  };
  return {
    ...started,
    web,
    pid: child.pid ?? 0,
    fetch: { dns: [`127.0.0.1:${started.dnsPort}`], ca: started.caFile, allowPrivate: ['127.0.0.0/8'] },
    async log() {
      const file = join(tmpdir(), `fake-web-log-${child.pid}-${process.hrtime.bigint()}`);
      try {
        await ask.send({ do: 'dumpLog', file });
        return readLog(file);
      } finally {
        rmSync(file, { force: true });
      }
    },
    clearLog: () => tell({ do: 'clearLog' }),
    reset: () => tell({ do: 'reset' }),
    async turn(epoch) {
      await tell({ do: 'turn', epoch });
      return createWeb({ ...options, httpPort: started.httpPort, httpsPort: started.httpsPort, epoch });
    },
    vanish: () => tell({ do: 'vanish' }),
    return: () => tell({ do: 'return' }),
    stats: () => ask.send({ do: 'stats' }) as Promise<Stats>,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((done) => child.once('exit', done));
      // Its end may be told before its answer is.
      await Promise.race([tell({ do: 'stop' }), gone]).catch(() => undefined);
      await gone;
    },
  };
}

interface Channel {
  started: Promise<unknown>;
  send(body: CommandBody): Promise<unknown>;
}

/** Numbered questions and answers; all open ones fail when the process ends. */
function channel(child: ChildProcess): Channel {
  const open = new Map<number, { done: (value: unknown) => void; failed: (error: Error) => void }>();
  let last = 0;
  const wait = (id: number): Promise<unknown> =>
    new Promise((done, failed) => {
      open.set(id, { done, failed });
    });
  child.on('message', (reply: Reply) => {
    const waiting = open.get(reply.id);
    open.delete(reply.id);
    if (reply.error === undefined) waiting?.done(reply.value);
    else waiting?.failed(new Error(`fake web: ${reply.error}`));
  });
  child.once('exit', (code, signal) => {
    for (const waiting of open.values()) waiting.failed(new Error(`the fake web ended (${code ?? signal})`));
    open.clear();
  });
  return {
    started: wait(0),
    send(body) {
      const id = ++last;
      const answered = wait(id);
      child.send({ ...body, id } satisfies Command);
      return answered;
    },
  };
}
