import type { ArchiveBytes, CheckArchive } from './check-archive.ts';

/** Reads what savers have written. The code that writes archives knows their form, so the process hands this in. */
export interface ArchiveReader {
  check: CheckArchive;
  /** The body of the capture at an offset, its content encodings undone, cut at so many bytes. */
  body(file: ArchiveBytes, at: { offset: number; maxBytes: number }): Promise<Uint8Array>;
}
