import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type LogInFile, logInSchema } from '../api/log-in-schema.ts';
import { WebfarerError } from '../base/errors.ts';
import { readSettingsFile } from './settings-file.ts';

/** How users log in: the file, and the secret that it points to. */
export interface LogInSettings extends Omit<LogInFile, 'clientSecretFile'> {
  /** Undefined: a public client. */
  clientSecret: string | undefined;
}

/** Reads the file that describes how users log in, YAML or JSON. Paths in it are relative to it. */
export async function readLogInFile(path: string): Promise<LogInSettings> {
  const { clientSecretFile, ...settings } = await readSettingsFile(path, {
    schema: logInSchema,
    docs: 'docs/log-in.md',
  });
  const clientSecret =
    clientSecretFile === undefined ? undefined : await secretIn(resolve(dirname(path), clientSecretFile));
  return { ...settings, clientSecret };
}

async function secretIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new WebfarerError('usage', `cannot read ${file}: ${(error as Error).message}`, { cause: error });
  });
  const secret = text.trim();
  if (secret !== '') return secret;
  throw new WebfarerError('usage', `${file} is empty`, { next: 'Put the secret of the client into it.' });
}
