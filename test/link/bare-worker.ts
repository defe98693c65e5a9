import { linkVersion } from '@webfarer/protocol/link';
import { WebSocket } from 'ws';
import { until } from '../prove/lab.ts';

const patienceMs = 60_000;

export interface Frame {
  type: string;
  id?: number;
  code?: string;
  crawls?: { id: string }[];
  value?: { leases?: unknown[] };
}

/** A connection to a coordinator by someone who has a worker token and writes the frames by hand. */
export interface BareWorker {
  ws: WebSocket;
  /** What it was told. */
  frames: Frame[];
  isClosed: boolean;
  isWelcome(): boolean;
  /** The id of the first crawl that it is told of. */
  crawl(): Promise<string>;
  ask(id: number, frame: object): Promise<Frame>;
}

/** Says hello, and answers once it is welcome or refused. */
export async function connectBareWorker(
  { url, token }: { url: string; token: string | undefined },
  hello: Record<string, unknown>,
): Promise<BareWorker> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/link`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const frames: Frame[] = [];
  const told = () => frames.find(({ crawls }) => (crawls?.length ?? 0) > 0)?.crawls?.[0]?.id;
  const one: BareWorker = {
    ws,
    frames,
    isClosed: false,
    isWelcome: () => frames.some(({ type }) => type === 'welcome'),
    async crawl() {
      await until('a crawl', () => told() !== undefined, patienceMs);
      return told() as string;
    },
    async ask(id, frame) {
      ws.send(JSON.stringify({ ...frame, id }));
      await until('an answer', () => frames.some((each) => each.id === id), patienceMs);
      return frames.find((each) => each.id === id) as Frame;
    },
  };
  ws.on('error', () => undefined);
  ws.on('close', () => (one.isClosed = true));
  ws.on('message', (text: Buffer) => frames.push(JSON.parse(text.toString()) as Frame));
  const rest = { version: '0', connections: 8, holds: [], holdsAll: true, asksSecrets: true };
  ws.on('open', () => ws.send(JSON.stringify({ type: 'hello', v: linkVersion, ...rest, ...hello })));
  await until('a welcome', () => one.isWelcome() || one.isClosed, patienceMs);
  return one;
}
