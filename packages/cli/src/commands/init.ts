import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type JobInput, WebfarerError } from '@webfarer/protocol';
import { parseJobFile } from '@webfarer/protocol/job';
import { hostOf, seedUrl } from '@webfarer/protocol/url';
import type { Ask, CliContext } from '../context/context.ts';
import { findFolder, folderName, isDirectory, shownPath } from '../folder/folders.ts';
import { typedPrivate } from '../job/crawl-options.ts';
import { type InitAnswers, initFile } from '../job/init-file.ts';
import type { CommandHome } from './home.ts';

export function addInitCommand({ program, context }: CommandHome): void {
  program
    .command('init')
    .description('Writes a commented job file. On a terminal it asks a few questions first.')
    .argument('[file]', 'the file to write', 'job.yml')
    .option('--seed <url>', 'where the crawl begins')
    .option('--yes', 'ask nothing')
    .option('--force', 'replace a file that exists')
    .action(async (file: string, options: { seed?: string; yes?: boolean; force?: boolean }) => {
      const defaults = await initDefaults(context, options.seed);
      const ask = options.yes ? undefined : context.ask;
      const answers = ask ? await questions(ask, defaults) : defaults;
      const text = initFile(answers, file);
      // What init writes must be what run reads.
      parseJobFile(text, file);
      await writeNew(resolve(context.cwd, file), text, {
        force: options.force ?? false,
        shown: shownPath(file, context.cwd),
      });
      const { hasCoordinatorHere } = await import('../network/coordinator-at.ts');
      const { launcher } = context;
      const next = (await hasCoordinatorHere(context))
        ? `${launcher} start ${file}   or  ${launcher} schedule add weekly ${file} --every 1w`
        : `${launcher} run ${file}`;
      context.terminal.out(`  wrote ${shownPath(file, context.cwd)}   next:  ${next}\n`);
    });
}

async function writeNew(
  path: string,
  text: string,
  { force, shown }: { force: boolean; shown: string },
): Promise<void> {
  await writeFile(path, text, { flag: force ? 'w' : 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new WebfarerError('usage', `${shown} exists.`, {
      next: 'Name another file, or replace it with --force.',
    });
  });
}

/** From the crawl that was made here before, if there is one: its seed, pace and connection settings. */
async function initDefaults(context: CliContext, said: string | undefined): Promise<InitAnswers> {
  const before = said === undefined ? await inputHere(context) : undefined;
  const first = before?.seeds.find((seed) => typeof seed === 'string');
  const seed = said ?? first ?? 'https://example.org/';
  const url = seedUrl(seed)[0];
  if (url === undefined)
    throw new WebfarerError('usage', `${seed} is not a web address.`, {
      next: 'Write it like https://example.org/',
    });
  const taken = await isDirectory(resolve(context.cwd, folderName(url)));
  const fetch = before?.fetch ?? privateFetch(seed);
  const kept = {
    ...(fetch ? { fetch } : {}),
    ...(before?.politeness ? { politeness: before.politeness } : {}),
  };
  return {
    name: taken ? `${hostOf(url)}-job` : hostOf(url),
    seed,
    stay: before?.scope?.stay ?? 'site',
    pages: before?.limits?.pages ?? 5000,
    ...(before?.contact === undefined ? {} : { contact: before.contact }),
    save: 'warc',
    scraper: 'links',
    kept,
  };
}

/** An address in one's own network must be allowed by name, or `run` would refuse what `init` wrote. */
function privateFetch(seed: string): JobInput['fetch'] {
  const allowPrivate = typedPrivate([seed]);
  return allowPrivate.length === 0 ? undefined : { allowPrivate };
}

async function inputHere(context: CliContext): Promise<JobInput | undefined> {
  try {
    const reader = await context.local.readFolder(await findFolder(undefined, context.cwd));
    await reader.close();
    return reader.input as JobInput;
  } catch {
    return undefined;
  }
}

async function questions(ask: Ask, defaults: InitAnswers): Promise<InitAnswers> {
  const seed = await ask.text({
    message: 'Where should the crawl begin?',
    initial: defaults.seed,
    check: (value) => (seedUrl(value).length > 0 ? undefined : 'Write it like https://example.org/'),
  });
  const stay = await ask.choose({
    message: 'How far should it follow links?',
    initial: defaults.stay,
    choices: [
      { value: 'path', label: 'below this path' },
      { value: 'host', label: 'on this host' },
      { value: 'site', label: 'on this site', hint: 'the registered domain and its subdomains' },
      { value: 'web', label: 'anywhere', hint: 'needs a contact' },
    ],
  });
  const pages = await ask.text({
    message: 'After how many pages should it stop?',
    initial: String(defaults.pages),
    check: (value) => (/^(?:\d+|none)$/.test(value) ? undefined : 'A whole number, or none'),
  });
  const contact = await ask.text({
    message: 'How can site owners reach you?',
    placeholder: 'a web page or email address; optional for a single site',
    initial: defaults.contact ?? '',
    check: (value) => (value === '' && stay === 'web' ? 'Required for more than one site' : undefined),
  });
  const save = await ask.choose({
    message: 'What should be saved?',
    initial: defaults.save,
    choices: [
      { value: 'warc', label: 'WARC archive', hint: 'the format of web archives' },
      { value: 'files', label: 'one file per page' },
      { value: 'tar', label: 'a tar file' },
      { value: 'none', label: 'nothing', hint: 'only the records' },
    ],
  });
  const sameSeed = seed === defaults.seed;
  const fetch = sameSeed ? defaults.kept?.fetch : privateFetch(seed);
  return {
    ...defaults,
    kept: {
      ...(fetch ? { fetch } : {}),
      ...(defaults.kept?.politeness ? { politeness: defaults.kept.politeness } : {}),
    },
    name: sameSeed ? defaults.name : hostOf(seedUrl(seed)[0] ?? ('https://crawl/' as never)),
    seed,
    stay,
    pages: pages === 'none' ? 'none' : Number(pages),
    ...(contact === '' ? {} : { contact }),
    save,
  };
}
