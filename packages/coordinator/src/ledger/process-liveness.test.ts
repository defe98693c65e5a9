import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { processLiveness } from './process-liveness.ts';

const { own, isAlive } = processLiveness();

it('knows that it is alive itself', () => {
  expect(own).toContain(`#${process.pid}`);
  expect(isAlive(own)).toBe(true);
});

it('knows that a process has ended', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect(isAlive(own.replace(/#.*/, `#${pid}`))).toBe(false);
});

it('believes in the life of what it cannot see', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect(isAlive(`pid:[another]#${pid}`)).toBe(true);
});

it('believes in the life of a process that it may not signal', () => {
  expect(isAlive(own.replace(/#.*/, '#1'))).toBe(true);
});
