import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { systemClock } from '@webfarer/protocol';
import type { LiveScreen, ViewerInput, ViewFrame } from '@webfarer/protocol/api';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type LiveLogin, openLiveLogin } from './live-login.ts';
import { openViewServer, type ViewServer } from '../view-server.ts';

const clock = systemClock();
let server: ViewServer;
let login: LiveLogin;
let screen: LiveScreen | undefined;
let inputs: ViewerInput[] = [];
let kept = 0;
const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await login.cancel();
  await server.stop();
});

/** With a browser that shows what it is told to. */
async function begin({ lastsMs = 60_000, hasLogin = true, seen = new Promise<void>(() => undefined) } = {}) {
  const gone = Promise.withResolvers<void>();
  [screen, inputs, kept] = [undefined, [], 0];
  const started = {
    seen,
    browser: {
      show(next: LiveScreen) {
        screen = next;
        return () => void (screen === next && (screen = undefined));
      },
      input: (input: ViewerInput) => Promise.resolve(void inputs.push(input)),
      gone: gone.promise,
      close: () => Promise.resolve(gone.resolve()),
    },
    keep() {
      kept += 1;
      return Promise.resolve(hasLogin ? { kept: '1 cookie' } : { missing: 'Log in first.' });
    },
  };
  const wish = { url: 'https://site.test/login', site: 'site.test', as: 'ada' };
  login = await openLiveLogin(wish, { clock, lastsMs, start: () => Promise.resolve(started) });
  server = await openViewServer({ listen: { host: '127.0.0.1', port: 0 }, login, clock });
}

interface Viewed {
  frames: ViewFrame[];
  send(frame: object): void;
  until<T extends ViewFrame['type']>(type: T): Promise<Extract<ViewFrame, { type: T }>>;
  closed: Promise<number>;
}

function view(ticket?: string, headers: Record<string, string> = {}): Viewed {
  const socket = new WebSocket(`ws://127.0.0.1:${server.address.port}/socket`, { headers });
  sockets.push(socket);
  const frames: ViewFrame[] = [];
  const arrivals = new EventEmitter();
  socket.on('error', () => undefined);
  socket.on('open', () => ticket !== undefined && socket.send(JSON.stringify({ type: 'hello', ticket })));
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as ViewFrame);
    arrivals.emit('frame');
  });
  return {
    frames,
    send: (frame) => socket.send(JSON.stringify(frame)),
    async until(type) {
      for (;;) {
        const found = frames.find((frame) => frame.type === type);
        if (found) return found as never;
        await once(arrivals, 'frame');
      }
    },
    closed: new Promise((resolve) => socket.on('close', resolve)),
  };
}

function ask(
  headers: Record<string, string>,
): Promise<{ status: number; headers: NodeJS.Dict<unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: server.address.port, path: '/', headers }, (answer) => {
      let body = '';
      answer.on('data', (part) => (body += String(part)));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    })
      .on('error', reject)
      .end();
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('opens with a ticket once, and hands a viewer the next one', async () => {
  await begin();
  const ticket = login.newTicket();
  const first = view(ticket);
  const welcome = await first.until('welcome');
  expect(welcome).toMatchObject({ site: 'site.test', as: 'ada' });
  const again = view(ticket);
  expect(await Promise.race([again.closed, again.until('welcome')])).toBe(4401);
  expect(await view('guessed').closed).toBe(4401);
  const second = view(welcome.ticket);
  await second.until('welcome');
  expect((await first.until('ended')).how).toBe('elsewhere');
  expect(await first.closed).toBe(4409);
  expect(login.end).toBeUndefined();
});

it('takes no input before the ticket, and none that is not understood', async () => {
  await begin();
  const early = view();
  await until(() => sockets[0]?.readyState === WebSocket.OPEN);
  early.send({ type: 'text', text: 'x' });
  expect(await Promise.race([early.closed, early.until('welcome')])).toBe(4401);
  const late = view(login.newTicket());
  await late.until('welcome');
  late.send({ type: 'text', text: 'hunter2', more: 1 });
  expect(await late.closed).toBe(4400);
  expect(inputs).toEqual([]);
  expect(JSON.stringify(late.frames)).not.toContain('hunter2');
});

it('hands on what a person does, in order', async () => {
  await begin();
  const viewer = view(login.newTicket());
  await viewer.until('welcome');
  const click = { type: 'mouse', action: 'down', x: 5, y: 6, button: 'left', clicks: 1, modifiers: 0 };
  const sent = [click, { type: 'text', text: 'a' }, { type: 'go', to: 'back' }, { type: 'text', text: 'b' }];
  for (const one of sent) viewer.send(one);
  await until(() => inputs.length === 4);
  expect(inputs).toEqual(sent);
});

it('sends a picture only after the one before was drawn', async () => {
  await begin();
  const viewer = view(login.newTicket());
  await viewer.until('welcome');
  let isDrawn = false;
  const drawn = screen?.picture({ jpeg: 'AAAA', width: 10, height: 10 }).then(() => (isDrawn = true));
  await viewer.until('picture');
  expect(isDrawn).toBe(false);
  viewer.send({ type: 'shown' });
  await drawn;
});

it('keeps the login when the person is done, and says so', async () => {
  await begin();
  const viewer = view(login.newTicket());
  await viewer.until('welcome');
  viewer.send({ type: 'done' });
  expect(await viewer.until('ended')).toMatchObject({ how: 'kept', text: '1 cookie' });
  expect(await login.ended).toMatchObject({ how: 'kept' });
  expect(await view(login.newTicket()).closed).toBe(4401);
});

it('stays open where there is nothing to keep yet', async () => {
  await begin({ hasLogin: false });
  const viewer = view(login.newTicket());
  await viewer.until('welcome');
  viewer.send({ type: 'done' });
  const told = await Promise.race([viewer.until('note'), viewer.until('ended')]);
  expect(told).toEqual({ type: 'note', text: 'Log in first.' });
  expect([login.end, kept]).toEqual([undefined, 1]);
  viewer.send({ type: 'cancel' });
  expect((await viewer.until('ended')).how).toBe('cancelled');
});

it('keeps the login once a page shows it', async () => {
  await begin({ seen: Promise.resolve() });
  expect(await login.ended).toMatchObject({ how: 'kept' });
});

it('ends after its time', async () => {
  await begin({ lastsMs: 30 });
  expect(await login.ended).toMatchObject({ how: 'expired' });
  expect(kept).toBe(0);
});

it('is no page for other sites, and none under their names', async () => {
  await begin();
  const { port } = server.address;
  expect((await ask({ host: `rebound.test:${port}` })).status).toBe(404);
  const cross = view(login.newTicket(), { origin: 'https://other.test' });
  expect(await cross.closed).toBe(1006);
  const rebound = view(login.newTicket(), {
    host: `rebound.test:${port}`,
    origin: `http://rebound.test:${port}`,
  });
  expect(await rebound.closed).toBe(1006);
  const page = await ask({ host: 'localhost:8080' });
  expect(page.status).toBe(200);
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
  );
  expect(page.body).not.toMatch(/(src|href)="(?!data:)/);
});
