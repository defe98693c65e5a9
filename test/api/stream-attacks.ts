import { type StreamTopicInput, streamCloses } from '@webfarer/protocol/api';
import { WebSocket } from 'ws';
import { until } from '../prove/lab.ts';
import type { Attackers } from './attacks.ts';
import { routesIn } from './routes.ts';
import type { ApiWorld } from './world.ts';

/** What a client of the stream saw until it was refused. */
interface Seen {
  /** Of the answer to the upgrade, where it did not become a socket. */
  status: number | undefined;
  close: number | undefined;
  frames: {
    type: string;
    id?: number;
    problem?: { code: string; message: string };
    set?: object;
    entries?: unknown[];
  }[];
}

interface StreamAttack {
  what: string;
  headers?: Record<string, string>;
  /** Sent one after the other; text as it is, bytes as a binary frame. */
  frames: (string | Uint8Array)[];
  /** It has been refused. */
  refused: (seen: Seen) => boolean;
}

const patienceMs = 30_000;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const subscribe = (on: unknown, more = {}) => JSON.stringify({ type: 'subscribe', id: 1, on, ...more });
const closedWith =
  (code: number) =>
  ({ close, frames }: Seen): boolean =>
    close === code && !hasData(frames);
const refusedAt =
  (status: number) =>
  (seen: Seen): boolean =>
    seen.status === status;
const told =
  (...codes: string[]) =>
  ({ frames }: Seen): boolean =>
    !hasData(frames) && frames.some(({ problem }) => problem !== undefined && codes.includes(problem.code));

function hasData(frames: Seen['frames']): boolean {
  return frames.some(({ type }) => !['welcome', 'closed', 'problem'].includes(type));
}

/** The topics that the document names, each on what belongs to a team. */
function topicsOf(world: ApiWorld, crawl: string): StreamTopicInput[] {
  const route = routesIn(world.document).find(({ name }) => name === 'followEvents');
  const names = route?.query.find(({ name }) => name === 'topic')?.schema.enum as string[] | undefined;
  return (names ?? []).map((topic) => {
    const more =
      topic === 'list' ? { list: 'crawls' } : ['crawls', 'resources'].includes(topic) ? {} : { crawl };
    return { topic, ...more } as StreamTopicInput;
  });
}

function attacksOn(on: StreamTopicInput, other: StreamTopicInput, by: Attackers): StreamAttack[] {
  const { byScope, dead, admin } = by;
  const good = bearer(byScope.viewer);
  const text = JSON.stringify(on);
  const polluted = (name: string) => text.replace('{', `{"${name}":{"polluted":1},`);
  const cross = { ...bearer(admin), origin: 'http://elsewhere.example' };
  const isShared = ['list', 'crawls', 'resources'].includes(on.topic);
  return [
    { what: 'no token', frames: [subscribe(on)], refused: closedWith(streamCloses.refused) },
    {
      what: 'a wrong token',
      frames: [JSON.stringify({ type: 'hello', token: 'x'.repeat(43) }), subscribe(on)],
      refused: closedWith(streamCloses.refused),
    },
    {
      what: 'a worker',
      headers: bearer(byScope.worker),
      frames: [subscribe(on)],
      refused: closedWith(streamCloses.refused),
    },
    ...dead.map((token) => ({
      what: 'a dead token',
      headers: bearer(token),
      frames: [subscribe(on)],
      refused: closedWith(streamCloses.refused),
    })),
    { what: 'another site', headers: cross, frames: [], refused: refusedAt(403) },
    {
      what: 'another team',
      headers: good,
      // Lists are shown without what belongs to others; load is for those who run the network.
      frames: [subscribe(isShared ? { topic: 'list', list: 'schedules' } : other)],
      refused: told(isShared ? 'forbidden' : 'not-found'),
    },
    {
      what: 'all teams',
      headers: good,
      frames: [subscribe(on.topic === 'list' ? { topic: 'resources' } : { topic: 'events' })],
      refused: told('forbidden'),
    },
    {
      what: 'too long',
      headers: good,
      frames: [subscribe(on, { after: 'x'.repeat(70_000) })],
      refused: closedWith(1009),
    },
    ...['__proto__', 'constructor', 'prototype'].map((name) => ({
      what: name,
      headers: good,
      frames: [`{"type":"subscribe","id":1,"on":${polluted(name)}}`],
      refused: told('frame-invalid'),
    })),
    ...[
      `{"type":"subscribe","id":1,"on":${text}`,
      '',
      'null',
      '[]',
      subscribe({ ...on, topic: 'nosuch' }),
      Uint8Array.of(1, 2),
    ].map((frame) => ({
      what: `malformed ${String(frame).slice(0, 30)}`,
      headers: good,
      frames: [frame],
      refused: told('frame-invalid'),
    })),
    {
      what: 'an id that is none',
      headers: good,
      frames: [`{"type":"subscribe","id":-1,"on":${text}}`],
      refused: told('frame-invalid'),
    },
    ...(on.topic === 'results'
      ? [
          {
            what: 'a bad cursor',
            headers: good,
            frames: [subscribe(on, { after: '!' })],
            refused: told('usage'),
          },
        ]
      : []),
  ];
}

