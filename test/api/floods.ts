import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { streamCloses } from '@webfarer/protocol/api';
import { WebSocket } from 'ws';
import { until } from '../prove/lab.ts';
import type { Attackers } from './attacks.ts';
import { inTurn, openSender } from './send.ts';
import type { ApiWorld } from './world.ts';

/** As docs/api.md says. */
const limits = { idle: 1_000, unknownSockets: 200, subscriptions: 256 };
/** Connections that a coordinator has anyway: to its store, to the web, of those who ask. */
const usual = 150;
const patienceMs = 90_000;
const mebibyte = 1_048_576;

export interface FloodFigures {
  idleOpened: number;
  idleKept: number;
  slowHeads: number;
  slowBodies: number;
  guesses: number;
  strangers: number;
  strangersKept: number;
  subscriptionsKept: number;
  unreadSockets: number;
  grownMiB: number;
  honestAsked: number;
  honestAnswered: number;
  connectionsAfter: number;
}

/**
 * Clients that want too much, one kind after the other, with an honest one beside each: what they hold is bounded, and it
 * is answered every time.
 */
export async function flood(
  world: ApiWorld,
  attackers: Attackers,
  factor: number,
): Promise<{ figures: FloodFigures; wrong: string[] }> {
  const pid = world.coordinator.pid as number;
  const { port } = new URL(world.url);
  const wrong: string[] = [];
  const honest = { asked: 0, answered: 0 };
  const ask = async () => {
    honest.asked++;
    if ((await honestStatus(world, attackers.byScope.viewer)) === 200) honest.answered++;
  };
  // These take as long as the limits say, so they go on beside the rest.
  const slowHeads = dialAll(Number(port), 100 * factor, 'GET /v1/whoami HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const body = `POST /v1/crawls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attackers.byScope.operator}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
  const slowBodies = dialAll(Number(port), factor > 1 ? 100 : 0, body);

  const idle = dialAll(Number(port), 1_500 * factor, '');
  for (let n = 0; n < 10; n++) await ask();
  await idle.connected;
  const isBounded = () => socketsOf(pid) <= limits.idle + usual + 100 * factor;
  await until('idle connections to be closed', isBounded, patienceMs).catch(() => undefined);
  const kept = () => idle.sockets.filter((socket) => !socket.closed).length;
  await until('clients to notice', () => kept() <= limits.idle, patienceMs).catch(() => undefined);
  const idleKept = kept();
  if (!isBounded())
    wrong.push(`floods: ${socketsOf(pid)} connections after ${idle.sockets.length} idle ones`);
  await ask();
  idle.end();

  const guesses = 300 * factor;
  const sender = openSender(world.url);
  let guessed = 0;
  const guessing = inTurn(Array.from({ length: guesses }), 16, async () => {
    const token = `wf_${randomBytes(5).toString('hex')}_${randomBytes(40).toString('hex').slice(0, 50)}`;
    const wire = { method: 'GET', path: '/v1/whoami', headers: { authorization: `Bearer ${token}` } };
    if ((await sender.send(wire)).status !== 401) guessed++;
  });
  for (let n = 0; n < 5; n++) await ask();
  await guessing;
  sender.close();
  if (guessed > 0) wrong.push(`floods: ${guessed} guesses were not refused`);

  const strangers = Array.from({ length: 300 * factor }, () => dialStream(world.url));
  await Promise.all(strangers.map(({ settled }) => settled));
  const keptOf = () => strangers.filter(({ socket }) => socket.readyState === WebSocket.OPEN).length;
  await until('strangers to be closed', () => keptOf() <= limits.unknownSockets, patienceMs).catch(
    () => undefined,
  );
  const strangersKept = keptOf();
  if (strangersKept > limits.unknownSockets) wrong.push(`floods: ${strangersKept} sockets without a token`);
  const viewer = dialStream(world.url, attackers.byScope.viewer);
  await until('a welcome', () => viewer.frames.includes('welcome'), patienceMs).catch(() => undefined);
  if (!viewer.frames.includes('welcome')) wrong.push('floods: a viewer found no place beside strangers');
  await ask();
  for (const { socket } of [...strangers, viewer]) socket.terminate();

  const { subscriptionsKept, fault } = await subscribeTooOften(world, attackers);
  wrong.push(...fault);

  const before = rssOf(pid);
  const unread = await neverRead(world, attackers, 15 * factor);
  for (let n = 0; n < 5; n++) await ask();
  const grown = (rssOf(pid) - before) / mebibyte;
  // Each may have 1 MiB waiting and a frame beside it; the rest is what a collector has not taken yet.
  if (grown > 2 * unread.length + 256)
    wrong.push(`floods: ${Math.round(grown)} MiB for ${unread.length} that do not read`);
  for (const end of unread) end();

  for (const [what, slow] of [
    ['heads', slowHeads],
    ['bodies', slowBodies],
  ] as const) {
    const isOver = () => slow.sockets.every((socket) => socket.closed);
    await until(`slow ${what} to be ended`, isOver, patienceMs).catch(() =>
      wrong.push(`floods: slow ${what} stay`),
    );
    slow.end();
  }
  await until('connections to go', () => socketsOf(pid) <= usual, patienceMs).catch(() =>
    wrong.push(`floods: ${socketsOf(pid)} connections are left`),
  );
  if (honest.answered < honest.asked)
    wrong.push(`floods: ${honest.asked - honest.answered} honest requests failed`);
  return {
    wrong,
    figures: {
      idleOpened: idle.sockets.length,
      idleKept,
      slowHeads: slowHeads.sockets.length,
      slowBodies: slowBodies.sockets.length,
      guesses,
      strangers: strangers.length,
      strangersKept,
      subscriptionsKept,
      unreadSockets: unread.length,
      grownMiB: Math.round(grown),
      honestAsked: honest.asked,
      honestAnswered: honest.answered,
      connectionsAfter: socketsOf(pid),
    },
  };
}

/** On a connection of its own, as a client that comes for the first time. */
function honestStatus(world: ApiWorld, token: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(`${world.url}/v1/whoami`, {
      agent: false,
      headers: { authorization: `Bearer ${token}` },
    });
    asked.setTimeout(patienceMs, () => asked.destroy());
    asked.once('response', (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('error', () => resolve(0));
    asked.end();
  });
}

function dialAll(port: number, count: number, first: string) {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    if (first !== '') socket.write(first);
    return socket;
  });
  const settled = (socket: Socket) =>
    new Promise<void>((resolve) => socket.once('connect', () => resolve()).once('close', () => resolve()));
  return {
    sockets,
    connected: Promise.all(sockets.map(settled)),
    end: () => sockets.forEach((socket) => socket.destroy()),
  };
}

