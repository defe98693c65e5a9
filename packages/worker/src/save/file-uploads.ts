/** A file of a row of segments, as it is on this disk. */
export interface LocalFile {
  /** The name it has when it is complete: `x.warc.gz`. */
  name: string;
  path: string;
  /** Durable here. */
  bytes: number;
}

export interface FileThere {
  bytes: number;
  /** Hosts were deleted from it there: what is on this disk still has them, and must go. */
  isErased: boolean;
}

/** Takes files to where others read them, while they are written and when they are complete. */
export interface FileUploads {
  /** A file that an earlier process left unfinished. Answers what is there of it already. */
  resume(file: LocalFile): Promise<FileThere>;
  /** When it resolves, all bytes that the file has here are durable there. Throws WebfarerError `storage`. */
  extend(file: LocalFile): Promise<void>;
  /** The file does not change any more. It is taken over in the background and removed here. */
  complete(file: LocalFile): void;
  /** Nothing more comes: resolves when all complete files are there, or cannot be brought there now. */
  settle(): Promise<void>;
  close(): void;
}
