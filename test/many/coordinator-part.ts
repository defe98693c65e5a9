import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { CrawlState } from '@webfarer/protocol';
import type { Durability } from '@webfarer/protocol/job';

export interface Setup {
  folder: string;
  /** 0 for any. */
  port: number;
  store?: string;
  durability: Durability;
  withoutLedger: boolean;
  /** How many times faster than others it sees time pass, and since when. */
  times: number;
  sinceMs: number;
  /** Private addresses that webhooks may be sent to. */
  webhookPrivate: string[];
}

export type Call = { number: number } & (
  | { do: 'create'; input: unknown; previous?: string }
  | { do: 'takeUp' }
  | { do: 'work' }
  | { do: 'ready' }
  | { do: 'delete'; name: string }
  | { do: 'states' }
);
type CallBody = Call extends infer C ? (C extends { number: number } ? Omit<C, 'number'> : never) : never;

/** Number 0: it has started. */
export interface Answer {
  number: number;
  value?: unknown;
  error?: string;
}

/** A coordinator process that can be asked, killed and started again. */
export interface CoordinatorPart {
  readonly name: string;
  readonly folder: string;
  readonly alive: boolean;
  /** The same in all its lives. */
  url(): string;
  start(): Promise<void>;
  /** As a power cut would. What it was asked and has not answered is rejected. */
  kill(): Promise<void>;
  /** `previous`: the folder of the crawl that it is a recrawl of. */
  create(input: unknown, previous?: string): Promise<{ id: string; folder: string }>;
  /** Takes up what its catalog lists, and follows the catalog. */
  takeUp(): Promise<void>;
  /** Starts a worker in its process. */
  work(): Promise<void>;
  ready(): Promise<void>;
  delete(name: string): Promise<boolean>;
  states(): Promise<{ name: string; state: CrawlState }[]>;
  output(): string;
}

export interface PartOptions {
  name: string;
  folder: string;
  store?: string | undefined;
  /** `strict` for servers that are to fail over; default `available`. */
  durability?: Durability;
  /** Its crawls know nothing of each other. */
  withoutLedger: boolean;
  /** Default 1. */
  times?: number;
  webhookPrivate?: string[];
}

const programPath = join(import.meta.dirname, 'coordinator-program.ts');

export function coordinatorPart(options: PartOptions): CoordinatorPart {
  const { name, folder, store, durability = 'available', withoutLedger } = options;
  const { times = 1, webhookPrivate = [] } = options;
  const sinceMs = Date.now();
  let child: ChildProcess | undefined;
  let url: string | undefined;
  let text = '';
  let number = 0;
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();

  function expectAnswer(of: number): Promise<unknown> {
    return new Promise((resolve, reject) => open.set(of, { resolve, reject }));
  }

  async function ask(body: CallBody): Promise<unknown> {
    if (!child) throw new Error(`${name} does not run`);
    const call = { ...body, number: ++number };
    const answer = expectAnswer(call.number);
    child.send(call);
    return await answer;
  }

  return {
    name,
    folder,
    get alive() {
      return child !== undefined;
    },
    url() {
      if (url === undefined) throw new Error(`${name} was never started`);
      return url;
    },
    async start() {
      const port = url === undefined ? 0 : Number(new URL(url).port);
      const where = store === undefined ? {} : { store };
      const setup: Setup = {
        folder,
        port,
        durability,
        withoutLedger,
        times,
        sinceMs,
        webhookPrivate,
        ...where,
      };
      const born = fork(programPath, [JSON.stringify(setup)], {
        execArgv: [],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...process.env, WEBFARER_STATE: `${folder}.state` },
      });
      const keep = (chunk: Buffer) => {
        text = (text + chunk.toString()).slice(-50_000);
      };
      born.stdout?.on('data', keep);
      born.stderr?.on('data', keep);
      const started = expectAnswer(0);
      born.on('message', ({ number: of, value, error }: Answer) => {
        if (error === undefined) open.get(of)?.resolve(value);
        else open.get(of)?.reject(new Error(error));
        open.delete(of);
      });
      born.once('close', (code, signal) => {
        if (child === born) child = undefined;
        for (const { reject } of open.values())
          reject(new Error(`${name} ended: ${code ?? signal}\n${text.slice(-2_000)}`));
        open.clear();
      });
      child = born;
      url = ((await started) as { url: string }).url;
    },
    async kill() {
      const dying = child;
      if (!dying) return;
      const gone = new Promise((resolve) => dying.once('close', resolve));
      dying.kill('SIGKILL');
      await gone;
    },
    create: async (input, previous) => {
      const than = previous === undefined ? {} : { previous };
      return (await ask({ do: 'create', input, ...than })) as { id: string; folder: string };
    },
    takeUp: async () => void (await ask({ do: 'takeUp' })),
    work: async () => void (await ask({ do: 'work' })),
    ready: async () => void (await ask({ do: 'ready' })),
    delete: async (crawl) => (await ask({ do: 'delete', name: crawl })) as boolean,
    states: async () => (await ask({ do: 'states' })) as { name: string; state: CrawlState }[],
    output: () => text,
  };
}
