/** What was saved, read again: an entry of its own, so that a thread that reads archives loads nothing of a worker. */
export type {
  Archive,
  ArchiveFile,
  ArchiveKind,
  CapturePart,
  CapturePlace,
  FileCheck,
  StoredCapture,
} from './archive/archive.ts';
export { diskUse } from './archive/disk-use.ts';
export { objectArchive } from './archive/object-archive.ts';
export { type RedisCaptures, redisCaptures } from './archive/redis/redis-captures.ts';
export { openArchive } from './archive/open-archive.ts';
export { type CrawlSource, isReadable, ownCaptures } from './archive/own-captures.ts';
export type { OpenBytes } from './archive/bytes/byte-source.ts';
export { cdxjLines, writeCdxj } from './archive/index/cdxj.ts';
export { otherKey, writeReplayIndex } from './archive/index/replay-keys.ts';
export { writeSortedLines } from './archive/index/sorted-lines.ts';
export { type CatWarcOptions, catWarc, listWarc, type WarcListing } from './archive/warc/list-warc.ts';
export { WarcProblem } from './archive/bytes/warc-problem.ts';
export { findRenditions, renditionOf } from './archive/warc/renditions.ts';
export { readWarc, type WarcRecord } from './archive/warc/warc-reader.ts';
export { repairWarc, type WarcRepair } from './archive/warc/repair-warc.ts';
export { validateWarc, type WarcCheck } from './archive/warc/validate-warc.ts';
export { type Rebuilt, writeRebuiltAnswers } from './stored/rebuilt-answers.ts';
