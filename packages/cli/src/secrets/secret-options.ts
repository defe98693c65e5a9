import { resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { splitStoreUrl, withStoreOptions } from '@webfarer/protocol/job/store-url';
import { redact } from '@webfarer/protocol/url';
import type { Command } from 'commander';
import type { CliContext } from '../context/context.ts';
import { giveCredentials, giveIdentityKey, giveProxy, giveStore, readSecretFile } from './given-secrets.ts';
import { reachedAs, refuseWithoutStore } from './store-options.ts';

/** Options whose value may hold a password, and the two safe ways to give it. */
const kinds = {
  store: { fileOption: 'storeFile', variable: 'WEBFARER_STORE', give: giveStore },
  proxy: { fileOption: 'proxyFile', variable: 'WEBFARER_PROXY', give: giveProxy },
} as const;
type Kind = keyof typeof kinds;

/** Says what `--identity-key` is for. */
export const identityKeyText =
  'private key that requests are signed with, for jobs with an identity (or WEBFARER_IDENTITY_KEY)';

/** Before a command runs: takes secrets from files and the environment, and says where one was typed. */
export async function takeSecrets(command: Command, context: CliContext): Promise<void> {
  for (const kind of Object.keys(kinds) as Kind[]) await takeAddress(kind, command, context);
  await takeCredentials(command, context);
  await takeIdentityKey(command, context);
  const typed = command.args.some((word) => hasSecret(word));
  if (typed)
    warn(context, 'A name and password in a seed', 'WEBFARER_CREDENTIALS or a file for --credentials-file');
}

function has(command: Command, option: string): boolean {
  return command.options.some((one) => one.attributeName() === option);
}

async function takeAddress(kind: Kind, command: Command, context: CliContext): Promise<void> {
  const { fileOption, variable, give } = kinds[kind];
  if (!has(command, kind) && !has(command, fileOption)) return;
  const opts = command.opts<Record<string, string | undefined>>();
  const { [kind]: typed, [fileOption]: file } = opts;
  // What was said besides of how to reach the store becomes a part of its address.
  const reached = (url: string) => reachedAs(url, command, context);
  if (typed !== undefined && file !== undefined)
    throw new WebfarerError('usage', `--${kind} and --${kind}-file exclude each other`, {
      next: 'Give one of them.',
    });
  if (typed !== undefined) {
    if (hasSecret(typed))
      warn(context, `A password in --${kind}`, `${variable} or a file for --${kind}-file`);
    if (kind === 'store') command.setOptionValueWithSource(kind, reached(typed), 'cli');
    return;
  }
  const path = file === undefined ? undefined : resolve(context.cwd, file);
  const told =
    path === undefined ? context.secrets?.[kind] : await readSecretFile(path, `the address of the ${kind}`);
  if (told === undefined) return kind === 'store' ? refuseWithoutStore(command) : undefined;
  const address = kind === 'store' ? withPasswordFile(reached(told), path) : told;
  give(address);
  // A job file names its own proxy; only the password is given here.
  const fromFile = kind === 'proxy' && command.args.some((word) => /\.(ya?ml|json)$/i.test(word));
  if (has(command, kind) && !fromFile) command.setOptionValueWithSource(kind, address, 'env');
}

/** The password is read from the same file for every connection, unless another file was named for it. */
function withPasswordFile(url: string, file: string | undefined): string {
  const hasOwn = splitStoreUrl(url).options['password-file'] !== undefined;
  return file === undefined || hasOwn || !hasSecret(url)
    ? url
    : withStoreOptions(url, { 'password-file': file });
}

async function takeCredentials(command: Command, context: CliContext): Promise<void> {
  const { credentialsFile } = command.opts<{ credentialsFile?: string }>();
  if (context.secrets?.credentials !== undefined)
    giveCredentials(context.secrets.credentials, 'WEBFARER_CREDENTIALS');
  if (credentialsFile === undefined) return;
  const path = resolve(context.cwd, credentialsFile);
  giveCredentials(await readSecretFile(path, 'credentials for one site on each line'), credentialsFile);
}

async function takeIdentityKey(command: Command, context: CliContext): Promise<void> {
  const { identityKey } = command.opts<{ identityKey?: string }>();
  const key =
    identityKey === undefined
      ? context.secrets?.identityKey
      : await readSecretFile(resolve(context.cwd, identityKey), 'the private key of the identity');
  if (key !== undefined) giveIdentityKey(key);
}

function hasSecret(word: string): boolean {
  return redact(word) !== word;
}

function warn({ terminal }: CliContext, what: string, where: string): void {
  terminal.err(`  ! ${what} stays in the history of your shell. Put it into ${where} instead.\n`);
}
