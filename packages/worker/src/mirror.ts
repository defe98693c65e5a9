/** The offline copy of a crawl: an entry of its own, loaded only by what writes one. */
export { type FoundFile, writeFoundFiles, type WriteFilesOptions } from './mirror/write-files.ts';
export { mirrorPlace, refuseForeignFolder } from './mirror/mirror-place.ts';
export { type MirrorResult, writeMirror, type WriteMirrorOptions } from './mirror/write-mirror.ts';
