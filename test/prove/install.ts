import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from '../../scripts/package/build.ts';
import { packAll, type Tarball } from '../../scripts/package/pack.ts';
import { goneOn } from '../install/gone-on.ts';
import { type NodeRelease, nodeReleases } from '../install/node-release.ts';
import { inOwnNetwork } from '../install/own-network.ts';
import { fencedBlock, quickStart } from '../install/quick-start.ts';
import { emptyFolder, type Ran, type Shell, type, warningsIn, withoutNpmSettings } from '../install/shell.ts';
import type { Typed, Typing } from '../install/type-commands.ts';

const root = resolve(import.meta.dirname, '../..');

/** The pause between two requests is the one people get, so the site's size decides how long this takes. */
const sizes = {
  full: { leaves: 30, interruptAfter: 12, builds: 2 },
  quick: { leaves: 4, interruptAfter: 4, builds: 1 },
};
type Sizes = (typeof sizes)['full'];

/**
 * What a stranger does first: installs the packed packages into an empty folder, install scripts off, and
 * types the README's commands, on the oldest and the newest Node. They reach a site of the fake web that is
 * called example.org in a network of its own, so they are typed as they stand, with no setting at all.
 * Any wrong exit code, any warning and any page asked for again after the interrupt fails.
 */
export async function prove(options: {
  quick: boolean;
  args: string[];
}): Promise<{ ok: boolean; result: Record<string, unknown> }> {
  const size = options.quick ? sizes.quick : sizes.full;
  const work = mkdtempSync(join(tmpdir(), 'webfarer-install-'));
  try {
    const { tarballs, failures } = await release(size.builds);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const nodes = nodeReleases();
    const trials = await Promise.all(
      nodes.map((node) =>
        onNode({ node, tarballs, readme, size, folder: join(work, `node-${node.version}`) }),
      ),
    );
    failures.push(...trials.flatMap((trial) => trial.failures));
    return {
      ok: failures.length === 0,
      result: {
        nodes: nodes.map(({ version }) => version),
        commands: trials.reduce((sum, trial) => sum + trial.commands, 0),
        failures,
        sizes: {
          ...size,
          packages: tarballs.length,
          bytes: tarballs.reduce((sum, each) => sum + each.bytes, 0),
        },
      },
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Built more than once, the same sources must give the same bytes. */
async function release(builds: number): Promise<{ tarballs: Tarball[]; failures: string[] }> {
  const digests: string[] = [];
  let tarballs: Tarball[] = [];
  for (let n = 0; n < builds; n++) {
    await build();
    tarballs = packAll();
    digests.push(tarballs.map(({ integrity }) => integrity).join(' '));
  }
  const failures = new Set(digests).size > 1 ? ['a second build gives other bytes'] : [];
  return { tarballs, failures };
}

interface Trial {
  node: NodeRelease;
  tarballs: Tarball[];
  readme: string;
  size: Sizes;
  folder: string;
}

async function onNode(trial: Trial): Promise<{ commands: number; failures: string[] }> {
  const { node, tarballs, readme, size, folder } = trial;
  const failures: string[] = [];
  const judge = (what: string, { code, output }: Ran, expected = 0): void => {
    if (code !== expected) failures.push(`${what}: exit ${code}, not ${expected}: ${tail(output)}`);
    for (const line of warningsIn(output)) failures.push(`${what}: ${line.trim()}`);
  };
  const home = emptyFolder(join(folder, 'home'), node);
  const files = tarballs.map(({ path }) => path).join(' ');
  judge('npm install', await type(home, `npm install --ignore-scripts --no-audit --no-fund ${files}`));
  const shell = withoutNpmSettings(home);
  const lines = quickStart(readme);
  const side = join(folder, 'site');
  mkdirSync(side);
  const typed = await inOwnNetwork<Typed>({
    program: join(root, 'test/install/type-commands.ts'),
    args: {
      shell,
      lines,
      leaves: size.leaves,
      interruptAfter: size.interruptAfter,
      folder: side,
    } satisfies Typing,
    folder: side,
  });
  // The README says that a stopped crawl goes on, so the first line is stopped and the second goes on.
  typed.ran.forEach((ran, n) => judge(lines[n] ?? '', ran, n === 0 ? 130 : 0));
  failures.push(...goneOn(typed.asked));
  judge('types of the library', await typeCheck(shell, fencedBlock(readme, 'library')));
  return { commands: lines.length, failures: failures.map((failure) => `node ${node.version}: ${failure}`) };
}

/** The README's library example, checked by the compiler against the installed types. */
function typeCheck(shell: Shell, example: string): Promise<Ran> {
  writeFileSync(join(shell.folder, 'example.mts'), example);
  const flags =
    '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2024 --types node';
  const types = `--typeRoots ${join(root, 'node_modules/@types')}`;
  return type(shell, `${join(root, 'node_modules/.bin/tsc')} ${flags} ${types} example.mts`);
}

const tail = (output: string): string => output.trim().split('\n').slice(-5).join(' | ').slice(-600);
