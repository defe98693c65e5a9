import type { Clock, SavedAt } from '@webfarer/protocol';
import type { OpenHandle } from './append-file.ts';
import { wholeMembersEnd } from './gzip-tail.ts';
import type { Capture, Saver } from './saver.ts';
import { SeenBodies, type SeenBody } from './seen-bodies.ts';
import { segmentNames, Segments } from './segments.ts';
import { captureMembers, warcinfoMember } from './warc-writer.ts';

export interface WarcSaverOptions {
  /** The crawl folder. */
  folder: string;
  /** The crawl's name: how the files are called and what they say they are part of. */
  name: string;
  clock: Clock;
  /** `webfarer/0.1.0`, for the head of each file. */
  software: string;
  rotateBytes?: number;
  /** More lines for the head of each file: operator, robots, http-header-user-agent, ... */
  info?: [string, string][];
  /** Refer to an earlier capture instead of writing the same body again. Default: yes. */
  dedupe?: boolean;
  openHandle?: OpenHandle;
  /** Which of several processes this is, counted from 1: each has files of its own. */
  process?: number;
}

const conformsTo = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';

/** Bodies as WARC 1.1 under `archive/`. */
export function warcSaver(options: WarcSaverOptions): Saver {
  const { folder, clock, openHandle } = options;
  const segments = new Segments({
    folder,
    dir: 'archive',
    ...segmentNames(options.name, options.process),
    ext: '.warc.gz',
    rotateBytes: options.rotateBytes ?? 1_000_000_000,
    clock,
    head: (fileName) => warcinfoMember({ fileName, dateMs: clock.now(), fields: infoFields(options) }),
    wholeEnd: wholeMembersEnd,
    ...(openHandle && { openHandle }),
  });
  const seen = options.dedupe === false ? undefined : new SeenBodies();
  return {
    name: 'warc',
    start: () => segments.start(),
    save: async (capture: Capture): Promise<SavedAt> => {
      const same = earlierCapture(capture, seen !== undefined) ?? seen?.find(capture);
      const { main, mainLength, mainId, rest } = await captureMembers(capture, same);
      const { file, offset } = await segments.append([...main, ...rest]);
      const at: SavedAt = { saver: 'warc', file, offset, length: mainLength };
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

function infoFields(options: WarcSaverOptions): [string, string][] {
  return [
    ['software', options.software],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', conformsTo],
    ['isPartOf', options.name],
    ['credentials', 'Cookie and Authorization headers of requests are omitted; metadata records name them'],
    ...(options.info ?? []),
  ];
}
