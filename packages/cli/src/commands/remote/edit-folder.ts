import { isDeepStrictEqual } from 'node:util';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { mergePatch, resolveJob, scopeChanged } from '@webfarer/protocol/job';
import type { CliContext } from '../../context/context.ts';
import { shownPath } from '../../folder/folders.ts';
import { clean } from '../../terminal/text.ts';
import { type Changes, type EditOptions, printChanges } from './edit-changes.ts';

/** A crawl applies an order within a second; one whose store does not answer may take this long. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 100;

/** Changes the crawl that runs in a folder of this machine, whichever process runs it. */
export async function editFolder(
  context: CliContext,
  folder: string,
  options: EditOptions & { changes: Changes; rescope: boolean },
): Promise<void> {
  const { local, clock, terminal, cwd, launcher } = context;
  const { changes, rescope } = options;
  const shown = shownPath(folder, cwd);
  if (options.tag)
    throw new WebfarerError('usage', 'Crawls of a folder have no tags.', { next: 'Leave --tag out.' });
  const before = await look();
  if (!before.busy)
    throw new WebfarerError('not-found', `No crawl is running in ${shown}.`, {
      next: `The command that resumes it takes the settings as options, for example --gap 2s or --limit 5000; for a crawl of a job file, change the file. Where it stands:  ${launcher} status ${shown}`,
    });
  const wanted = mergePatch(before.input, changes) as Changes;
  // Wrong settings are refused here, in the words of the job file.
  const rescoped = scopeChanged(before.job, resolveJob(wanted));
  if (rescoped.length > 0 && !rescope)
    throw new WebfarerError('scope-changed', `This changes the scope: ${rescoped.join(', ')}.`, {
      next: 'Add --rescope to accept it: queued URLs outside it are refused.',
    });
  const { writeWanted } = await import('@webfarer/coordinator');
  await writeWanted(folder, { changes, rescope });
  for (const end = clock.now() + PATIENCE_MS; clock.now() < end; ) {
    const { input, job } = await look();
    if (isDeepStrictEqual(mergePatch(input, changes), input)) {
      if (options.json) return terminal.out(jsonLine({ folder, name: job.name, job: input }));
      terminal.out(`  ${clean(job.name)}: ${shown}\n`);
      return printChanges(context, options, { before: before.input as Changes, after: input as Changes });
    }
    await clock.sleep(LOOK_MS);
  }
  throw new WebfarerError(
    'storage',
    `The crawl in ${shown} has not applied the change within ${PATIENCE_MS / 1_000} s.`,
    {
      next: `It will as soon as it can. What it waits for:  ${launcher} status ${shown}`,
    },
  );

  async function look() {
    const reader = await local.readFolder(folder);
    await reader.close();
    const { busy, input, job } = reader;
    return { busy, input, job };
  }
}
