import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { isLateCall, lateCallLine } from '../machine/late-calls.ts';
import type { GivenKey } from '../secrets/given-secrets.ts';
import { LINK_FD, type StartedSetup } from './process-setup.ts';

/**
 * A worker process, started by another. It lives as long as the stream to its parent: when that closes, by whatever end
 * of the parent, it is gone at once. Ctrl-C reaches every process of a terminal, but when to stop is the parent's word.
 */
enableCompileCache();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('unhandledRejection', (error) => {
  if (!isLateCall(error)) throw error;
  process.stderr.write(`${lateCallLine(error)}\n`);
});
const { parentStream } = await import('@webfarer/worker');
const stream = parentStream(LINK_FD);
/** What must be told before the process ends, each within its own time: counts and spans. Without any it ends at once. */
const lastWords: (() => Promise<void>)[] = [];
const exit = () => process.exit();
stream.once('close', () => {
  if (lastWords.length === 0) exit();
  void Promise.allSettled(lastWords.map((tell) => tell())).then(exit);
});

const { keyOnStdin, ...setup } = JSON.parse(process.argv[2] ?? '') as StartedSetup;
const key = keyOnStdin ? (JSON.parse(readFileSync(0, 'utf8')) as GivenKey) : undefined;
const { serveParent } = await import('./worker-process.ts');
process.exitCode = await serveParent({ setup, key, stream, lastWords });
stream.destroy();
