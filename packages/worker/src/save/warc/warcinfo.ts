import type { DatedClock } from '@webfarer/protocol';
import { warcinfoMember } from './capture-records.ts';

export interface WarcHeadOptions {
  /** The crawl's name: how the files are called and what they say they are part of. */
  name: string;
  /** `webfarer/0.1.0`, for the head of each file. */
  software: string;
  /** More lines for the head of each file: operator, robots, http-header-user-agent, ... */
  info?: [string, string][];
}

const conformsTo = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';

/** What stands at the head of each file of an archive. */
export function warcHead(options: WarcHeadOptions, clock: DatedClock): (fileName: string) => Buffer[] {
  const fields: [string, string][] = [
    ['software', options.software],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', conformsTo],
    ['isPartOf', options.name],
    [
      'credentials',
      'headers of requests that may hold a key (Cookie, Authorization, those of the job) are omitted; metadata records name them',
    ],
    ...(options.info ?? []),
  ];
  return (fileName) => warcinfoMember({ fileName, dateMs: clock.wall(), fields });
}
