import { join, resolve } from 'node:path';
import type { RecordFilter } from '@webfarer/coordinator';
import { systemClock, type Url, WebfarerError } from '@webfarer/protocol';
import { resolveJob, robotsToken } from '@webfarer/protocol/job';
import { createScope } from '@webfarer/protocol/url';
import type { FolderReader } from '../local-port.ts';
import { changesIn } from './changes.ts';
import { explainUrl } from './explain.ts';
import { lockFolder } from './folder-lock.ts';
import { type Manifest, memberOf, readManifest, writeManifest } from './manifest.ts';
import { changeFrontier, hasFrontier, readFrontier } from './open-frontier.ts';
import { previousPath } from './previous-folder.ts';

async function manifestOf(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest && hasFrontier({ folder, manifest })) return manifest;
  throw new WebfarerError('not-found', `${folder} is not a crawl folder`, {
    next: 'Name the folder of a crawl, for example ./example.org.crawl',
  });
}

/** Looks into a crawl folder without changing it, also while a crawl runs there. */
export async function readFolder(
  path: string,
  { segments }: { segments?: readonly string[] } = {},
): Promise<FolderReader> {
  const folder = resolve(path);
  const manifest = await manifestOf(folder);
  const clock = systemClock();
  const job = resolveJob(manifest.job);
  const frontier = await readFrontier({ folder, manifest }, { clock, ...(segments ? { segments } : {}) });
  const crawl = manifest.id;
  const seeds = manifest.seeds as Url[];
  const scope = createScope(job, seeds);
  const agentToken = robotsToken(manifest.userAgent);
  const previous = await previousPath(folder, manifest);
  const member = memberOf(manifest);
  const busy = isBusy(folder);
  const { stall } = manifest.session;
  return {
    crawl,
    job,
    seeds,
    input: manifest.job,
    ownCode: manifest.ownCode ?? false,
    jobPath: join(manifest.baseFolder, 'job.yml'),
    busy,
    ...(busy && stall ? { stall } : {}),
    stoppedAgoMs: Math.max(0, clock.now() - manifest.session.updatedAtMs),
    elapsedMs: manifest.session.elapsedMs,
    ...(member === undefined ? {} : { member }),
    state: () => frontier.state(crawl),
    balance: () => frontier.balance(crawl),
    totals: () => frontier.totals(crawl),
    waiting: (limit) => frontier.waiting(crawl, limit),
    explain: (url) => explainUrl(url, { crawl, job, scope, agentToken, frontier }),
    results: frontier.results,
    kept: async () => await frontier.kept?.(crawl),
    ...(previous === undefined ? {} : { previous }),
    changes: (than = previous) =>
      than === undefined ? nothing() : changesIn({ folder, manifest, previous: than }),
    close: () => frontier.close(),
  };
}

async function* nothing(): AsyncIterable<never> {}

function isBusy(folder: string): boolean {
  try {
    lockFolder(folder).release();
    return false;
  } catch {
    return true;
  }
}

/** Puts settled URLs of a crawl nobody is working on back into its queue; the next run fetches them. */
export async function retryFolder(
  path: string,
  filter: RecordFilter,
  { segments }: { segments?: readonly string[] } = {},
): Promise<number> {
  const folder = resolve(path);
  const manifest = await manifestOf(folder);
  const lock = lockFolder(folder);
  const frontier = await changeFrontier({ folder, manifest }, systemClock(), segments).catch(
    (error: unknown) => {
      lock.release();
      throw error;
    },
  );
  try {
    const count = await frontier.retry(manifest.id, filter);
    if (count > 0) {
      // Others may be working on a crawl in a store.
      if (!manifest.store) await frontier.setState(manifest.id, 'stopped');
      manifest.session.state = 'stopped';
      await writeManifest(folder, manifest);
    }
    return count;
  } finally {
    await frontier.close();
    lock.release();
  }
}
