import { join, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { keyDirectoryPath, resolveJob } from '@webfarer/protocol/job';
import { createDurably, makeFolder, writeDurably } from '@webfarer/protocol/node';
import {
  directoryDocument,
  directoryFields,
  newPrivateKey,
  type SigningKey,
  signingKey,
} from '@webfarer/worker';
import type { CliContext } from '../context/context.ts';
import { shownPath } from '../folder/folders.ts';
import { wholeNumber } from '../job/crawl-options.ts';
import { readSecretFile } from '../secrets/given-secrets.ts';
import type { CommandHome } from './home.ts';

interface IdentityOptions {
  directory?: string;
  days: string;
  json?: boolean;
}

const usualFolder = './identity';
const keyName = 'identity.key';
const documentName = 'http-message-signatures-directory';
const daySeconds = 86_400;

/** `identity new` and `show`: the key that requests are signed with, and what to publish about it. */
export function addIdentityCommand({ program, context }: CommandHome): void {
  const identity = program
    .command('identity')
    .description(
      'Makes an Ed25519 key for Web Bot Auth and shows what to publish, so that sites can check who crawls them. The private key stays in its file and is never shown.',
    )
    .helpCommand(false);
  const both = (name: string) =>
    identity
      .command(name)
      .option('--directory <url>', 'origin that publishes the key, such as https://crawler.example.org')
      .option('--days <n>', 'how long the signed headers of the directory are valid', '30')
      .option('--json', 'as JSON');
  both('new')
    .description('makes a key and prints the directory document to publish')
    .argument('[folder]', 'where the files go', usualFolder)
    .action(async (folder: string, options: IdentityOptions) => {
      await makeKey(resolve(context.cwd, folder), context);
      await show(context, [folder], options, { isNew: true });
    });
  both('show')
    .description('prints the directory document again, with headers signed anew')
    .argument('[folder...]', 'of one key, or of several that are published together while you change keys')
    .action(async (folders: string[], options: IdentityOptions) => {
      await show(context, folders.length > 0 ? folders : [usualFolder], options, { isNew: false });
    });
}

async function makeKey(folder: string, { cwd }: CliContext): Promise<void> {
  await makeFolder(folder);
  const file = join(folder, keyName);
  if (!(await createDurably(file, newPrivateKey(), { mode: 0o600 })))
    throw new WebfarerError('usage', `${shownPath(file, cwd)} exists already`, {
      next: 'Name another folder for a second key. A key that is replaced is not known to sites any more.',
    });
}

async function show(
  context: CliContext,
  folders: string[],
  options: IdentityOptions,
  { isNew }: { isNew: boolean },
): Promise<void> {
  const { clock, cwd, terminal } = context;
  const keys: SigningKey[] = [];
  for (const folder of folders) {
    const file = join(resolve(cwd, folder), keyName);
    keys.push(
      signingKey(await readSecretFile(file, 'the private key of the identity'), shownPath(file, cwd)),
    );
  }
  const document = directoryDocument(keys.map(({ publicJwk }) => publicJwk));
  const directory = options.directory === undefined ? undefined : originOf(options.directory);
  const createdSeconds = Math.floor(clock.now() / 1_000);
  const expiresSeconds = createdSeconds + wholeNumber(options.days, '--days', 30) * daySeconds;
  const authority = directory?.slice('https://'.length);
  const fields =
    authority === undefined
      ? []
      : directoryFields(keys, { document, authority, createdSeconds, expiresSeconds });
  const target = join(resolve(cwd, folders[0] ?? usualFolder), documentName);
  await writeDurably(target, document);
  const lines = fields.map(([name, value]) => `${name}: ${value}\n`);
  if (lines.length > 0) await writeDurably(`${target}.headers`, lines.join(''));
  if (options.json)
    return terminal.out(
      jsonLine({
        keyIds: keys.map(({ id }) => id),
        document,
        headers: Object.fromEntries(fields),
        ...(directory === undefined ? {} : { url: `${directory}${keyDirectoryPath}` }),
      }),
    );
  for (const [i, { id }] of keys.entries()) {
    terminal.out(`  key     ${id}\n`);
    terminal.out(
      `  file    ${shownPath(join(resolve(cwd, folders[i] ?? ''), keyName), cwd)}   keep it secret\n`,
    );
  }
  terminal.out(`\n${document}\n${lines.length > 0 ? `\n${lines.join('')}` : ''}\n`);
  const where = `${directory ?? 'https://YOUR-HOST'}${keyDirectoryPath}`;
  terminal.out(`  Publish   ${shownPath(target, cwd)} at ${where}\n`);
  terminal.out(
    directory === undefined
      ? `  Sign      webfarer identity show ${folders.join(' ')} --directory https://YOUR-HOST prints the headers to serve it with\n`
      : `  Headers   serve it with those of ${shownPath(`${target}.headers`, cwd)}; sign again within ${options.days} days: webfarer identity show\n`,
  );
  if (isNew)
    terminal.out(
      `  Use       identity: { directory: ${directory ?? 'https://YOUR-HOST'}, key: ${join(folders[0] ?? '', keyName)} } in a job file\n`,
    );
}

/** As the job file checks and writes it. */
function originOf(directory: string): string {
  const { identity } = resolveJob({ seeds: ['example.org'], identity: { directory } });
  return identity?.directory ?? directory;
}
