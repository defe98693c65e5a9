import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';

/** Certificate authorities to trust as well, PEM. */
export async function readCa(path: string, baseFolder: string): Promise<string> {
  return await readFile(resolve(baseFolder, path), 'utf8').catch((error: unknown) => {
    throw new WebfarerError('job-invalid', `cannot read fetch.ca: ${(error as Error).message}`);
  });
}
