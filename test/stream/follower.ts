import { type IncomingMessage, request } from 'node:http';
import { systemClock } from '@webfarer/protocol';
import {
  openStreamClient,
  type StreamClient,
  type StreamedEntry,
  type TopicFrame,
} from '@webfarer/protocol/api';
import { WebSocket } from 'ws';

/** What a client has of one outcome. */
export interface Received {
  url: string;
  group: number;
  startedAtMs: number;
}

/** All that one client received from the start of a crawl to its end. */
export interface Lap {
  by: string;
  received: Received[];
}

/** A program that follows a crawl, keeps what it gets together with the token behind it, and is cut off by others. */
export interface Follower {
  readonly name: string;
  readonly laps: Lap[];
  /** Times that it was told to begin anew. */
  readonly restarts: number;
  /** For people: where it stands. */
  where(): string;
  /** Cuts it off in some way and lets it continue; answers which. */
  cut(): Promise<string>;
  stop(): void;
}

export interface FollowerOptions {
  name: string;
  crawl: string;
  /** Of the coordinators. */
  urls: () => string[];
  token: string;
  random: () => number;
  /**
   * What it does wrong, as a control: `far` keeps the token of a frame and forgets what was in it, `again` keeps what was
   * in a frame and forgets its token.
   */
  fault?: 'far' | 'again';
}

interface Kept {
  received: number;
  token: string | undefined;
}

/** The state of a client as a careful program has it: entries and token change together. */
class Book {
  laps: Lap[] = [];
  restarts = 0;
  token: string | undefined;
  private received: Received[] = [];
  private history: Kept[] = [];
  private readonly options: FollowerOptions;

  constructor(options: FollowerOptions) {
    this.options = options;
  }

  keep(entries: StreamedEntry[], token: string): void {
    this.history.push({ received: this.received.length, token: this.token });
    for (const entry of entries)
      if (entry.kind === 'record') {
        const { url, group } = entry;
        this.received.push({ url, group, startedAtMs: Number(entry.record['startedAtMs']) });
      }
    this.token = token;
  }

  /** The crawl was over: begins again from the start. */
  finish(): void {
    this.laps.push({ by: this.options.name, received: this.received });
    this.received = [];
    this.history = [];
    this.token = undefined;
  }

  where(): string {
    return `${this.received.length} received since, behind ${this.token}`;
  }

  restarted(): void {
    this.restarts++;
    this.received = [];
    this.history = [];
  }

  /** As after a crash: what was kept last may be gone, and with it the token behind it. */
  fallBack(steps: number): void {
    const before = this.history[Math.max(0, this.history.length - steps)];
    if (!before) return;
    const { fault } = this.options;
    if (fault !== 'again') this.received.length = before.received;
    if (fault !== 'far') this.token = before.token;
    this.history.splice(Math.max(0, this.history.length - steps));
  }
}

