import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeLastEnd } from './loop-guard.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-guard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(how: 'computes' | 'waits') {
  const program = join(import.meta.dirname, 'guarded.fixture.ts');
  const child = spawn(process.execPath, [program, folder, how], { stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, words };
}

it('ends a process whose loop a page blocks for ever, and tells the next one which page it was', async () => {
  const { signal, words } = await run('computes');
  const page = 'the page https://a.example/never of shop (handler)';
  expect(signal).toBe('SIGKILL');
  expect(words).toContain(page);
  expect(takeLastEnd(folder)).toMatch(/^the event loop was blocked for \d+ s: /);
  expect(takeLastEnd(folder)).toBeUndefined();
});

it('ends no process that only waits', async () => {
  expect(await run('waits')).toMatchObject({ code: 0, signal: null });
  expect(takeLastEnd(folder)).toBeUndefined();
});
