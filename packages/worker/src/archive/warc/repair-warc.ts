import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { WebfarerError } from '@webfarer/protocol';
import { ByteWindow } from '../bytes/byte-window.ts';
import { moveFile, syncFolder } from '@webfarer/protocol/node';
import { findMember } from '../bytes/gzip-reader.ts';
import { readWarc } from './warc-reader.ts';
import { WarcProblem } from '../bytes/warc-problem.ts';

export interface WarcRepair {
  /** The new file; the damaged one stays as it is. */
  output: string;
  kept: number;
  /** Stretches that hold no whole record. */
  dropped: { offset: number; length: number; text: string }[];
}

interface Stretch {
  from: number;
  to: number;
}

/**
 * Copies every whole record of a gzipped WARC file, byte by byte, into a new file, which appears complete
 * or not at all. After damage the next member that begins like a record is looked for.
 */
export async function repairWarc(file: string, output = repairedName(file)): Promise<WarcRepair> {
  if (isArchive(dirname(output)))
    throw new WebfarerError(
      'usage',
      `${output} would become part of the crawl's archive and duplicate its records`,
      {
        next: 'Name a file elsewhere. To use it in the archive, move the damaged file away first.',
      },
    );
  const exists = await stat(output).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new WebfarerError('usage', `${output} already exists`, { next: 'Remove it, or name another' });
  const { size } = await stat(file);
  const result: WarcRepair = { output, kept: 0, dropped: [] };
  const sound: Stretch[] = [];
  for (let at = 0; at < size; ) {
    const { end, kept, problem } = await readSound(file, at);
    result.kept += kept;
    if (end > at) sound.push({ from: at, to: end });
    if (!problem) break;
    const next = (await nextMember(file, end + 1)) ?? size;
    result.dropped.push({ offset: end, length: next - end, text: problem });
    at = next;
  }
  await copy(file, sound, output);
  return result;
}

/** Beside the archive of a crawl, never in it: what lies there is packed, and the records would be there twice. */
function repairedName(file: string): string {
  const name = basename(file).replace(/(\.warc\.gz)?(\.open)?$/, '.repaired.warc.gz');
  return join(isArchive(dirname(file)) ? dirname(dirname(file)) : dirname(file), name);
}

function isArchive(folder: string): boolean {
  return basename(folder) === 'archive' && existsSync(join(dirname(folder), 'crawl.json'));
}

/** As far as all is well from here. */
async function readSound(
  file: string,
  from: number,
): Promise<{ end: number; kept: number; problem?: string }> {
  let end = from;
  let kept = 0;
  try {
    for await (const record of readWarc(file, { from })) {
      end = record.offset + (await record.finish());
      kept += 1;
    }
    return { end, kept };
  } catch (error) {
    if (!(error instanceof WarcProblem)) throw error;
    return { end, kept, problem: error.message.replace(/^at byte \d+: /, '') };
  }
}

async function nextMember(file: string, from: number): Promise<number | undefined> {
  const window = await ByteWindow.open(file, from);
  try {
    return await findMember(window);
  } finally {
    await window.close();
  }
}

async function copy(file: string, stretches: Stretch[], output: string): Promise<void> {
  const fresh = `${output}.new`;
  try {
    await (await open(fresh, 'w')).close();
    for (const { from, to } of stretches) {
      await pipeline(
        createReadStream(file, { start: from, end: to - 1 }),
        createWriteStream(fresh, { flags: 'a' }),
      );
    }
    const handle = await open(fresh, 'r+');
    await handle.sync();
    await handle.close();
    await moveFile(fresh, output);
    await syncFolder(dirname(output));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
