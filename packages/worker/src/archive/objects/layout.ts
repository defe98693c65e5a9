/**
 * How the archive of one crawl lies in an object store:
 *
 *   crawl.json                              whose archive it is
 *   deleted.json                            the crawl was deleted: nothing may be completed here any more
 *   check.json                              for a moment: whether a coordinator may write and remove here
 *   archive/NAME.warc.gz                    a complete file
 *   archive/NAME.joined-BYTES.warc.gz       the beginning of a file whose worker is gone, joined from its chunks
 *   archive/NAME.erased-N-BYTES.warc.gz     a file from which hosts were deleted N times
 *   catalog/OBJECT.json                     one for each object under archive/, written when it was verified
 *   index/OBJECT.cdxj                       what is in it
 *   index/OBJECT.hosts                      hosts that its records name, one a line
 *   chunks/NAME.warc.gz/OFFSET-LENGTH       bytes of a file that is still written
 *
 * Only one worker ever appends to a file, and bytes never change once they were uploaded: chunks may overlap, and all
 * objects of one file are beginnings of the longest. Deleting a host is the exception: it writes a new object with the same
 * places under a name of its own, and an object from which more was deleted counts in place of all others.
 */
export const crawlKey = 'crawl.json';
export const deletedKey = 'deleted.json';
export const checkKey = 'check.json';
export const objectDir = 'archive/';
export const catalogDir = 'catalog/';
export const indexDir = 'index/';
export const chunkDir = 'chunks/';

const digits = 15;
const made = /\.(?:joined-\d+|erased-\d+-\d+)(\.warc(?:\.gz)?)$/;
const erased = /\.erased-(\d+)-\d+\.warc(?:\.gz)?$/;
const extension = /(\.warc(?:\.gz)?)$/;

export interface Chunk {
  key: string;
  /** Of the file: `x.warc.gz`. */
  name: string;
  start: number;
  end: number;
}

export function chunkKey(name: string, start: number, end: number): string {
  const number = (value: number) => String(value).padStart(digits, '0');
  return `${chunkDir}${name}/${number(start)}-${number(end - start)}`;
}

/** Undefined: the key is not one of a chunk. */
export function chunkOf(key: string): Chunk | undefined {
  const [, name, from, length] = /^chunks\/([^/]+)\/(\d{15})-(\d{15})$/.exec(key) ?? [];
  if (name === undefined) return undefined;
  return { key, name, start: Number(from), end: Number(from) + Number(length) };
}

/** The object of the first bytes of a file, made by someone else than the worker that wrote it. */
export function joinedName(name: string, bytes: number): string {
  return name.replace(extension, `.joined-${bytes}$1`);
}

/** The object of the first bytes of a file without hosts that were deleted, the how manieth of its kind. */
export function erasedName(name: string, { erasures, bytes }: { erasures: number; bytes: number }): string {
  return name.replace(extension, `.erased-${erasures}-${bytes}$1`);
}

/** How often hosts were deleted from an object. */
export function erasuresOf(object: string): number {
  return Number(erased.exec(object)?.[1] ?? 0);
}

/** The file that an object holds, or the beginning of. */
export function fileOf(object: string): string {
  return object.replace(made, '$1');
}

/** What the names of a file and of all its objects begin with. */
export function stemOf(name: string): string {
  return name.replace(extension, '');
}

/** What the catalog says of one object. */
export interface CatalogEntry {
  format: 1;
  /** As records name it: `archive/NAME.warc.gz`. */
  file: string;
  /** Its key. */
  object: string;
  bytes: number;
  sha256: string;
  /** WARC records of all types. */
  records: number;
  /** Lines of its index. */
  captures: number;
  /** Hosts were deleted from it before its worker had completed it: the worker's disk may still have it. */
  unfinished?: true;
}

export const entryKey = (object: string): string => `${catalogDir}${object}.json`;
export const indexKey = (object: string): string => `${indexDir}${object}.cdxj`;
export const hostsKey = (object: string): string => `${indexDir}${object}.hosts`;

/** Everything that is kept of an object, the entry in the catalog first: removed in this order, none stands without its object. */
export function keysOf(object: string): string[] {
  return [entryKey(object), indexKey(object), hostsKey(object), `${objectDir}${object}`];
}
