import type { HostLease } from '@webfarer/protocol';
import { WebSocket } from 'ws';
import { randomFrom } from '../fuzz/random.ts';
import { until } from '../prove/lab.ts';
import { baseFrames, type FrameName, refOf, type Subject } from './base-frames.ts';
import type { HonestWeb } from './honest-web.ts';
import { type Mutation, mutated, mutations, type Path, pathsOf } from './mutations.ts';

export interface LiarOptions {
  /** Of the coordinator. */
  url: string;
  token: string;
  web: HonestWeb;
  count: number;
  seed: number;
  /** Only these; by default all. */
  frames?: readonly FrameName[];
  /** Only fields of this name; by default all. */
  field?: string;
}

export interface Lies {
  frames: number;
  /** Answered with a value, with an error, or with nothing but a closed connection. */
  answered: number;
  refused: number;
  /** Errors that no frame should be able to cause. */
  defects: string[];
  connections: number;
}

/** As many as one connection is forgiven. */
const strikes = 5;
const ANSWER_MS = 20_000;
const mostOffers = 1_500;

interface Line {
  send(frame: object | string): void;
  /** Sends it and waits for its answer; undefined when the connection ended instead. */
  ask(frame: object): Promise<Answer | undefined>;
  /** Everything sent before has been read, or the connection is closed. */
  flushed(): Promise<void>;
  readonly open: boolean;
  readonly errors: number;
  end(): void;
}

interface Answer {
  type: string;
  id?: number;
  value?: unknown;
  code?: string;
  message?: string;
}

/** Connects with a good token, takes leases as any worker does, and says things that no worker says. */
export async function lie(options: LiarOptions): Promise<Lies> {
  const { web, count } = options;
  const random = randomFrom(options.seed);
  const lies: Lies = { frames: 0, answered: 0, refused: 0, defects: [], connections: 0 };
  const names = options.frames ?? (Object.keys(baseFrames) as FrameName[]);
  let crawl = '';
  let held: HostLease[] = [];
  let subject: Subject | undefined;
  let line = await connect();

  async function connect(): Promise<Line> {
    lies.connections++;
    const { opened, crawl: found } = await dial(options, lies);
    crawl = found;
    return opened;
  }

  async function freshLine(): Promise<Line> {
    if (line.open && line.errors < strikes) return line;
    line.end();
    line = await connect();
    return line;
  }

  /** A lease of a host that nobody minds; what else it is given goes back untouched. */
  async function takeLease(): Promise<void> {
    const at = await freshLine();
    const answer = await at.ask({ type: 'lease', hosts: 20, urlsPerHost: 3 });
    const leases = (answer?.value as { leases?: HostLease[] } | undefined)?.leases ?? [];
    held = leases.filter(({ host }) => web.lost.includes(host));
    const others = leases.filter(({ host }) => !web.lost.includes(host)).map(refOf);
    if (others.length > 0) await at.ask({ type: 'release', leases: others, all: false });
  }

  async function leased(): Promise<boolean> {
    if (held.length === 0) await takeLease();
    return held.length > 0;
  }

  async function nextSubject(): Promise<Subject> {
    await leased();
    // At first: the seeds may still be on their way into the queue.
    if (!subject) await until('a lease', leased, ANSWER_MS);
    const lease = held[0] ?? subject?.lease;
    if (!lease) throw new Error('there was nothing to lease');
    subject = { crawl, lease, web, n: 10 + (lies.frames % mostOffers) };
    return subject;
  }

  const isWanted = (path: Path) => options.field === undefined || path.at(-1) === options.field;
  const placesIn = (name: FrameName, about: Subject) => pathsOf(baseFrames[name](about)).filter(isWanted);
  const schedule = interleaved(names, placesIn, random);
  while (lies.frames < count) {
    const about = await nextSubject();
    const at = await freshLine();
    const before = at.errors;
    let ofLease = 0;
    // Not more than would be read if all of them were refused.
    for (let room = strikes - before; room > 0 && lies.frames < count; room--) {
      const { name, changes } = schedule(about);
      lies.frames++;
      const frame = mutated(baseFrames[name]({ ...about, n: about.n + room }), changes);
      if (name === 'hello') await sayHello(options, lies, frame);
      else at.send(frame);
      if (name === 'report' || name === 'release') ofLease++;
    }
    await at.flushed();
    // One of them was accepted, so the lease may be over or its URLs settled.
    if (at.errors - before < ofLease) held.shift();
  }
  await (await freshLine()).ask({ type: 'release', leases: [], all: true });
  line.end();
  return lies;
}

