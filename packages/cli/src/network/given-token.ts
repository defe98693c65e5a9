import { resolve } from 'node:path';
import { readToken, tokenIn } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../context/context.ts';
import { shownPath } from '../folder/folders.ts';

/** The token of a worker, as a function that reads its file again: tokens are rotated while it runs. */
export async function rotatedToken(
  context: Pick<CliContext, 'cwd' | 'token'>,
  file: string | undefined,
): Promise<(() => string) | undefined> {
  const token = await givenToken(context, file);
  if (token === undefined) return undefined;
  return file === undefined ? () => token : () => tokenIn(resolve(context.cwd, file));
}

/** The token that a command was given: in a file, or in the environment. Undefined: in neither. */
export async function givenToken(
  { cwd, token }: Pick<CliContext, 'cwd' | 'token'>,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return token;
  return await readToken(resolve(cwd, file)).catch((error: NodeJS.ErrnoException) => {
    // Whoever runs this command may be on another machine than the coordinator.
    if (error instanceof WebfarerError)
      throw new WebfarerError('usage', error.message, {
        next: 'Copy the file once more from the --data folder of the coordinator, or set WEBFARER_TOKEN.',
      });
    if (error.code !== 'ENOENT') throw error;
    throw new WebfarerError('not-found', `There is no token file ${shownPath(file, cwd)}.`, {
      next: 'A coordinator writes operator.token and worker.token into its --data folder at its first start.',
    });
  });
}
