import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { z } from 'zod';
import { WebfarerError } from '../base/errors.ts';

/** Reads a file of settings, YAML or JSON. `docs`: the page that shows one. */
export async function readSettingsFile<S extends z.ZodType>(
  path: string,
  { schema, docs }: { schema: S; docs: string },
): Promise<z.output<S>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new WebfarerError('usage', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  });
  const { success, data, error } = schema.safeParse(valuesIn(text, path));
  if (success) return data;
  throw new WebfarerError('usage', `${path} is invalid:${linesOf(error)}`, {
    next: `Correct the file; ${docs} shows one.`,
  });
}

function valuesIn(text: string, path: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 }) as unknown;
  } catch (error) {
    const [why = ''] = (error as Error).message.split('\n');
    throw new WebfarerError('usage', `${path} is neither YAML nor JSON: ${why}`, { cause: error });
  }
}

function linesOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 20)
    .map(({ path, message }) => `\n  ${path.map(String).join('.') || 'the file'}: ${message}`)
    .join('');
}
