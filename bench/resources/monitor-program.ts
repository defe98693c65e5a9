import { tmpdir } from 'node:os';
import { systemClock } from '@webfarer/protocol';
import { openResourceProbe } from '@webfarer/protocol/node';
import { createResourceMonitor } from '../../packages/coordinator/src/resources/resource-monitor.ts';

/** A process that only lives, with a resource monitor or without; prints a line when it has settled. */
const clock = systemClock();
if (process.argv[2] === 'monitored')
  createResourceMonitor({
    id: 'c1',
    clock,
    openProbe: () => openResourceProbe({ clock, folders: () => [tmpdir()] }),
    about: () => ({ downloads: { now: 0, most: 0 }, queues: {} }),
  }).start();
setTimeout(() => console.log('ready'), 3_000);
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
