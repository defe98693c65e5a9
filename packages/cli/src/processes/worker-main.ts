import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import type { GivenKey } from '../secrets/given-secrets.ts';
import { LINK_FD, type StartedSetup } from './process-setup.ts';

/**
 * A worker process, started by another. It lives as long as the stream to its parent: when that closes, by whatever end
 * of the parent, it is gone at once. Ctrl-C reaches every process of a terminal, but when to stop is the parent's word.
 */
enableCompileCache();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const { parentStream } = await import('@webfarer/worker');
const stream = parentStream(LINK_FD);
stream.once('close', () => process.exit());

const { keyOnStdin, ...setup } = JSON.parse(process.argv[2] ?? '') as StartedSetup;
const key = keyOnStdin ? (JSON.parse(readFileSync(0, 'utf8')) as GivenKey) : undefined;
const { serveParent } = await import('./worker-process.ts');
process.exitCode = await serveParent(setup, key, stream);
stream.destroy();
