import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { resolveJob } from '@webfarer/protocol/job';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../../context/context.ts';
import type { Check } from '../../doctor/check.ts';
import { checkFolder } from '../../doctor/folder.ts';
import { checkMachine } from '../../doctor/machine.ts';
import { checkStore } from '../../doctor/store.ts';
import { addStoreUrlOptions } from '../../secrets/store-options.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { clean, padEnd, painter, type Paint } from '../../terminal/text.ts';
import { collect, type CommandHome } from '../home.ts';

interface DoctorOptions {
  dns?: string[];
  store?: string;
  json?: boolean;
}

/** More folders than these are looked at one by one. */
const mostFolders = 20;

export function addDoctorCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('doctor')
    .description(
      'Checks Node, disk, DNS and clock, and in each crawl folder the database, the lock, the balance and the archive. With --store, also a Redis or Valkey store: reachable, rights, replicas and settings. Changes nothing. Exits with 4 if a check fails.',
    )
    .argument('[folder]', 'crawl folder (default: all in this folder)')
    .option('--dns <address>', 'DNS server to use', collect)
    .option('--json', 'as JSON lines')
    .option('--store <url>', 'check this store, redis://host:port')
    .option('--store-file <file>', 'its address in a file, for one with a password');
  addStoreUrlOptions(command).action(async (named: string | undefined, options: DoctorOptions) => {
    const folders =
      named === undefined ? await foldersHere(context.cwd) : [await findFolder(named, context.cwd)];
    let ok = show(context, 'this machine', await machineOf(context, options), options);
    if (options.store !== undefined)
      ok = show(context, 'the store', await checkStore(options.store, context.clock), options) && ok;
    for (const folder of folders) {
      const checks = await checkFolder(folder, { local: context.local, nowMs: context.clock.now() });
      ok = show(context, shownPath(folder, context.cwd), checks, options) && ok;
    }
    if (!ok) exit(4);
  });
}

async function machineOf({ cwd, clock }: CliContext, { dns = [] }: DoctorOptions): Promise<Check[]> {
  // The limits of a job that says nothing are those that most crawls have.
  const { minFreeBytes } = resolveJob({ seeds: ['https://example.org/'] }).limits;
  return await checkMachine({ node: process.versions.node, cwd, clock, dns, minFreeBytes });
}

async function foldersHere(cwd: string): Promise<string[]> {
  const entries = await readdir(cwd, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && entry.name.endsWith('.crawl'));
  return names
    .map(({ name }) => join(cwd, name))
    .toSorted((a, b) => basename(a).localeCompare(basename(b), 'en'))
    .slice(0, mostFolders);
}

/** Answers whether all is well. */
function show(
  { terminal }: CliContext,
  what: string,
  checks: readonly Check[],
  { json }: DoctorOptions,
): boolean {
  const paint = painter(terminal.colour);
  if (!json) terminal.out(`  ${paint('strong', clean(what))}\n`);
  for (const check of checks) {
    if (json) terminal.out(jsonLine({ of: what, ...check }));
    else for (const line of checkLines(check, paint)) terminal.out(`${line}\n`);
  }
  return checks.every(({ ok }) => ok);
}

function checkLines({ name, ok, text, next }: Check, paint: Paint): string[] {
  const mark = ok ? paint('good', '✓') : paint('bad', '✗');
  const lines = [`    ${mark} ${padEnd(name, 10)} ${clean(text)}`];
  if (next !== undefined) lines.push(`      ${padEnd('', 10)} ${clean(next)}`);
  return lines;
}
