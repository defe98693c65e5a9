// ci: long
// watches: docs, packages/cli/src/commands, packages/cli/src/job, packages/cli/src/context, packages/cli/src/export
// watches: packages/cli/src/search
// misses: a guide whose command does not work as printed
import { join } from 'node:path';
import { stale } from '../guides/not-run.ts';
import { commandsOf, pages } from '../guides/page-commands.ts';
import { commandsIn, runScene, type SceneRun } from '../guides/run-scene.ts';
import { scenes } from '../guides/scenes.ts';
import { uncovered } from '../guides/uncovered.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Site, startLab } from '../recipes/lab-web.ts';
import { tutorial } from '../recipes/jobs/tutorial.ts';
import { argument, workFolder } from './lab.ts';

const [site] = Object.values(tutorial.hosts);
const hosts = { 'example.org': site, 'example.net': site } as Record<string, Site>;

/**
 * Every command in the guides does what it should: it is read off the page and typed as it stands, against a site of that
 * name, with what its reader would have. Commands that cannot run here are listed with the reason in
 * test/guides/not-run.ts; one that is neither run nor listed fails this proof, and so does an entry of the list that no
 * page has any more. Control: a command that is not listed and not run is noticed. `--only NAME,NAME` chooses scenes.
 */
export async function prove({ args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--only')?.split(',');
  const chosen = scenes.filter(({ name }) => only?.includes(name) ?? true);
  const work = workFolder('guides');
  const lab = await startLab(Object.keys(hosts));
  const web = await lab.startWeb(hosts);
  try {
    const commands = pages().flatMap((page) => commandsOf(page));
    const forgotten = uncovered(commands).map(
      ({ page, text }) => `neither run nor listed: ${page}.md: ${text}`,
    );
    const old = stale(commands).map(({ page, starts }) => `listed, but not there: ${page}.md: ${starts}`);
    const isBlind = uncovered([{ page: 'docs/metrics-2', text: 'webfarer nothing' }]).length !== 1;
    const runs: SceneRun[] = [];
    // Two at a time: they wait for starts and gaps.
    const queue = chosen.entries();
    const typeOn = async () => {
      for (const [n, scene] of queue)
        runs.push(
          await runScene(scene, { folder: join(work.path, String(n)), proxy: web.proxy, env: web.env }),
        );
    };
    await Promise.all([typeOn(), typeOn()]);
    const problems = [...forgotten, ...old, ...runs.flatMap((run) => run.problems)];
    for (const problem of problems) console.error(`  ✗ ${problem}`);
    return {
      ok: problems.length === 0 && !isBlind && runs.length > 0,
      result: {
        commands: commands.length,
        run: runs.reduce((sum, run) => sum + run.commands, 0),
        listed: commands.length - scenes.flatMap(commandsIn).length,
        forgotten: forgotten.length,
        failed: runs.filter((run) => run.problems.length > 0).map(({ name }) => name),
        isBlind,
        sizes: { scenes: chosen.length },
      },
    };
  } finally {
    await web.stop();
    lab.stop();
    work.remove();
  }
}
