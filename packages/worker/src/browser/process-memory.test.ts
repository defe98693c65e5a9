import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { killLarge } from './process-memory.ts';

/** A process that holds so many bytes and has a child that holds so many more; both end with whoever started them. */
const program = `
  const held = Buffer.alloc(Number(process.argv[1]), 1);
  const below = process.argv[2];
  if (below) require('node:child_process').spawn(process.execPath, ['-e', process.env.PROGRAM, below], { stdio: ['pipe', 'inherit', 'inherit'] })
    .on('exit', (code, signal) => console.log('below ended by', signal));
  else console.log('ready');
  process.stdin.resume().on('end', () => process.exit(held.length > 0 ? 0 : 1));`;

const bounded = ['process', 'tree'] as const;
it.skipIf(!existsSync('/proc/self/task')).each(bounded)(
  'ends the process that takes too much by the bound of a %s, and no other',
  async (kind) => {
    const mebibyte = 1_048_576;
    const args = ['-e', program, String(mebibyte), String(300 * mebibyte)];
    const top = spawn(process.execPath, args, {
      env: { PROGRAM: program },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const [ready] = (await once(top.stdout, 'data')) as [Buffer];
      expect(String(ready)).toContain('ready');
      const [plenty, little] = [2_000 * mebibyte, 250 * mebibyte];
      expect(killLarge(top.pid as number, { process: plenty, tree: plenty })).toBe(0);
      expect(
        killLarge(
          top.pid as number,
          kind === 'process' ? { process: little, tree: plenty } : { process: plenty, tree: little },
        ),
      ).toBe(1);
      const [told] = (await once(top.stdout, 'data')) as [Buffer];
      expect(String(told)).toContain('below ended by SIGKILL');
      expect(top.exitCode).toBeNull();
    } finally {
      top.kill('SIGKILL');
    }
  },
);
