import type { Duplex } from 'node:stream';
import { type FolderLock, lockFolder } from '@webfarer/coordinator';
import { systemClock } from '@webfarer/protocol';
import { openWorker } from '@webfarer/worker';
import type { GivenKey } from '../secrets/given-secrets.ts';
import { signingKeyOf } from '../secrets/signing-key-of.ts';
import type { ProcessSetup } from './process-setup.ts';

/** Works for the parent until it is told to end; answers the exit code. */
export async function serveParent(
  setup: ProcessSetup,
  key: GivenKey | undefined,
  stream: Duplex,
): Promise<number> {
  const { folder } = setup;
  let lock: FolderLock | undefined;
  const worker = openWorker({
    ...setup,
    link: { kind: 'parent', stream },
    folderOf: () => folder,
    prepareFolder: async () => {
      // Held until the process ends, however it ends: whoever comes next waits for it.
      lock ??= lockFolder(folder, setup.process);
    },
    clock: systemClock(),
    random: Math.random,
    ...(key ? { signingKey: signingKeyOf(key) } : {}),
  });
  try {
    await worker.start();
    await worker.ended;
  } catch {
    // The parent is told why when it says goodbye.
    await worker.stop({ now: true });
    return 1;
  }
  await worker.stop();
  return 0;
}
