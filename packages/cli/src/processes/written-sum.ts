import type { WorkerLook } from '@webfarer/protocol';

export interface Written {
  files: number;
  bytes: number;
}

/**
 * What several processes have written in all. Each counts the files it finds of its own, so that what there was before
 * is counted by whoever has it, and once.
 */
export interface WrittenSum {
  /** Another process takes that place; its first look says what it counts from the start. */
  launched(process: number): void;
  heard(process: number, written: WorkerLook['written']): void;
  total(): Written;
}

export function createWrittenSum(before: Written): WrittenSum {
  /** Of processes that are no more, and from before; may be negative while those alive count the same files. */
  const base = { ...before };
  const last = new Map<number, Written>();
  const fresh = new Set<number>();

  return {
    launched: (process) => void fresh.add(process),
    heard(process, written) {
      const now = { files: 0, bytes: 0 };
      for (const { files, bytes } of written) {
        now.files += files;
        now.bytes += bytes;
      }
      if (fresh.delete(process)) {
        const known = last.get(process) ?? { files: 0, bytes: 0 };
        base.files += known.files - now.files;
        base.bytes += known.bytes - now.bytes;
      }
      last.set(process, now);
    },
    total() {
      const sum = { ...base };
      for (const { files, bytes } of last.values()) {
        sum.files += files;
        sum.bytes += bytes;
      }
      return sum;
    },
  };
}
