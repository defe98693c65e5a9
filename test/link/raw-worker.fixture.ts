import type { LeaseRef } from '@webfarer/protocol';
import { linkVersion } from '@webfarer/protocol/link';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { crawl, ownToken, type Station, until, volunteerToken } from './link.fixture.ts';

/** Workers that say what a test wants, on a real socket. */

export const asVolunteer = { authorization: `Bearer ${volunteerToken}` };
export const refOf = ({ id, host, fence }: LeaseRef) => ({ id, crawl, host, fence });

export interface Raw {
  ws: WebSocket;
  frames: Record<string, unknown>[];
  closed: () => { code: number; reason: string } | undefined;
  send(frame: unknown): void;
}

/** A worker that keeps to nothing. */
export async function raw({ url: base }: Station, headers: Record<string, string> = {}): Promise<Raw> {
  const ws = new WebSocket(`${base.replace('http', 'ws')}/link`, {
    headers: { authorization: `Bearer ${ownToken}`, ...headers },
  });
  const frames: Record<string, unknown>[] = [];
  let end: { code: number; reason: string } | undefined;
  ws.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())));
  ws.on('close', (code, reason) => {
    end = { code, reason: reason.toString() };
  });
  ws.on('error', () => undefined);
  onTestFinished(() => ws.terminate());
  await until('it is open', () => ws.readyState === ws.OPEN || end !== undefined);
  return {
    ws,
    frames,
    closed: () => end,
    send: (frame) => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
  };
}

export const hello = {
  type: 'hello',
  v: linkVersion,
  worker: 'w1',
  session: 's1',
  version: '0.0.0',
  connections: 8,
  holds: [],
  holdsAll: true,
};

export async function greeted(station: Station, changes = {}, headers = {}): Promise<Raw> {
  const one = await raw(station, headers);
  one.send({ ...hello, ...changes });
  await until('it is welcome', () => one.frames.some(({ type }) => type === 'welcome'));
  return one;
}
