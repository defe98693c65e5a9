import type { Archive, FileCheck } from './archive.ts';
import { firstBytes } from './bytes/byte-source.ts';
import { WarcProblem } from './bytes/warc-problem.ts';
import { fileGone } from './file-gone.ts';
import { segmentFile, segmentFiles } from './segment-files.ts';
import { packingOf } from './tar/packings.ts';
import { readTar } from './tar/tar-reader.ts';

export const tarName = /\.tar(?:\.(?:gz|bz2|zst))?$/;

/** Tar archives in `archive/`: bodies, each with its URL as a comment. */
export function tarArchive(folder: string): Archive {
  const find = (name: string) => segmentFile(folder, name, 'tar');
  return {
    files: () => segmentFiles(folder, 'archive', { kind: 'tar', pattern: tarName }),
    find,
    async *read(at) {
      const file = (await find(at.file)) ?? fileGone(folder, at.file);
      for await (const { body } of readTar(file, at.offset ?? 0)) return yield body;
      throw new WarcProblem(at.offset ?? 0, `${at.file} ends before this capture`, true);
    },
    async *captures(file) {
      for await (const { offset, length, url, modifiedMs } of readTar(file))
        yield { file: file.name, offset, length, url, date: new Date(modifiedMs).toISOString() };
    },
    bytes: ({ open }, end) => firstBytes(open, end),
    wholeBytes: async ({ name, path, bytes, isOpen }) =>
      isOpen ? await packingOf(name).wholeEnd(path) : bytes,
    async validate(file) {
      const check: FileCheck = { ok: true, records: 0, digests: 0, problems: [], soundUntil: 0 };
      try {
        for await (const { offset, length } of readTar(file)) {
          check.records += 1;
          check.soundUntil = offset + length;
        }
      } catch (error) {
        if (!(error instanceof WarcProblem)) throw error;
        const { offset, torn } = error;
        check.ok = false;
        check.problems.push({ offset, text: error.message.replace(/^at byte \d+: /, ''), torn });
      }
      return check;
    },
  };
}
