import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TarCompression } from '@webfarer/protocol/job';
import { type Archive, type CapturePlace, openArchive } from '@webfarer/worker/archive';
import { readFolder } from '../../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { packings } from '../../../packages/worker/src/archive/tar/packings.ts';
import { readTar } from '../../../packages/worker/src/archive/tar/tar-reader.ts';
import { nothingFound, type SaverFindings } from './findings.ts';

const run = promisify(execFile);
const tools: Record<TarCompression, string | undefined> = {
  none: undefined,
  gz: 'gzip',
  bz2: 'bzip2',
  zst: 'zstd',
};

/** Reads what the tar saver left through the read side and with GNU tar, and compares it with the WARC files. */
export async function compareTar(folder: string, compress: TarCompression): Promise<SaverFindings> {
  const archive = openArchive(folder);
  const { ext } = packings[compress];
  const files = (await archive.files()).filter(({ name }) => name.endsWith(ext));
  const found = nothingFound();
  const names = new Map<string, string>();
  for (const file of files) {
    const check = await archive.validate(file);
    if (!check.ok || file.isOpen) found.tornTails += 1;
    for await (const { name, offset } of readTar(file)) names.set(`${file.name}@${offset}`, name);
  }
  const unpacked = `${folder}.unpacked-${compress}`;
  await mkdir(unpacked);
  for (const { path } of files) await unpack(path, unpacked, tools[compress]);
  const claimed = new Set<string>();
  for (const { tar, warc } of await placesIn(folder, ext)) {
    found.records += 1;
    const name = names.get(`${tar.file}@${tar.offset}`);
    if (name === undefined || claimed.has(name)) found.doubles += 1;
    claimed.add(name ?? '');
    const truth = await digestOf(archive, warc);
    if ((await digestOf(archive, tar).catch(() => 'unreadable')) !== truth) found.unread += 1;
    const outside = await readFile(join(unpacked, name ?? '')).catch(() => undefined);
    if (outside === undefined || sha1(outside) !== truth) found.unreadOutside += 1;
  }
  found.doubles += (await filesIn(unpacked)).filter((name) => !claimed.has(name)).length;
  found.orphans = names.size - found.records;
  return found;
}

/** Later entries replace earlier ones of the same name, which a crash has left without a record. */
async function unpack(path: string, folder: string, tool: string | undefined): Promise<void> {
  if (tool) await run(tool, ['-t', path]);
  await run('tar', ['-xf', path, '-C', folder]);
}

async function placesIn(folder: string, ext: string): Promise<{ tar: CapturePlace; warc: CapturePlace }[]> {
  const reader = await readFolder(folder);
  try {
    const places = [];
    for await (const { saved = [] } of reader.results.records(reader.crawl)) {
      const [tar, warc] = [ext, '.warc.gz'].map((end) => saved.find(({ file }) => file.endsWith(end)));
      if (tar && warc) places.push({ tar, warc });
    }
    return places;
  } finally {
    await reader.close();
  }
}

async function digestOf(archive: Archive, at: CapturePlace): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(at, 'body')) pieces.push(piece);
  return sha1(Buffer.concat(pieces));
}

const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');

async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    if ((await stat(join(folder, name))).isFile()) found.push(name);
  }
  return found;
}