/** One change after the other, of all frames in turn. */
function interleaved(
  names: readonly FrameName[],
  paths: (name: FrameName, about: Subject) => Path[],
  random: ReturnType<typeof randomFrom>,
) {
  const running = new Map<FrameName, Generator<Mutation[]>>();
  // A report has most of the fields.
  const turns = names.flatMap((name) => Array<FrameName>(name === 'report' ? 12 : 1).fill(name));
  let turn = 0;
  return (about: Subject): { name: FrameName; changes: Mutation[] } => {
    const name = turns[turn++ % turns.length] as FrameName;
    const all = running.get(name) ?? mutations(paths(name, about), random);
    running.set(name, all);
    return { name, changes: all.next().value as Mutation[] };
  };
}

async function sayHello(options: LiarOptions, lies: Lies, frame: object): Promise<void> {
  lies.connections++;
  const { opened } = await dial(options, lies, frame);
  opened.end();
}

let lastId = 100;

/** Resolves when it is welcome, or turned away. */
async function dial(
  { url, token }: LiarOptions,
  lies: Lies,
  hello: object = baseFrames.hello(),
): Promise<{ opened: Line; crawl: string }> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/link`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  const greeted = Promise.withResolvers<string>();
  let errors = 0;
  ws.on('open', () => ws.send(JSON.stringify(hello)));
  ws.on('error', () => undefined);
  ws.on('close', () => {
    greeted.resolve('');
    for (const done of waiting.values()) done(undefined);
    waiting.clear();
  });
  ws.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Answer & { crawls?: { id: string }[] };
    if (frame.type === 'welcome') greeted.resolve(frame.crawls?.[0]?.id ?? '');
    if (frame.type === 'answer') lies.answered++;
    if (frame.type === 'error') {
      lies.refused++;
      if (frame.code === 'frame-invalid' || frame.code === 'frame-limit') errors++;
      else if (!isFair(frame)) lies.defects.push(`${frame.code}: ${frame.message}`);
      greeted.resolve('');
    }
    const done = waiting.get(frame.id ?? -1);
    waiting.delete(frame.id ?? -1);
    done?.(frame);
  });
  const late = setTimeout(() => ws.terminate(), ANSWER_MS);
  const crawl = await greeted.promise.finally(() => clearTimeout(late));
  const ask = (frame: object): Promise<Answer | undefined> => {
    if (ws.readyState !== ws.OPEN) return Promise.resolve(undefined);
    const id = ++lastId;
    return new Promise((resolve) => {
      const patience = setTimeout(() => {
        waiting.delete(id);
        lies.defects.push(`no answer within ${ANSWER_MS} ms: ${JSON.stringify(frame).slice(0, 200)}`);
        resolve(undefined);
      }, ANSWER_MS);
      waiting.set(id, (answer) => {
        clearTimeout(patience);
        resolve(answer);
      });
      ws.send(JSON.stringify({ ...frame, id }));
    });
  };
  const opened: Line = {
    send: (frame) => ws.readyState === ws.OPEN && ws.send(JSON.stringify(frame)),
    ask,
    flushed: async () => void (await ask({ type: 'robots', origin: 'http://flush.test' })),
    get open() {
      return ws.readyState === ws.OPEN;
    },
    get errors() {
      return errors;
    },
    end: () => ws.terminate(),
  };
  return { opened, crawl };
}

/** A crawl or a URL that does not exist may be asked for, or secrets without a lease, and another version be spoken. */
const fair = new Set(['not-found', 'forbidden', 'link-version']);

/** Bodies of a crawl that this coordinator does not know may belong to others of its store. */
function isFair({ code = '', message = '' }: Answer): boolean {
  return fair.has(code) || (code === 'store-silent' && message.endsWith('is served by other coordinators'));
}
