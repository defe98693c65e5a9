import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { wholeMembersEnd } from '../archive/bytes/gzip-tail.ts';
import { outgoingDir } from '../save/warc/warc-saver.ts';
import { type Erased, type EraseOptions, eraseWarc } from './erase-warc.ts';
import { erasingSuffix } from './rewrite-file.ts';

/**
 * Takes the captures of a host out of files that a worker had on their way to object storage when it ended. Nobody may
 * write to the folder. Places stay the same, so the worker can resume them.
 */
export async function eraseOutgoing(folder: string, options: EraseOptions): Promise<Erased> {
  const dir = join(folder, outgoingDir);
  const sum: Erased = { captures: 0, bytes: 0 };
  for (const name of await readdir(dir).catch((): string[] => [])) {
    const path = join(dir, name);
    if (name.endsWith(erasingSuffix)) await rm(path);
    if (!/\.warc\.gz(?:\.open)?$/.test(name)) continue;
    const end = await wholeMembersEnd(path);
    // What a crash tore was never reported.
    if (!options.dryRun && end < (await stat(path)).size) await truncate(path, end);
    if (end === 0) continue;
    const { captures, bytes } = await eraseWarc(path, options);
    sum.captures += captures;
    sum.bytes += bytes;
  }
  return sum;
}
