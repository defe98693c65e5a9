import { enableCompileCache } from 'node:module';
import { LINK_FD, type ProcessSetup } from './process-setup.ts';

/**
 * A worker process, started by another. It lives as long as the stream to its parent: when that closes, by whatever end
 * of the parent, it is gone at once. Ctrl-C reaches every process of a terminal, but when to stop is the parent's word.
 */
enableCompileCache();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const { parentStream } = await import('@webfarer/worker');
const stream = parentStream(LINK_FD);
stream.once('close', () => process.exit());

const setup = JSON.parse(process.argv[2] ?? '') as ProcessSetup;
const { serveParent } = await import('./worker-process.ts');
process.exitCode = await serveParent(setup, stream);
stream.destroy();
