import type { Clock, SavedAt } from '@webfarer/protocol';
import type { OpenHandle } from '../append-file.ts';
import { wholeMembersEnd } from '../../archive/bytes/gzip-tail.ts';
import type { Capture, Saver } from '../saver.ts';
import { SeenBodies, type SeenBody } from './seen-bodies.ts';
import { segmentNames, Segments } from '../segments.ts';
import { warcHead, type WarcHeadOptions } from './warcinfo.ts';
import { captureMembers } from './capture-records.ts';

export interface WarcSaverOptions extends WarcHeadOptions {
  /** The crawl folder. */
  folder: string;
  clock: Clock;
  rotateBytes?: number;
  /** Refer to an earlier capture instead of writing the same body again. Default: yes. */
  dedupe?: boolean;
  openHandle?: OpenHandle;
  /** Which of several processes this is, counted from 1: each has files of its own. */
  process?: number;
  /** They only wait here to be sent elsewhere: in files of their own, which are short, each body whole. */
  spool?: CaptureSpool;
}

export interface CaptureSpool {
  folder: string;
  /** Inside it, for this crawl alone. */
  dir: string;
  /** One more is in it. */
  add(at: SavedAt): void;
}

/** A file is removed when all that is in it has been sent. */
const spoolRotateBytes = 16 * 1024 * 1024;

/** Bodies as WARC 1.1 under `archive/`. */
export function warcSaver(options: WarcSaverOptions): Saver {
  const { clock, openHandle, spool } = options;
  const { folder, dir } = spool ?? { folder: options.folder, dir: 'archive' };
  const segments = new Segments({
    folder,
    dir,
    ...segmentNames(options.name, options.process),
    ext: '.warc.gz',
    rotateBytes: spool ? spoolRotateBytes : (options.rotateBytes ?? 1_000_000_000),
    clock,
    head: warcHead(options, clock),
    wholeEnd: wholeMembersEnd,
    ...(openHandle && { openHandle }),
  });
  // What a later capture refers to could be one that is never sent.
  const seen = options.dedupe === false || spool ? undefined : new SeenBodies();
  return {
    name: 'warc',
    start: () => segments.start(),
    save: async (capture: Capture): Promise<SavedAt> => {
      const same = earlierCapture(capture, options.dedupe !== false) ?? seen?.find(capture);
      const { main, mainLength, mainId, rest } = await captureMembers(capture, same);
      const { file, offset } = await segments.append([...main, ...rest]);
      const at: SavedAt = { saver: 'warc', file, offset, length: mainLength };
      if (spool) at.spooled = rest.reduce((sum, { length }) => sum + length, mainLength);
      spool?.add(at);
      if (same) return { ...at, revisit: same.revisit };
      seen?.add(capture, at, mainId);
      return at;
    },
    sync: () => segments.sync(),
    stop: () => segments.stop(),
    written: () => segments.written(),
  };
}

/** What an earlier crawl holds already: the server said so (304), or the bytes are the same. */
function earlierCapture({ page, digest, previous }: Capture, dedupe: boolean): SeenBody | undefined {
  if (!previous) return undefined;
  const { url, startedAtMs } = previous;
  const same = dedupe && previous.digest === digest && !page.truncated && !page.unread;
  if (!same && page.status !== 304) return undefined;
  return { revisit: { url, startedAtMs, ...(previous.digest !== undefined && { digest: previous.digest }) } };
}
