import { createServer } from 'node:net';
import { join } from 'node:path';
import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a process knows of itself after it has collected its garbage. */
export interface Inside {
  heapBytes: number;
  /** Typed arrays and buffers, which are not on the heap. */
  outsideBytes: number;
  /** Timers that keep the process alive. */
  timers: number;
}

/** Where a process of this program answers with what it knows of itself. */
export function socketOf(folder: string, pid: number): string {
  return join(folder, `${pid}.sock`);
}

/** The product's command, in a process that can be asked for its heap and timers. */
async function main(folder: string): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  createServer((socket) => {
    collect();
    const { heapUsed, arrayBuffers } = memoryUsage();
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const inside: Inside = { heapBytes: heapUsed, outsideBytes: arrayBuffers, timers };
    socket.end(JSON.stringify(inside));
  })
    .listen(socketOf(folder, process.pid))
    .unref();
  await import('../../packages/cli/src/bin.ts');
}

const folder = process.env['OPEN_CRAWLS_SOCKETS'];
if (import.meta.main && folder !== undefined) await main(folder);
