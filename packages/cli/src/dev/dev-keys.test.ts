import { expect, it } from 'vitest';
import { createDevKeys } from './dev-keys.ts';
import type { DevRow } from './dev-rows.ts';
import { canFreeze, type ShownProcess } from './kept-process.ts';
import { createRecoveries } from './recoveries.ts';

function row(key: string, process: Partial<ShownProcess>, is = 'primary'): DevRow {
  return { key, of: { role: 'store' }, process, is, well: true, style: 'plain' } as DevRow;
}

function setUp(freezable = true) {
  const said: string[] = [];
  const server = {
    name: 'store-1',
    pid: 7 as number | undefined,
    state: 'running' as ShownProcess['state'],
    kill: () => void (server.pid = undefined),
    freeze: () => void (server.state = server.state === 'frozen' ? 'running' : 'frozen'),
  };
  let now = 0;
  const recoveries = createRecoveries({ now: () => (now += 1_000) }, (text) => said.push(text));
  const press = createDevKeys({
    random: () => 0,
    freezable,
    rows: () => [row('7', server)],
    paint: (_, text) => text,
    tell: (text) => said.push(text),
    killed: recoveries.failed,
    quit: () => said.push('quit'),
  });
  return { said, server, recoveries, press };
}

it('kills by the key of a process, and tells when it is back in another life', () => {
  const { said, server, recoveries, press } = setUp();
  press('7');
  expect(server.pid).toBe(undefined);
  recoveries.look([row('7', { name: 'store-1', pid: 7 })]);
  expect(said).toEqual(['✗ killed store-1']);
  recoveries.look([row('7', { name: 'store-1', pid: 8 })]);
  expect(said.slice(1)).toEqual(['store-1 is back after 1 s: primary']);
});

it('freezes by f and the key, thaws by the same, and forgets the f after one more key', () => {
  const { said, press } = setUp();
  for (const key of 'f7f7fx7q') press(key);
  expect(said).toEqual(['‖ froze store-1', '▸ thawed store-1', '✗ killed store-1', 'quit']);
});

it('says so where a process cannot be frozen', () => {
  const { said, server, press } = setUp(canFreeze('win32'));
  for (const key of 'f7') press(key);
  expect(said).toEqual(['This system cannot freeze a process. Its key alone kills it.']);
  expect(server.state).toBe('running');
});

it('tells when a replica takes over', () => {
  const { said, recoveries } = setUp();
  recoveries.look([row('a', { name: 'store-4', pid: 9 }, 'replica of store-1')]);
  recoveries.look([row('a', { name: 'store-4', pid: 9 })]);
  recoveries.look([row('a', { name: 'store-4', pid: 9 })]);
  expect(said).toEqual(['store-4 took over: primary']);
});