function dialStream(url: string, token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/stream`, { headers });
  const frames: string[] = [];
  const problems: string[] = [];
  const codes: number[] = [];
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => {
    const { type, problem } = JSON.parse(data.toString()) as { type: string; problem?: { code: string } };
    frames.push(type);
    if (problem) problems.push(problem.code);
  });
  socket.on('close', (code) => codes.push(code));
  const settled = new Promise<void>((resolve) =>
    socket.once('open', () => resolve()).once('close', () => resolve()),
  );
  return { socket, frames, problems, codes, settled };
}

/** More subscriptions than a socket may have, and more frames than a client may send. */
async function subscribeTooOften(world: ApiWorld, { byScope }: Attackers) {
  const on = { topic: 'results', crawl: world.of.red.crawl };
  const fault: string[] = [];
  const greedy = dialStream(world.url, byScope.viewer);
  await greedy.settled;
  for (let id = 1; id <= limits.subscriptions + 36; id++)
    greedy.socket.send(JSON.stringify({ type: 'subscribe', id, on }));
  await until('the socket to be closed', () => greedy.codes.length > 0, patienceMs).catch(() => undefined);
  const subscriptionsKept = greedy.frames.filter((type) => type === 'snapshot').length;
  if (subscriptionsKept > limits.subscriptions || greedy.codes[0] !== streamCloses.misused)
    fault.push(`floods: ${subscriptionsKept} subscriptions, closed with ${greedy.codes[0]}`);
  const noisy = dialStream(world.url, byScope.viewer);
  await noisy.settled;
  for (let id = 1; id <= 3_000; id++) noisy.socket.send(JSON.stringify({ type: 'unsubscribe', id }));
  await until('the socket to be closed', () => noisy.codes.length > 0, patienceMs).catch(() => undefined);
  if (noisy.codes[0] !== streamCloses.misused)
    fault.push(`floods: 3000 frames, closed with ${noisy.codes[0]}`);
  for (const { socket } of [greedy, noisy]) socket.terminate();
  return { subscriptionsKept, fault };
}

/** Sockets with all subscriptions they may have, and answers of results, none of which is ever read. */
async function neverRead(world: ApiWorld, { byScope }: Attackers, count: number): Promise<(() => void)[]> {
  const { port } = new URL(world.url);
  const on = { topic: 'results', crawl: world.of.red.crawl, kinds: ['record', 'item', 'links'] };
  const path = `/v1/crawls/${world.of.red.crawl}/results`;
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${byScope.viewer}\r\n\r\n`;
  const ends: (() => void)[] = [];
  for (let n = 0; n < count; n++) {
    const { socket, settled } = dialStream(world.url, byScope.viewer);
    await settled;
    socket.pause();
    for (let id = 1; id <= limits.subscriptions; id++)
      socket.send(JSON.stringify({ type: 'subscribe', id, on }));
    ends.push(() => socket.terminate());
    const reader = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    reader.pause();
    // Many answers in a row on one connection, of which the first is never read.
    reader.write(head.repeat(50));
    ends.push(() => reader.destroy());
  }
  return ends;
}

/** Connections that a process has open. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

function rssOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
}
