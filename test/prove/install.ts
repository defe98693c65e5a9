// ci: long
// watches: scripts/package, README.md, docs/tutorial.md, packages/cli/src/commands, packages/cli/src/crawl
// watches: packages/cli/src/view, packages/cli/src/completion, packages/protocol/package.json
// watches: packages/coordinator/package.json, packages/worker/package.json, packages/graph/package.json
// watches: packages/cli/package.json
// misses: packages that do not install, are too big, miss a file, or differ from the README
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from '../../scripts/package/build.ts';
import { packAll, type Tarball } from '../../scripts/package/pack.ts';
import { median, startFailures } from '../install/first-page.ts';
import { goneOn } from '../install/gone-on.ts';
import { type InstalledSize, installedSize, missingTexts, sizeFailures } from '../install/installed-size.ts';
import { publintFailures, typesFailures } from '../install/judges.ts';
import { type NodeLine, type NodeRelease, nodeRelease } from '../install/node-release.ts';
import { inOwnNetwork } from '../install/own-network.ts';
import { fencedBlock, quickStart } from '../install/quick-start.ts';
import { emptyFolder, type Ran, type Shell, type, warningsIn, withoutNpmSettings } from '../install/shell.ts';
import type { Typed, Typing } from '../install/type-commands.ts';

const root = resolve(import.meta.dirname, '../..');

interface Sizes {
  nodes: NodeLine[];
  /** The pause between two requests is the one people get, so the site's size decides how long this takes. */
  leaves: number;
  interruptAfter: number;
  builds: number;
  starts: number;
}
const full: Sizes = { nodes: [22, 24, 26], leaves: 30, interruptAfter: 12, builds: 2, starts: 5 };
/** Everything else runs on the Node of development, so the oldest one has most to tell. */
const quick: Sizes = { nodes: [22], leaves: 2, interruptAfter: 4, builds: 1, starts: 1 };

/**
 * What a stranger does first: installs the packed packages into an empty folder, install scripts off, and
 * types the README's commands, on each Node we support. They reach a site of the fake web that is
 * called example.org in a network of its own, so they are typed as they stand, with no setting at all.
 * Any wrong exit code, any warning and any page asked for again after the interrupt fails; so do an installation over
 * its limits, a command that comes without its guides, what publint and are-the-types-wrong find, a second build with
 * other bytes, and a first page that comes late. `--only size` looks at the installation and types nothing.
 */
export async function prove(options: {
  quick: boolean;
  args: string[];
}): Promise<{ ok: boolean; result: Record<string, unknown> }> {
  const size = options.quick ? quick : full;
  const typed = !options.args.includes('size');
  const work = mkdtempSync(join(tmpdir(), 'webfarer-install-'));
  try {
    const { tarballs, failures } = await release(size.builds, options.quick);
    for (const tarball of tarballs) {
      failures.push(...(await publintFailures(tarball)), ...(await typesFailures(tarball)));
    }
    const nodes = size.nodes.map(nodeRelease);
    const trials = await Promise.all(
      nodes.map((node) =>
        onNode({ node, tarballs, size, typed, folder: join(work, `node-${node.version}`) }),
      ),
    );
    failures.push(...trials.flatMap((trial) => trial.failures));
    return {
      ok: failures.length === 0,
      result: {
        nodes: nodes.map(({ version }) => version),
        installed: trials[0]?.installed,
        commands: trials.reduce((sum, trial) => sum + trial.commands, 0),
        firstPageMs: trials.map((trial) => trial.firstPageMs),
        yardstickMs: trials.map((trial) => trial.yardstickMs),
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

/** Built more than once, the same sources must give the same bytes. The types are checked by `npm run check`. */
async function release(
  builds: number,
  unchecked: boolean,
): Promise<{ tarballs: Tarball[]; failures: string[] }> {
  const digests: string[] = [];
  let tarballs: Tarball[] = [];
  for (let n = 0; n < builds; n++) {
    await build({ unchecked });
    tarballs = await packAll();
    digests.push(tarballs.map(({ integrity }) => integrity).join(' '));
  }
  const failures = new Set(digests).size > 1 ? ['a second build gives other bytes'] : [];
  return { tarballs, failures };
}

interface Trial {
  node: NodeRelease;
  tarballs: Tarball[];
  size: Sizes;
  /** Whether the commands of the README are typed. */
  typed: boolean;
  folder: string;
}

interface Tried {
  commands: number;
  installed: InstalledSize;
  firstPageMs?: number;
  yardstickMs?: number;
  failures: string[];
}

async function onNode({ node, tarballs, size, typed, folder }: Trial): Promise<Tried> {
  const failures: string[] = [];
  const judge = (what: string, { code, output }: Ran, expected = 0): void => {
    if (code !== expected) failures.push(`${what}: exit ${code}, not ${expected}: ${tail(output)}`);
    for (const line of warningsIn(output)) failures.push(`${what}: ${line.trim()}`);
  };
  const named = (): string[] => failures.map((failure) => `node ${node.version}: ${failure}`);
  const home = emptyFolder(join(folder, 'home'), node);
  const files = tarballs.map(({ path }) => path).join(' ');
  judge('npm install', await type(home, `npm install --ignore-scripts --no-audit --no-fund ${files}`));
  const installed = installedSize(home.folder);
  failures.push(...sizeFailures(installed), ...missingTexts(home.folder));
  if (!typed) return { commands: 0, installed, failures: named() };
  const shell = withoutNpmSettings(home);
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const lines = quickStart(readme);
  const turn = join(folder, '..', 'turn');
  const came = await typeReadme({ shell, lines, size, turn, folder: join(folder, 'site') });
  // The README says that a stopped crawl resumes, so the first line is stopped and the second resumes.
  came.ran.forEach((ran, n) => judge(lines[n] ?? '', ran, n === 0 ? 130 : 0));
  failures.push(...goneOn(came.asked), ...startFailures(came));
  judge('webfarer docs', await type(shell, 'npx webfarer docs library'));
  judge('types of the library', await typeCheck(shell, fencedBlock(readme, 'library')));
  return {
    commands: lines.length,
    installed,
    firstPageMs: Math.round(median(came.firstPageMs)),
    yardstickMs: Math.round(median(came.yardstickMs)),
    failures: named(),
  };
}

function typeReadme(typing: {
  shell: Shell;
  lines: string[];
  size: Sizes;
  turn: string;
  folder: string;
}): Promise<Typed> {
  const { shell, lines, size, turn, folder } = typing;
  const { leaves, interruptAfter, starts } = size;
  mkdirSync(folder);
  const args: Typing = { shell, lines, leaves, interruptAfter, starts, folder, turn };
  return inOwnNetwork<Typed>({ program: join(root, 'test/install/type-commands.ts'), args, folder });
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
