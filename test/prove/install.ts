import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from '../../scripts/package/build.ts';
import { packAll, type Tarball } from '../../scripts/package/pack.ts';
import { type CleanFolder, cleanFolder, type Ran, warningsIn } from '../install/clean-folder.ts';
import { type ExampleSite, type SiteRequest, startExampleSite } from '../install/example-site.ts';
import { type NodeRelease, nodeReleases } from '../install/node-release.ts';
import { fencedBlock, quickStart } from '../install/quick-start.ts';

const root = resolve(import.meta.dirname, '../..');
const dnsPort = 20_553;

/** How many requests the first crawl makes before Ctrl-C is pressed: some, and not all. */
const requestsBeforeInterrupt = 12;

/**
 * What a stranger does first: installs the packed packages into an empty folder, install scripts off, and
 * types the README's commands, on the oldest and the newest Node. Any wrong exit code and any warning fails.
 */
export async function prove(options: {
  quick: boolean;
  args: string[];
}): Promise<{ ok: boolean; result: Record<string, unknown> }> {
  const work = mkdtempSync(join(tmpdir(), 'webfarer-install-'));
  const failures: string[] = [];
  const nodes: string[] = [];
  let commands = 0;
  try {
    const tarballs = await release(options.quick, failures);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    for (const node of nodeReleases()) {
      const site = await startExampleSite({ folder: work, dnsPort });
      try {
        commands += await onNode({ node, tarballs, readme, work, site, failures });
        nodes.push(node.version);
      } finally {
        await site.stop();
      }
    }
    const bytes = tarballs.reduce((sum, tarball) => sum + tarball.bytes, 0);
    const sizes = { packages: tarballs.length, bytes, lines: quickStart(readme).length };
    return { ok: failures.length === 0 && commands > 0, result: { nodes, commands, failures, sizes } };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Builds and packs; the full form does it twice, because the same sources must give the same bytes. */
async function release(quick: boolean, failures: string[]): Promise<Tarball[]> {
  await build();
  const tarballs = packAll();
  if (quick) return tarballs;
  await build();
  const again = packAll();
  tarballs.forEach(({ name, integrity }, n) => {
    if (again[n]?.integrity !== integrity) failures.push(`${name}: a second build gives other bytes`);
  });
  return again;
}

interface Trial {
  node: NodeRelease;
  tarballs: Tarball[];
  readme: string;
  work: string;
  site: ExampleSite;
  failures: string[];
}

/** Answers how many commands were typed. */
async function onNode({ node, tarballs, readme, work, site, failures }: Trial): Promise<number> {
  const defaults = join(work, 'defaults.yml');
  // JSON is YAML.
  writeFileSync(defaults, JSON.stringify(site.defaults));
  const folder = cleanFolder(join(work, `node-${node.version}`), node, { WEBFARER_DEFAULTS: defaults });
  const judge = (what: string, ran: Ran, expected: number): void => {
    const where = `node ${node.version}: ${what}`;
    if (ran.code !== expected)
      failures.push(`${where}: exit ${ran.code}, not ${expected}: ${tail(ran.output)}`);
    for (const line of warningsIn(ran.output)) failures.push(`${where}: ${line.trim()}`);
  };
  judge('npm install', await folder.install(tarballs.map(({ path }) => path)), 0);
  const lines = quickStart(readme);
  for (const [n, line] of lines.entries()) {
    // The second line of the README says that a stopped crawl goes on: so the first one is stopped.
    const stops = n === 0 && lines[1]?.startsWith(line.split('  ')[0] ?? line);
    const ran = await folder.type(
      line,
      stops ? { interruptWhen: () => site.requests.length >= requestsBeforeInterrupt } : {},
    );
    judge(line, ran, stops ? 130 : 0);
    if (n === 1)
      failures.push(...repeated(site.requests).map((each) => `node ${node.version}: asked twice: ${each}`));
  }
  judge('types of the library', await typeCheck(folder, fencedBlock(readme, 'library')), 0);
  return lines.length;
}

/** Pages asked for again although they had been answered well: at most the one that the interrupt cut off. */
function repeated(requests: SiteRequest[]): string[] {
  const good = requests.filter(({ status }) => status < 429).map(({ what }) => what);
  const pages = good.filter((what) => what.startsWith('GET ') && !what.endsWith('/robots.txt'));
  const twice = pages.filter((what, n) => pages.indexOf(what) < n);
  return twice.length <= 1 ? [] : twice;
}

/** The README's library example, checked by the compiler against the installed types. */
function typeCheck(folder: CleanFolder, example: string): Promise<Ran> {
  writeFileSync(join(folder.path, 'example.mts'), example);
  const flags =
    '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2024 --types node';
  const types = `--typeRoots ${join(root, 'node_modules/@types')}`;
  return folder.type(`${join(root, 'node_modules/.bin/tsc')} ${flags} ${types} example.mts`);
}

const tail = (output: string): string => output.trim().split('\n').slice(-5).join(' | ').slice(-600);
