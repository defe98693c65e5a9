import type { Duplex } from 'node:stream';
import { type FolderLock, lockFolder } from '@webfarer/coordinator';
import { systemClock } from '@webfarer/protocol';
import { openTracing, openWorker } from '@webfarer/worker';
import { browserSettings } from '../machine/browser-settings.ts';
import { saveSettings } from '../machine/save-settings.ts';
import type { GivenKey } from '../secrets/given-secrets.ts';
import { signingKeyOf } from '../secrets/signing-key-of.ts';
import { forwardMetrics, type ProcessNews } from './forwarded-metrics.ts';
import type { ProcessSetup } from './process-setup.ts';

/** An exporter that reaches nobody must not keep the process. */
const lastWordsMs = 2_000;

/** Works for the parent until it is told to end; answers the exit code. */
export async function serveParent(options: {
  setup: ProcessSetup;
  key: GivenKey | undefined;
  stream: Duplex;
  /** Is given what must be done before the process ends. */
  lastWords: (() => Promise<void>)[];
}): Promise<number> {
  const { setup, key, stream, lastWords } = options;
  const { folder } = setup;
  let lock: FolderLock | undefined;
  const forwarded = setup.isMeasured ? forwardMetrics({ clock: systemClock(), send: tellParent }) : undefined;
  const tracing = setup.isTraced ? await openTracing(setup.version) : undefined;
  const inTime = (work: Promise<void>) => Promise.race([work, systemClock().sleep(lastWordsMs)]);
  if (forwarded) lastWords.push(() => inTime(forwarded.stop()));
  if (tracing) lastWords.push(() => inTime(tracing.flush()));
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
    ...browserSettings(),
    ...saveSettings(systemClock()),
    ...(forwarded ? { metrics: forwarded.metrics } : {}),
    ...(tracing ? { tracing } : {}),
    ...(key ? { signingKey: signingKeyOf(key) } : {}),
  });
  try {
    await worker.start();
    await worker.ended;
    await worker.stop();
    return 0;
  } catch {
    // The parent is told why when it says goodbye.
    await worker.stop({ now: true });
    return 1;
  }
}

/** A parent that is gone needs no news. */
function tellParent(news: ProcessNews): Promise<void> {
  return new Promise((done) => {
    if (process.send === undefined || !process.connected) return done();
    process.send(news, undefined, {}, () => done());
  });
}
