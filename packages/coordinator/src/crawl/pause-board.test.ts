import type { Pause } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { createPauseBoard } from './pause-board.ts';

const offline = (text = 'No network'): Pause => ({ cause: 'no-network', text });
const full = (text = '1 MB left'): Pause => ({ cause: 'disk', text });

function board() {
  const told: (string | undefined)[] = [];
  return { board: createPauseBoard((pause) => told.push(pause?.text)), told };
}

test('a person hears once that there is no network, and once that it is back', () => {
  const { board: it, told } = board();
  it.set('1', offline('No network: 3 hosts'));
  it.set('2', offline('No network: DNS'));
  it.set('1', undefined);
  expect(it.pause).toEqual(offline('No network: DNS'));
  it.set('2', undefined);
  expect(told).toEqual(['No network: 3 hosts', undefined]);
  expect(it.pause).toBeUndefined();
});

test('new figures of the same process and another cause are told', () => {
  const { board: it, told } = board();
  it.set('2', full('3 MB left'));
  it.set('2', full('2 MB left'));
  it.set('1', full('2 MB left'));
  it.set('2', undefined);
  it.set('1', offline());
  expect(told).toEqual(['3 MB left', '2 MB left', 'No network']);
});

test('going on without having paused is no news', () => {
  const { board: it, told } = board();
  it.set('1', undefined);
  expect(told).toEqual([]);
});
