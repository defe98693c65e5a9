// watches: docs/recipes, examples, packages/cli/src/commands, packages/cli/src/export, packages/cli/src/handlers
// watches: packages/cli/src/search, packages/worker/src/fields, packages/worker/src/scrape
// misses: a recipe that no longer does what it shows
import { join } from 'node:path';
import { tryPeers } from '../peers/try-peers.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Lab, type LabWeb, startLab } from '../recipes/lab-web.ts';
import { recipesOf } from '../recipes/all.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { type PageRun, runPage } from '../recipes/run-page.ts';
import { argument, workFolder } from './lab.ts';

/**
 * Every recipe of docs/recipes does what it says: its commands are read off the page and run as they stand, against
 * sites of those names, and the result is judged by what the page shows, by what the sites hold and by their log. Control:
 * the same judge, after harm was done to each result. `--only NAME,NAME`. With `--peers` nothing of ours is run, but the
 * programs in test/peers that do the same with other crawlers, as far as those can be installed.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--only')?.split(',');
  const recipes = recipesOf({ quick }).filter(({ name }) => only?.includes(name) ?? true);
  const work = workFolder('recipes');
  // Ten thousand names would make a certificate of their own size; those sites answer plain http.
  const secure = recipes
    .flatMap(({ hosts }) => Object.keys(hosts))
    .filter((host) => !/^domain-\d/.test(host));
  const lab = await startLab(secure);
  try {
    if (args.includes('--peers')) {
      const peers = await tryPeers(recipes, lab, work.path);
      return { ok: Object.values(peers).every((text) => text === 'as it should be'), result: { peers } };
    }
    const done = await Promise.all(
      recipes.map((recipe) => follow(recipe, lab, join(work.path, recipe.name))),
    );
    return {
      ok: recipes.length > 0 && done.every(({ problems, unseen }) => problems.length + unseen.length === 0),
      result: {
        recipes: done.length,
        steps: done.reduce((sum, { steps }) => sum + steps, 0),
        requests: Object.fromEntries(done.map(({ name, requests }) => [name, requests])),
        wrong: done.flatMap(({ name, problems }) => (problems.length > 0 ? [name] : [])),
        unseen: done.flatMap(({ name, unseen }) => (unseen.length > 0 ? [name] : [])),
        sizes: { quick },
      },
    };
  } finally {
    lab.stop();
    work.remove();
  }
}

/** A file that is not there is a problem too. */
async function judged(recipe: Recipe, run: PageRun, web: LabWeb): Promise<string[]> {
  try {
    return await recipe.judge(run, web);
  } catch (error) {
    return [String(error)];
  }
}

async function notices(recipe: Recipe, run: PageRun, web: LabWeb): Promise<boolean> {
  recipe.harm(run, web);
  return (await judged(recipe, run, web)).length > 0;
}

interface Followed {
  name: string;
  problems: string[];
  /** Harm that the judge did not notice. */
  unseen: string[];
  steps: number;
  requests: number;
}

async function follow(recipe: Recipe, lab: Lab, folder: string): Promise<Followed> {
  const { name } = recipe;
  const web = await lab.startWeb(recipe.hosts);
  const env = { ...web.env, ...(await recipe.env()) };
  const run = await runPage({ name, folder, env, proxy: web.proxy, before: (n) => recipe.before(n, folder) });
  try {
    const problems = run.problems.length > 0 ? run.problems : await judged(recipe, run, web);
    const unseen =
      problems.length === 0 && !(await notices(recipe, run, web)) ? ['the judge does not notice harm'] : [];
    for (const line of [...problems, ...unseen]) console.error(`  ${name}: ${line}`);
    return { name, problems, unseen, steps: run.steps, requests: web.log.length };
  } finally {
    await run.stop();
    await web.stop();
  }
}
