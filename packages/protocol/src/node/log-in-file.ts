import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';
import { type LogInFile, logInSchema } from '../api/log-in-schema.ts';
import { WebfarerError } from '../base/errors.ts';

/** How users log in: the file, and the secret that it points to. */
export interface LogInSettings extends Omit<LogInFile, 'clientSecretFile'> {
  /** Undefined: a public client. */
  clientSecret: string | undefined;
}

/** Reads the file that describes how users log in, YAML or JSON. Paths in it are relative to it. */
export async function readLogInFile(path: string): Promise<LogInSettings> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new WebfarerError('usage', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  });
  const { success, data, error } = logInSchema.safeParse(valuesIn(text, path));
  if (!success)
    throw new WebfarerError('usage', `${path} is invalid:${linesOf(error)}`, {
      next: 'Correct the file; docs/log-in.md shows one.',
    });
  const { clientSecretFile, ...settings } = data;
  const clientSecret =
    clientSecretFile === undefined ? undefined : await secretIn(resolve(dirname(path), clientSecretFile));
  return { ...settings, clientSecret };
}

function valuesIn(text: string, path: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 }) as unknown;
  } catch (error) {
    const [why = ''] = (error as Error).message.split('\n');
    throw new WebfarerError('usage', `${path} is neither YAML nor JSON: ${why}`, { cause: error });
  }
}

async function secretIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new WebfarerError('usage', `cannot read ${file}: ${(error as Error).message}`, { cause: error });
  });
  const secret = text.trim();
  if (secret !== '') return secret;
  throw new WebfarerError('usage', `${file} is empty`, { next: 'Put the secret of the client into it.' });
}

function linesOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 20)
    .map(({ path, message }) => `\n  ${path.map(String).join('.') || 'the file'}: ${message}`)
    .join('');
}
