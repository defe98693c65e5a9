import { WebfarerError } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { portPair } from './port.fixture.ts';
import { createWire } from './wire.ts';

interface Desk {
  double(n: number): Promise<number>;
  slow(name: string): Promise<string>;
  full(): Promise<never>;
  broken(): Promise<never>;
  heard(text: string): void;
}

function join() {
  const pair = portPair();
  const heard: string[] = [];
  const slow = new Map<string, (value: string) => void>();
  const desk: Desk = {
    double: (n) => Promise.resolve(2 * n),
    slow: (name) => new Promise((resolve) => slow.set(name, resolve)),
    full: () => Promise.reject(new WebfarerError('storage', 'the disk is full', { next: 'Free space.' })),
    broken: () => Promise.reject(new TypeError('x is not a function')),
    heard: (text) => void heard.push(text),
  };
  createWire(pair.b, { ...desk });
  return { wire: createWire<Desk>(pair.a, {}), pair, heard, slow };
}

test('calls are answered, in whatever order the answers come', async () => {
  const { wire, slow } = join();
  const [first, second, sum] = [wire.call('slow', 'one'), wire.call('slow', 'two'), wire.call('double', 21)];
  expect(await sum).toBe(42);
  slow.get('two')?.('second');
  expect(await second).toBe('second');
  slow.get('one')?.('first');
  expect(await first).toBe('first');
});

test('an error arrives with its code, so that a full disk is waited for and not taken for a defect', async () => {
  const { wire } = join();
  const full = await wire.call('full').catch((error: unknown) => error);
  expect(full).toBeInstanceOf(WebfarerError);
  expect(full).toMatchObject({ code: 'storage', message: 'the disk is full', next: 'Free space.' });
  const broken = await wire.call('broken').catch((error: unknown) => error);
  expect(broken).toBeInstanceOf(Error);
  expect(broken).not.toBeInstanceOf(WebfarerError);
  expect((broken as Error).stack).toContain('wire.test');
});

test('whoever waits for an answer hears that the other side is gone, and so does who asks later', async () => {
  const { wire, pair, slow } = join();
  const waiting = wire.call('slow', 'never');
  pair.close();
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  await wire.closed;
  await expect(wire.call('double', 1)).rejects.toMatchObject({ code: 'interrupted' });
  // An answer that comes too late finds nobody and harms nothing.
  slow.get('never')?.('late');
});

test('what is told arrives in order with what is asked', async () => {
  const { wire, heard } = join();
  wire.tell('heard', 'before');
  await wire.call('double', 1);
  wire.tell('heard', 'after');
  await wire.call('double', 1);
  expect(heard).toEqual(['before', 'after']);
});
