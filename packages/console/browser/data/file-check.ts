import type { ArchiveCheck } from '@webfarer/protocol/api';

export interface ShownFile {
  path: string;
  bytes: number;
  changedAtMs: number;
}

export type FileVerdict = { is: 'checking' | 'stopped'; share: number } | FileOutcome;

/** How a check ended; `bytes` is how long the file was then. */
export type FileOutcome = { bytes: number } & (
  | { is: 'valid'; records: number; digests: number }
  /** The file ends within a record: who writes it is not done, or was cut off. */
  | { is: 'torn'; records: number }
  | { is: 'damaged'; offset: number; what: string }
);

/** Checks a file step by step, and tells how far it has come. Ends at the first damage. */
export async function checkWhole(
  take: (from: number) => Promise<ArchiveCheck>,
  { signal, tell }: { signal: AbortSignal; tell: (so: FileVerdict) => void },
): Promise<FileVerdict> {
  let [records, digests] = [0, 0];
  for (let from = 0; ; ) {
    if (signal.aborted) return { is: 'stopped', share: 0 };
    const step: ArchiveCheck = await take(from);
    records += step.records;
    digests += step.digests;
    const share = step.bytes === 0 ? 1 : step.soundUntil / step.bytes;
    const [first] = step.problems;
    const { bytes } = step;
    if (first?.torn) return { is: 'torn', records, bytes };
    if (first) return { is: 'damaged', offset: first.offset, what: first.text, bytes };
    if (step.next === undefined) return { is: 'valid', records, digests, bytes };
    if (signal.aborted) return { is: 'stopped', share };
    tell({ is: 'checking', share });
    from = step.next;
  }
}

/** Under which name the outcome of a check is kept: a file that has changed has another one. */
export function outcomeKey(crawl: string, { path, bytes, changedAtMs }: ShownFile) {
  return ['file check', crawl, path, bytes, changedAtMs] as const;
}

/** The outcome to keep for a file as it is listed; undefined: none, or the file grew while it was checked. */
export function outcomeFor({ bytes }: ShownFile, verdict: FileVerdict): FileOutcome | undefined {
  return 'bytes' in verdict && verdict.bytes === bytes ? verdict : undefined;
}
