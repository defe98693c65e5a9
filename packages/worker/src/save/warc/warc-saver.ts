import type { DatedClock, SavedAt, SavedRendition } from '@webfarer/protocol';
import type { OpenHandle } from '../append-file.ts';
import { wholeMembersEnd } from '../../archive/bytes/gzip-tail.ts';
import type { FileUploads } from '../file-uploads.ts';
import type { Capture, Saver } from '../saver.ts';
import { SeenBodies, type SeenBody } from './seen-bodies.ts';
import { segmentNames, Segments } from '../segments.ts';
import { warcHead, type WarcHeadOptions } from './warcinfo.ts';
import { captureMembers, type RenditionMember } from './capture-records.ts';

export interface WarcSaverOptions extends WarcHeadOptions {
  /** The crawl folder. */
  folder: string;
  clock: DatedClock;
  rotateBytes?: number;
  /** Refer to an earlier capture instead of writing the same body again. Default: yes. */
  dedupe?: boolean;
  openHandle?: OpenHandle;
  /** Which of several processes this is, counted from 1: each has files of its own. */
  process?: number;
  /** They only wait here to be sent elsewhere: in files of their own, which are short, each body whole. */
  spool?: CaptureSpool;
  /** Takes the files elsewhere, where everyone reads them; they stay here only as long as that takes. */
  uploads?: FileUploads;
}

export interface CaptureSpool {
  folder: string;
  /** Inside it, for this crawl alone. */
  dir: string;
  /** One more is in it. */
  add(at: SavedAt): void;
}

const archiveDir = 'archive';
/** Files on their way to object storage: another folder, so that nothing else is taken for one. */
export const outgoingDir = 'outgoing';

/** A file is removed when all that is in it has been sent. */
const spoolRotateBytes = 16 * 1024 * 1024;

/** Bodies as WARC 1.1 under `archive/`. */
export function warcSaver(options: WarcSaverOptions): Saver {
  const { clock, openHandle, spool } = options;
  const { uploads } = options;
  const { folder, dir } = spool ?? { folder: options.folder, dir: uploads ? outgoingDir : archiveDir };
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
    ...(uploads && { uploads }),
  });
  // What a later capture refers to could be one that is never sent.
  const seen = options.dedupe === false || spool ? undefined : new SeenBodies();
  return {
    name: 'warc',
    start: () => segments.start(),
    save: async (capture: Capture): Promise<SavedAt> => {
      const same = earlierCapture(capture, options.dedupe !== false) ?? seen?.find(capture);
      const { main, mainLength, mainId, rest, renditions } = await captureMembers(capture, same);
      const { saved, whole } = placed(renditions, rest.reduce(plusLength, mainLength));
      const { file, offset } = await segments.append([
        ...main,
        ...rest,
        ...renditions.flatMap(({ member }) => member),
      ]);
      const at: SavedAt = { saver: 'warc', file, offset, length: mainLength };
      if (uploads) Object.assign(at, { file: file.replace(outgoingDir, archiveDir), shared: true });
      if (saved.length > 0) at.renditions = saved;
      if (spool) at.spooled = whole;
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

const plusLength = (sum: number, { length }: Buffer): number => sum + length;

/** Where renditions are that follow these many bytes of their capture, and how long that is with them. */
function placed(
  renditions: readonly RenditionMember[],
  bytesBefore: number,
): { saved: SavedRendition[]; whole: number } {
  let whole = bytesBefore;
  const saved = renditions.map(({ member, ...rendition }) => {
    const after = whole;
    whole = member.reduce(plusLength, whole);
    return { ...rendition, after, length: whole - after };
  });
  return { saved, whole };
}

/** What an earlier crawl holds already: the server said so (304), or the bytes are the same. */
function earlierCapture({ page, digest, previous }: Capture, dedupe: boolean): SeenBody | undefined {
  if (!previous) return undefined;
  const { url, startedAtMs } = previous;
  const same = dedupe && previous.digest === digest && !page.truncated && !page.unread;
  if (!same && page.status !== 304) return undefined;
  return { revisit: { url, startedAtMs, ...(previous.digest !== undefined && { digest: previous.digest }) } };
}
