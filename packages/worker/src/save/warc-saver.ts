import type { Clock, SavedAt } from '@webfarer/protocol';
import type { OpenHandle } from './append-file.ts';
import { wholeMembersEnd } from './gzip-tail.ts';
import type { Capture, Saver } from './saver.ts';
import { safeLabel } from './safe-label.ts';
import { Segments } from './segments.ts';
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
  openHandle?: OpenHandle;
}

const conformsTo = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';

/** Bodies as WARC 1.1 under `archive/`. */
export function warcSaver(options: WarcSaverOptions): Saver {
  const { folder, clock, openHandle } = options;
  const segments = new Segments({
    folder,
    dir: 'archive',
    name: safeLabel(options.name),
    ext: '.warc.gz',
    rotateBytes: options.rotateBytes ?? 1_000_000_000,
    clock,
    head: (fileName) => warcinfoMember({ fileName, dateMs: clock.now(), fields: infoFields(options) }),
    wholeEnd: wholeMembersEnd,
    ...(openHandle && { openHandle }),
  });
  return {
    name: 'warc',
    start: () => segments.start(),
    save: async (capture: Capture): Promise<SavedAt> => {
      const { response, responseLength, request } = await captureMembers(capture);
      const { file, offset } = await segments.append([...response, ...request]);
      return { saver: 'warc', file, offset, length: responseLength };
    },
    sync: () => segments.sync(),
    stop: () => segments.stop(),
    written: () => segments.written(),
  };
}

function infoFields(options: WarcSaverOptions): [string, string][] {
  return [
    ['software', options.software],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', conformsTo],
    ['isPartOf', options.name],
    ...(options.info ?? []),
  ];
}
