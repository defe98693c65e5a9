import { resolve } from 'node:path';
import { readToken } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../context/context.ts';
import { shownPath } from '../folder/folders.ts';

/** The token that a command was given: in a file, or in the environment. Undefined: in neither. */
export async function givenToken(
  { cwd, token }: Pick<CliContext, 'cwd' | 'token'>,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return token;
  return await readToken(resolve(cwd, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new WebfarerError('not-found', `There is no token file ${shownPath(file, cwd)}.`, {
      next: 'A coordinator writes operator.token and worker.token into its --data folder at its first start.',
    });
  });
}