/** On the stream: one WebSocket. */
export function streamFollower(options: FollowerOptions): Follower {
  const { crawl, token, random } = options;
  const book = new Book(options);
  let sockets: WebSocket[] = [];
  let client: StreamClient;
  let life = 0;

  function handle(frame: TopicFrame): void {
    if (frame.type === 'entries') book.keep(frame.entries, frame.token);
    else if (frame.type === 'snapshot' && frame.why !== 'first') book.restarted();
    else if (frame.type === 'bookmark' && frame.over !== undefined) {
      book.finish();
      client.close();
      const mine = ++life;
      setTimeout(() => mine === life && begin(), restMs);
    }
  }

  function begin(): void {
    client?.close();
    const mine = ++life;
    sockets = [];
    const urls = options.urls();
    const turn = Math.floor(random() * urls.length);
    client = openStreamClient({
      urls: [...urls.slice(turn), ...urls.slice(0, turn)],
      token,
      connect(url) {
        const socket = new WebSocket(url, { perMessageDeflate: false });
        sockets.push(socket);
        return socket as never;
      },
      clock: systemClock(),
      random,
      noticed: () => undefined,
    });
    client.subscribe({
      on: { topic: 'results', crawl, maxOutcomes: 1 + Math.floor(random() * 20) },
      after: book.token,
      // What a client that was given up still had in its hands is not kept.
      handle: (frame) => (mine === life ? handle(frame) : undefined),
      ended() {
        // The coordinator that was asked had not taken up the crawl yet.
        if (mine === life) setTimeout(() => mine === life && begin(), 100);
      },
    });
  }
  begin();

  return {
    name: options.name,
    get laps() {
      return book.laps;
    },
    get restarts() {
      return book.restarts;
    },
    where: () => `${book.where()}, ${sockets.length} sockets, ${sockets.at(-1)?.readyState}`,
    async cut() {
      const chance = random();
      const socket = sockets.at(-1);
      if (options.fault === undefined && chance < 0.35) {
        socket?.terminate();
        return 'destroyed';
      }
      if (options.fault === undefined && chance < 0.5) {
        if (socket?.readyState === WebSocket.OPEN) {
          socket.pause();
          setTimeout(() => socket.resume(), 50 + random() * 300);
        }
        return 'paused';
      }
      if (options.fault === undefined && chance < 0.75) {
        begin();
        return 'moved';
      }
      book.fallBack(1 + Math.floor(random() * 4));
      begin();
      return 'crashed';
    },
    stop() {
      life++;
      client.close();
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** With plain requests for lines, as curl does. */
export function logFollower(options: FollowerOptions): Follower {
  const { crawl, token, random } = options;
  const book = new Book(options);
  let isStopped = false;
  let cutOff = () => {};

  /** Reads one answer line by line until it ends or is cut. True: the crawl is over. */
  async function readOnce(url: string): Promise<boolean> {
    const after = book.token === undefined ? '' : `&after=${book.token}`;
    const limit = 1 + Math.floor(random() * 30);
    const path = `/v1/crawls/${crawl}/results?wait=5s&limit=${limit}${after}`;
    const asked = request(url + path, { headers: { authorization: `Bearer ${token}` } });
    let isCut = false;
    cutOff = () => {
      isCut = true;
      asked.destroy();
    };
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('response', (answer) => {
        if (answer.statusCode === 200) return resolve(answer);
        if (answer.statusCode === 410) book.restarted();
        answer.resume();
        reject(new Error(`status ${answer.statusCode}`));
      });
      asked.on('error', reject);
    });
    asked.end();
    try {
      for await (const text of linesIn(await response)) {
        if (isCut) return false;
        const line = JSON.parse(text) as Line;
        if (line.kind === 'bookmark') {
          book.keep([], line.token ?? '');
          return line.over === true;
        }
        book.keep([line as unknown as StreamedEntry], line.token ?? '');
      }
    } catch {
      await pause(20);
    }
    return false;
  }

  void (async () => {
    while (!isStopped) {
      const urls = options.urls();
      if (!(await readOnce(urls[Math.floor(random() * urls.length)] as string))) continue;
      book.finish();
      await pause(restMs);
    }
  })();

  return {
    name: options.name,
    get laps() {
      return book.laps;
    },
    get restarts() {
      return book.restarts;
    },
    where: () => book.where(),
    cut() {
      cutOff();
      if (options.fault !== undefined || random() < 0.4) {
        book.fallBack(1 + Math.floor(random() * 20));
        return Promise.resolve('crashed');
      }
      return Promise.resolve('destroyed');
    },
    stop() {
      isStopped = true;
      cutOff();
    },
  };
}

/** A line that was cut off is not one. */
async function* linesIn(answer: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of answer) {
    const texts = (rest + (piece as Buffer).toString('latin1')).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) yield Buffer.from(text, 'latin1').toString();
  }
}

interface Line {
  kind: string;
  token?: string;
  over?: boolean;
}

/** After a crawl was read to its end, before it is read again. */
const restMs = 200;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