/** Every subscription with everything that must be refused. Answers what was not. */
export async function attackStream(
  world: ApiWorld,
  by: Attackers,
): Promise<{ cases: number; topics: number; wrong: string[] }> {
  const topics = topicsOf(world, world.of.red.crawl);
  const others = topicsOf(world, world.of.blue.crawl);
  const wrong: string[] = [];
  let cases = 0;
  for (const [n, on] of topics.entries()) {
    const attacks = attacksOn(on, others[n] as StreamTopicInput, by);
    cases += attacks.length;
    const faults = await Promise.all(attacks.map((attack) => faultOf(world.url, attack)));
    wrong.push(...faults.flatMap((fault) => (fault === undefined ? [] : [`stream ${on.topic}: ${fault}`])));
    // The same subscription with the right token, as a control: it is not refused.
    const token = on.topic === 'resources' ? by.admin : by.byScope.viewer;
    const allowed = {
      what: 'allowed',
      headers: bearer(token),
      frames: [subscribe(on)],
      refused: () => false,
    };
    const seen = await dial(world.url, allowed, ({ frames }) => hasData(frames));
    if (!hasData(seen.frames)) wrong.push(`stream ${on.topic}: what is allowed was refused`);
    if (JSON.stringify(seen.frames).includes(world.of.blue.crawl))
      wrong.push(`stream ${on.topic}: shows the other team`);
  }
  return { cases, topics: topics.length, wrong };
}

async function faultOf(url: string, attack: StreamAttack): Promise<string | undefined> {
  const seen = await dial(url, attack, (now) => attack.refused(now) || hasData(now.frames));
  return attack.refused(seen) ? undefined : `${attack.what}: ${JSON.stringify(seen).slice(0, 300)}`;
}

/** Connects, sends the frames and watches until it has seen enough. */
async function dial(
  url: string,
  { headers = {}, frames }: StreamAttack,
  isEnough: (seen: Seen) => boolean,
): Promise<Seen> {
  const seen: Seen = { status: undefined, close: undefined, frames: [] };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/stream`, { headers });
  socket.on('error', () => undefined);
  socket.on('unexpected-response', (_, { statusCode }) => {
    seen.status = statusCode;
    socket.terminate();
  });
  socket.on('open', () => {
    for (const frame of frames) socket.send(frame);
  });
  socket.on('message', (data: Buffer) =>
    seen.frames.push(JSON.parse(data.toString()) as Seen['frames'][number]),
  );
  socket.on('close', (code) => (seen.close = code));
  await until('a refusal', () => isEnough(seen) || seen.close !== undefined, patienceMs).catch(
    () => undefined,
  );
  socket.terminate();
  return seen;
}
