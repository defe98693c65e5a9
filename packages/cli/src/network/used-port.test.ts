import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const bin = join(import.meta.dirname, '../bin.ts');

/** A whole process: what is left open must not keep it. */
function run(...words: string[]): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, err })));
}

it('ends with a sentence where the port of a coordinator is in use', { timeout: 60_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'webfarer-port-'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const data = join(home, 'data');
    const words = ['coordinator', 'http://127.0.0.1:9/', '--data', data, '--listen', `127.0.0.1:${port}`];
    const { code, err } = await run(...words);
    expect(err).toContain(`127.0.0.1:${port} is in use by another program`);
    expect(err).not.toContain('    at ');
    expect(code).toBe(2);
  } finally {
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
});
