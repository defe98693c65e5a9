// watches: deploy, packages/cli/src/commands, packages/cli/src/network, packages/cli/src/secrets
// watches: packages/cli/src/machine, scripts/package
// misses: containers, units and charts that no longer start, stop or pass their linters
// ci: alone, because it judges how soon processes stop and builds the packages.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from '../../scripts/package/build.ts';
import { packAll } from '../../scripts/package/pack.ts';
import { root } from '../deploy/files.ts';
import { helmLint, lints } from '../deploy/lint.ts';
import type { Lived, Trial } from '../deploy/live.ts';
import { promisedStopSeconds } from '../deploy/stop-times.ts';
import { inOwnNetwork } from '../install/own-network.ts';
import { run } from '../outside/tools.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

/**
 * The files of deploy/, judged by the strictest tool of each format, then used: the packed packages are installed by the
 * script of the container file, and the coordinator, two workers and the store of compose.yaml run as processes without
 * privileges on a read-only root, with its environment and its secrets. One of the workers and the operator come through
 * the nginx example. A crawl of the fake web must be exact, the health check of the image must pass, and each process
 * must end with 0 within the documented time after SIGTERM. `--only lint` or `--only live` does half of it. The full form
 * also builds Helm and renders the chart.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--only');
  const work = workFolder('deploy');
  chmodSync(work.path, 0o755);
  try {
    const failures = only === 'live' ? [] : await lint(work.path, quick);
    if (only === 'lint') return { ok: failures.length === 0, result: { linted: lints.length, failures } };
    const lived = await live(work.path);
    failures.push(...lived.failures);
    const allowedMs = promisedStopSeconds() * 1000;
    for (const { name, ms } of lived.stops)
      if (ms > allowedMs) failures.push(`${name} took ${ms} ms to stop, more than ${allowedMs}`);
    const { judgement: found } = lived;
    if (!lived.holds) console.error(JSON.stringify(found, null, 1));
    return {
      ok: failures.length === 0 && lived.holds,
      result: {
        linted: only === 'live' ? 0 : lints.length + (quick ? 0 : 1),
        expected: found.expected,
        recorded: found.recorded,
        lost: found.lost,
        duplicates: found.duplicates,
        wrong: found.wrong,
        stopsMs: Object.fromEntries(lived.stops.map(({ name, ms }) => [name, ms])),
        failures,
        sizes: { workers: 2 },
      },
    };
  } finally {
    work.remove();
  }
}

async function lint(folder: string, quick: boolean): Promise<string[]> {
  const failures: string[] = [];
  for (const each of quick ? lints : [...lints, helmLint]) {
    try {
      await each.run(folder);
      console.error(`  ✓ ${each.name}`);
    } catch (error) {
      const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
      failures.push(`${each.name}: ${`${message}\n${stdout}${stderr}`.slice(0, 2000)}`);
      console.error(`  ✗ ${failures.at(-1)}`);
    }
  }
  return failures;
}

async function live(folder: string): Promise<Lived> {
  if (!arePacked()) {
    await build();
    await packAll();
  }
  const app = join(folder, 'app');
  await run(join(root, 'deploy/container/assemble'), [app], {
    cwd: root,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    maxBuffer: 1e8,
  });
  const trial = join(folder, 'trial');
  mkdirSync(trial);
  const program = join(root, 'test/deploy/live.ts');
  const args: Trial = { app, node: process.execPath, folder: trial };
  return await inOwnNetwork<Lived>({ program, args, folder });
}

/** What `npm run release` would pack is what lies there: nothing that goes into it is younger. */
function arePacked(): boolean {
  const packed = join(root, 'build/tarballs');
  const times = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && !/node_modules|\/dist(\/|$)/.test(each.parentPath))
      .map((each) => statSync(join(each.parentPath, each.name)).mtimeMs);
  try {
    const oldest = Math.min(...times(packed));
    const sources = ['packages', 'scripts', 'docs'].flatMap((name) => times(join(root, name)));
    return times(packed).length > 0 && Math.max(...sources) < oldest;
  } catch {
    return false;
  }
}
