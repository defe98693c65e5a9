/** An archive file that can be read at any place. */
export interface ArchiveBytes {
  readonly bytes: number;
  readAt(first: number, length: number): Promise<Buffer>;
}

/** What one step of a check found, from the place where it began. */
export interface ArchiveCheckStep {
  records: number;
  /** Digests that were recomputed and found right. */
  digests: number;
  problems: { offset: number; text: string; torn: boolean }[];
  /** Everything before this byte was read and has its form. */
  soundUntil: number;
}

/** Reads records from the offset of one on, about so many bytes of the file, and recomputes every digest. */
export type CheckArchive = (
  file: ArchiveBytes,
  range: { from: number; mostBytes: number },
) => Promise<ArchiveCheckStep>;

/** Of the file, in one request: a fraction of a second. */
const stepBytes = 16 * 1024 * 1024;
const mostProblems = 20;

export const isWarc = (path: string): boolean => /\.warc(\.gz)?$/.test(path);

/** One step of a check; `next` where the file goes on and is sound so far as its form is concerned. */
export async function checkStep(
  file: ArchiveBytes,
  from: number,
  check: CheckArchive,
): Promise<ArchiveCheckStep & { next?: number }> {
  const { problems, ...found } = await check(file, { from, mostBytes: stepBytes });
  // Damage to the form ends the reading: behind it nothing is known to be a record.
  const isBroken = problems.some(({ offset }) => offset >= found.soundUntil);
  const isOver = isBroken || found.soundUntil >= file.bytes || found.soundUntil <= from;
  return {
    ...found,
    problems: problems.slice(0, mostProblems),
    ...(isOver ? {} : { next: found.soundUntil }),
  };
}
