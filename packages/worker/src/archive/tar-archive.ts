import type { Archive, FileCheck } from './archive.ts';
import { wholeMembersEnd } from './bytes/gzip-tail.ts';
import { WarcProblem } from './bytes/warc-problem.ts';
import { fileGone } from './file-gone.ts';
import { segmentFile, segmentFiles } from './segment-files.ts';
import { readTar } from './tar/tar-reader.ts';
import { wholeEntriesEnd } from './tar/tar-tail.ts';

export const tarName = /\.tar(?:\.gz)?$/;

/** Tar archives in `archive/`: bodies, each with its URL as a comment. */
export function tarArchive(folder: string): Archive {
  const find = (name: string) => segmentFile(folder, name, 'tar');
  return {
    files: () => segmentFiles(folder, 'archive', { kind: 'tar', pattern: tarName }),
    find,
    async *read(at) {
      const file = (await find(at.file)) ?? fileGone(folder, at.file);
      for await (const { body } of readTar(file.path, at.offset ?? 0)) return yield body;
      throw new WarcProblem(at.offset ?? 0, `${at.file} ends before this capture`, true);
    },
    async *captures({ name, path }) {
      for await (const { offset, length, url, modifiedMs } of readTar(path))
        yield { file: name, offset, length, url, date: new Date(modifiedMs).toISOString() };
    },
    wholeBytes: async ({ name, path, bytes, isOpen }) => {
      if (!isOpen) return bytes;
      return await (name.endsWith('.gz') ? wholeMembersEnd(path) : wholeEntriesEnd(path));
    },
    async validate({ path }) {
      const check: FileCheck = { ok: true, records: 0, digests: 0, problems: [], soundUntil: 0 };
      try {
        for await (const { offset, length } of readTar(path)) {
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
