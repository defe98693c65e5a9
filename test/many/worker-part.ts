import { join } from 'node:path';
import { type NetworkProcess, networkProcess } from '../network/process.ts';
import type { CoordinatorPart } from './coordinator-part.ts';

/** A worker process that knows all the coordinators, and may be killed and started again. */
export function workerPart(
  n: number,
  coordinators: readonly CoordinatorPart[],
  under: string,
): NetworkProcess {
  const folder = join(under, `worker-${n}`);
  return networkProcess({
    name: `worker-${n}`,
    folder,
    words: () => [
      'worker',
      ...coordinators.map((one) => one.url()),
      '--token-file',
      join(coordinators[0]?.folder ?? '', 'worker.token'),
      '--out',
      folder,
      '--allow-private',
      '127.0.0.0/8',
      '--connections',
      '8',
    ],
    atWork: (printed) => /^ {2}worker \S+/m.test(printed),
  });
}
