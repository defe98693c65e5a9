import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endOf, stepRunner } from './step.ts';

const logs = mkdtempSync(join(tmpdir(), 'webfarer-ci-'));
afterAll(() => rmSync(logs, { recursive: true, force: true }));
const runStep = stepRunner({ root: logs, logs });
const bash = (text: string, limitSeconds = 60) =>
  runStep({ name: 'a step', limitSeconds, command: ['bash', '-c', text] });

it('tells exit code, output and the CPU time of all processes', async () => {
  const ran = await bash(
    'echo said; echo wrong >&2; (i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done); exit 7',
  );
  expect(ran).toMatchObject({ status: 7, log: 'said\nwrong\n' });
  expect(ran.cpu).toBeGreaterThan(0);
  expect(ran.wall).toBeGreaterThan(0);
});

it('ends a step at its deadline', async () => {
  expect(await bash('echo began; sleep 60', 1)).toMatchObject({ status: 124, log: 'began\n' });
});

it('gives a step no input to wait for', async () => {
  expect(await bash('cat; echo done')).toMatchObject({ status: 0, log: 'done\n' });
});

it('shows the end of a log without colors', () => {
  const lines = Array.from({ length: 30 }, (_, n) => `\u001b[31mline ${n}\u001b[39m`);
  expect(endOf(`${lines.join('\n')}\n`)).toEqual(lines.slice(-15).map((_, n) => `        line ${n + 15}`));
});
