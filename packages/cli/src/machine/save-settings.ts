import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { OpenCaptureStore } from '@webfarer/worker';

/** Where this machine's owner lets captures go beside its disk. */
export function saveSettings(
  clock: Clock,
  env: Readonly<Record<string, string | undefined>> = process.env,
): { captureStore: OpenCaptureStore } {
  return {
    async captureStore() {
      const url = env['WEBFARER_SAVE_REDIS'];
      if (!url)
        throw new WebfarerError('usage', 'the job saves to Redis, but this machine names no server', {
          next: 'Set WEBFARER_SAVE_REDIS to its address, for example redis://127.0.0.1:6379',
        });
      const { openByteStore } = await import('@webfarer/coordinator/redis');
      return await openByteStore({ url, clock });
    },
  };
}
