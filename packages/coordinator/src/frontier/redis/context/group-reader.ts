import type { CrawlId } from '@webfarer/protocol';
import type { SegmentHome } from '../../../results/results.ts';
import type { StoredCrawl } from './stored-crawl.ts';
import type { StreamRecord } from './record-text.ts';

/** Results of one group that left the store: those behind one id and up to another. */
export interface SegmentRange {
  crawl: CrawlId;
  group: number;
  after: string;
  to: string;
}

/** A segment as the store lists it. */
export interface Segment extends SegmentRange {
  /** Who wrote it. */
  owner: string;
  records: number;
  bytes: number;
}

/** A group, and the id of the last result that was read of it; `start` at first. */
export interface GroupPlace {
  group: number;
  after: string;
}

/** What the store itself has behind a place. */
export interface StreamPart {
  records: StreamRecord[];
  /** Results up to here are in files; those of them that are behind the place come first. */
  filesTo: string;
  /** Some results in files were put back into the queue. */
  putBack: boolean;
}

/** Results that were in files. */
export interface FilePart {
  records: StreamRecord[];
  /** Where they end. */
  to: string;
  /** The file is not at hand, with where files are said to be. */
  absent?: { segment: Segment; homes: ReadonlyMap<string, SegmentHome> };
  /** The place is within this file, and its result is not in it. */
  unmet: boolean;
}

/**
 * Records of a group in the order they were settled: first those in the files that they were drained to, then those of
 * the stream. What is drained while it is read is read from its file.
 */
export interface GroupReader {
  /** The next results of several groups, at most so many of each. */
  stream(crawl: StoredCrawl, places: GroupPlace[], count: number): Promise<StreamPart[]>;
  /** The last result of each group, in the store or in files; `start` where there is none. */
  tips(crawl: StoredCrawl, groups: number[]): Promise<string[]>;
  /** Whether results were lost that a reader saw who came to these places: the store has gone back in time. */
  hasLost(crawl: StoredCrawl, places: GroupPlace[]): Promise<boolean>;
  /** The next results in files, some of one file; `putBack` as the store said it. */
  files(crawl: StoredCrawl, place: GroupPlace, putBack: boolean): Promise<FilePart>;
  /** All of one group behind a place. Files that are not at hand are left out; `keptResults` tells of them. */
  all(crawl: StoredCrawl, place: GroupPlace): AsyncGenerator<StreamRecord[]>;
}
