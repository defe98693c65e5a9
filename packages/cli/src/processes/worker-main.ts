import { enableCompileCache } from 'node:module';
import type { Port } from './wire.ts';

/**
 * A worker process, started by a crew. It lives as long as the channel to its parent: when that closes, by
 * whatever end of the parent, it is gone at once. Ctrl-C reaches every process of a terminal, but when to stop is
 * the parent's word.
 */
enableCompileCache();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

const port: Port = {
  send(message) {
    // A closed channel ends this process anyway.
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  },
  onMessage: (listener) => void process.on('message', listener),
  onClose: (listener) => void process.on('disconnect', listener),
};
const { serveWorker } = await import('./worker-process.ts');
serveWorker(port);
