import type { SavedAt } from '@webfarer/protocol';
import type { OpenBytes } from './bytes/byte-source.ts';

/**
 * What a crawl holds of the captures of its pages, in its folder or in object storage: the read side of the savers.
 * Nothing here changes a file, and all of it may be called while a crawl writes.
 */
export interface Archive {
  /** The files that hold captures, in the order they were begun. */
  files(): Promise<ArchiveFile[]>;
  /** A file by the name that saved captures have for it, whether it is complete or still written to. */
  find(name: string): Promise<ArchiveFile | undefined>;
  /** The bytes of one capture. Throws WebfarerError `not-found` when its file is gone. */
  read(at: CapturePlace, part: CapturePart): AsyncIterable<Buffer>;
  /** Every capture in a file, also one whose outcome a crash took away. */
  captures(file: ArchiveFile): AsyncIterable<StoredCapture>;
  /** Bytes up to the end of the last whole capture: all that counts of a file that is still written to. */
  wholeBytes(file: ArchiveFile): Promise<number>;
  /** The first bytes of a file, as many as `end` says, for those who copy it. */
  bytes(file: ArchiveFile, end: number): AsyncIterable<Buffer>;
  /** Reads every byte and recomputes what the file says of itself. */
  validate(file: ArchiveFile): Promise<FileCheck>;
}

export type ArchiveKind = 'warc' | 'tar' | 'files';

export interface ArchiveFile {
  kind: ArchiveKind;
  /** From the crawl folder, as `SavedAt.file` has it. */
  name: string;
  /** Where it lies now, for people: a path, or an address of object storage. */
  path: string;
  /** What it is read by. */
  open: OpenBytes;
  bytes: number;
  /** It is being written to, or was when the crawl died. */
  isOpen: boolean;
}

/** As much of a saved place as it takes to read the capture. */
export type CapturePlace = Pick<SavedAt, 'file' | 'offset' | 'length'>;

/**
 * `body`: decoded. `payload`: as the server sent it. `block`: with its HTTP head. `record`: with the head of the archive's
 * record too. Only WARC files keep more than the body.
 */
export type CapturePart = 'body' | 'payload' | 'block' | 'record';

/** A capture as its file describes it; `files` keeps bodies alone. */
export interface StoredCapture extends CapturePlace {
  url?: string;
  status?: number;
  mime?: string;
  /** When it was fetched, as an ISO date. */
  date?: string;
}

export interface FileCheck {
  ok: boolean;
  /** Whole records, or whole files. */
  records: number;
  /** Digests that were recomputed and found right. */
  digests: number;
  /** What is wrong and where, in order; reading ends at the first damage to the structure. */
  problems: { offset: number; text: string; torn: boolean }[];
  /** Everything before this byte is sound. */
  soundUntil: number;
}
