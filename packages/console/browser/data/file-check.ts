import type { ArchiveCheck } from '@webfarer/protocol/api';

export type FileVerdict =
  | { is: 'checking' | 'stopped'; share: number }
  | { is: 'valid'; records: number; digests: number }
  /** The file ends within a record: who writes it is not done, or was cut off. */
  | { is: 'torn'; records: number }
  | { is: 'damaged'; offset: number; what: string };

/** Checks a file step by step, and tells how far it has come. Ends at the first damage. */
export async function checkWhole(
  take: (from: number) => Promise<ArchiveCheck>,
  { signal, tell }: { signal: AbortSignal; tell: (so: FileVerdict) => void },
): Promise<FileVerdict> {
  let [records, digests] = [0, 0];
  for (let from: number | undefined = 0; from !== undefined; ) {
    if (signal.aborted) return { is: 'stopped', share: 0 };
    const step: ArchiveCheck = await take(from);
    records += step.records;
    digests += step.digests;
    const share = step.bytes === 0 ? 1 : step.soundUntil / step.bytes;
    const [first] = step.problems;
    if (first)
      return first.torn ? { is: 'torn', records } : { is: 'damaged', offset: first.offset, what: first.text };
    if (step.next !== undefined && signal.aborted) return { is: 'stopped', share };
    tell({ is: 'checking', share });
    from = step.next;
  }
  return { is: 'valid', records, digests };
}
