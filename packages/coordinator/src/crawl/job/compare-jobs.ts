import { type Job, WebfarerError } from '@webfarer/protocol';
import { scopeChanged } from '@webfarer/protocol/job';

/**
 * Limits and pace may change between sessions; another scope would leave a queue that does not fit it. `mayForget`: seeds may be
 * gone, because another coordinator has forgotten their host.
 */
export function compareJobs(
  old: Job,
  job: Job,
  { rescope, where, mayForget = false }: { rescope: boolean; where: string; mayForget?: boolean },
): void {
  if (!haveSameSeeds(old, job) && !(mayForget && isPart(job.seeds, old.seeds))) {
    throw new WebfarerError('folder-foreign', where, {
      next: job.store
        ? 'Give this one another name (name: in the job file, --name), or the same seeds.'
        : 'Use another folder, or start over with --fresh.',
    });
  }
  requireSameArchive(old, job);
  const scope = scopeChanged(old, job);
  if (scope.length === 0 || rescope) return;
  const over = job.store ? 'or give it another name to start over.' : 'or --fresh to start over.';
  throw new WebfarerError(
    'scope-changed',
    `the scope differs from the one this crawl started with: ${scope.join(', ')}`,
    {
      next: `Add --rescope to continue with the new one (queued URLs outside it are refused), ${over}`,
    },
  );
}

const haveSameSeeds = (old: Job, job: Job) => JSON.stringify(old.seeds) === JSON.stringify(job.seeds);

function isPart(seeds: Job['seeds'], all: Job['seeds']): boolean {
  const known = new Set(all.map((seed) => JSON.stringify(seed)));
  return seeds.every((seed) => known.has(JSON.stringify(seed)));
}

/** Captures stay where they were saved, and readers look in the place that the job names: they would not find them. */
function requireSameArchive(old: Job, job: Job): void {
  const [before, now] = [archiveIn(old), archiveIn(job)];
  // Files of folders are found beside objects, not the other way round.
  if (before === undefined || before === now) return;
  throw new WebfarerError(
    'job-invalid',
    `the captures of this crawl are at ${before}, and the job now says ${now === undefined ? 'another place' : now}`,
    { next: `Keep at: ${before}, or begin another crawl with the new place.` },
  );
}

/** The server may be reached in another way: only bucket and prefix count. */
function archiveIn({ save }: Job): string | undefined {
  return save.find((target) => target.kind === 'warc')?.objects?.address;
}

/** A crawl is known by its name: an edit cannot change it. */
export function requireSameName({ name }: Job, next: Job): void {
  if (next.name === name) return;
  throw new WebfarerError('usage', `a crawl keeps its name: ${name}, not ${next.name}`, {
    next: `Write name: ${name}, or create another crawl.`,
  });
}
