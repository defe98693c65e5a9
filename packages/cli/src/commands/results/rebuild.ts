import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { makeFolder, syncFolder } from '@webfarer/protocol/node';
import {
  type Archive,
  type ArchiveFile,
  openArchive,
  type Rebuilt,
  writeRebuiltAnswers,
} from '@webfarer/worker/archive';
import type { CliContext } from '../../context/context.ts';
import { shownPath } from '../../folder/folders.ts';
import { count, plural } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';

interface RebuildOptions {
  out: string;
  json?: boolean;
  quiet?: boolean;
}

export function addRebuildCommand({ program, context, exit }: CommandHome): void {
  program
    .command('rebuild')
    .description(
      'Makes a crawl folder out of WARC files, of one or several machines. A crawl that is then run there takes every page in them as answered, finds its links, and requests only what is missing. The folders it reads are not changed.',
    )
    .argument('<folder...>', 'crawl folders, or other folders with WARC files')
    .requiredOption('--out <folder>', 'the new crawl folder; must not exist or be empty')
    .option('--json', 'the counts as JSON')
    .option('--quiet', 'only the summary')
    .action(async (named: string[], options: RebuildOptions) => {
      const out = resolve(context.cwd, options.out);
      await requireEmpty(out);
      await collect(
        named.map((folder) => resolve(context.cwd, folder)),
        out,
      );
      const isQuiet = options.quiet === true || options.json === true;
      const rebuilt = await writeRebuiltAnswers(out, (file, answers) => {
        if (!isQuiet) context.terminal.err(`  ${clean(basename(file))}   ${count(answers)} answers so far\n`);
      });
      if (options.json) context.terminal.out(jsonLine({ out, ...rebuilt }));
      else showRebuilt(context, rebuilt, { out, job: jobOf(named, context.cwd) });
      if (rebuilt.damaged.length > 0) exit(4);
    });
}

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length > 0)
    throw new WebfarerError('usage', `${folder} is not empty`, {
      next: 'Name a folder that does not exist yet with --out.',
    });
}

/** Brings the WARC files of all folders together under names that differ, as links where the disk is the same. */
async function collect(folders: readonly string[], out: string): Promise<void> {
  const archive = join(out, 'archive');
  const found: { from: Archive; file: ArchiveFile }[] = [];
  for (const folder of folders) {
    const from = openArchive(folder);
    const files = (await from.files()).filter(({ kind }) => kind === 'warc');
    if (files.length === 0)
      throw new WebfarerError('not-found', `${folder} holds no WARC files`, {
        next: 'Name the folder of a crawl that saved WARC files (the default), or the folder that holds the files.',
      });
    found.push(...files.map((file) => ({ from, file })));
  }
  await makeFolder(archive);
  const taken = new Set<string>();
  for (const { from, file } of found) {
    const name = freeName(basename(file.name), taken);
    taken.add(name);
    await bring(file, await from.wholeBytes(file), join(archive, name));
  }
  await syncFolder(archive);
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${n}-${name}`;
    if (!taken.has(tried)) return tried;
  }
}

/** A file that was being written when its worker died is copied as far as it is whole. */
async function bring({ path, bytes }: ArchiveFile, wholeBytes: number, to: string): Promise<void> {
  if (wholeBytes === bytes) {
    try {
      return await link(path, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // On another disk, or one that knows no links.
      if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'ENOTSUP') throw error;
    }
  }
  const whole = wholeBytes === 0 ? [] : createReadStream(path, { end: wholeBytes - 1 });
  await pipeline(whole, createWriteStream(to, { flush: true }));
}

/** The job as one of the folders has it, or a name to fill in. */
function jobOf(folders: readonly string[], cwd: string): string {
  const found = folders
    .map((folder) => join(folder, 'crawl.json'))
    .find((file) => existsSync(resolve(cwd, file)));
  return found ?? 'job.yml';
}

function showRebuilt(
  { terminal, cwd, launcher }: CliContext,
  { files, answers, again, damaged }: Rebuilt,
  { out, job }: { out: string; job: string },
): void {
  const say = (line: string) => terminal.out(`  ${line}\n`);
  const folder = clean(shownPath(out, cwd));
  say(`${plural(answers, 'answer')} in ${plural(files, 'WARC file')}`);
  if (again > 0) say(`${plural(again, 'answer')} not usable: errors that pass, or bodies that are elsewhere`);
  for (const { file, text } of damaged)
    say(
      `${clean(file)} is damaged: ${clean(text)}. Try ${launcher} warc repair on the original, and rebuild again`,
    );
  say(`Resume the crawl:  ${launcher} run ${clean(job)} --out ${folder}`);
}
