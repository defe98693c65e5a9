import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';
const archived = (name: string) => ({ test: `${worker}/save/warc/renditions.test.ts`, case: name });
const pictured = (name: string) => ({ test: `${worker}/browser/pictures.test.ts`, case: name });

/** What a browser made of pages: where it is kept, and who reads it. */
export const renditionMutants: readonly Mutant[] = [
  {
    name: 'rendition-without-its-page',
    why: 'No reader could tell which capture a DOM or a picture belongs to.',
    file: `${worker}/save/warc/capture-records.ts`,
    from: "['WARC-Concurrent-To', mainId],\n    ['WARC-Payload-Digest', digest],",
    to: "['WARC-Payload-Digest', digest],",
    killer: archived('stands behind its capture as resource records that another reader finds'),
  },
  {
    name: 'rendition-place-without-request',
    why: 'Pages would be read from the middle of other records.',
    file: `${worker}/save/warc/warc-saver.ts`,
    from: 'rest.reduce(plusLength, mainLength)',
    to: 'mainLength',
    killer: archived('is read in place of the answer, which stays as it came'),
  },
  {
    name: 'rendition-of-the-next-page',
    why: 'A page that was not shown would be read as the next one that was.',
    file: `${worker}/archive/warc/renditions.ts`,
    from: "record.field('warc-concurrent-to') !== main) break;",
    to: 'false) break;',
    killer: archived('is read in place of the answer, which stays as it came'),
  },
  {
    name: 'rendition-guessed',
    why: 'Handlers would be replayed on a page that they never saw.',
    file: `${worker}/stored/stored-exchange.ts`,
    from: 'if (html === undefined && facts.rendered && facts.rendered.movedTo === undefined)',
    to: 'if (false as boolean)',
    killer: {
      ...archived('is missed where a page was shown and nothing of that is kept'),
      says: 'instead of rejecting',
    },
  },
  {
    name: 'rendition-index-at-the-page',
    why: 'Replay tools would show the answer of the server in place of the picture.',
    file: `${worker}/archive/index/cdxj.ts`,
    from: 'offset: offset + after',
    to: 'offset',
    killer: archived('has lines of its own in the index, each at its record'),
  },
  {
    name: 'rendition-twice-accepted',
    why: 'A volunteer could send any number of records as one page.',
    file: `${worker}/save/warc/capture-claim.ts`,
    from: 'new Set(kinds).size < kinds.length || ',
    to: '',
    killer: archived('is sent with its capture, and found where that was put'),
  },
  {
    name: 'picture-of-any-size',
    why: 'One page could fill the disk and the memory of a worker.',
    file: `${worker}/browser/pictures.ts`,
    from: 'taken.bytes.length > mostBytes',
    to: 'taken.bytes.length < 0',
    killer: pictured('leaves out what fails or is too large, and keeps the others'),
  },
  {
    name: 'picture-that-never-comes',
    why: 'A page that does not draw itself would hold its browser for ever.',
    file: `${worker}/browser/pictures.ts`,
    from: 'return await Promise.race([made, timer]);',
    to: 'return await made;',
    killer: {
      ...pictured('leaves out what is not made in time, and what would come after it'),
      says: 'Test timed out',
    },
  },
  {
    name: 'mirror-of-empty-pages',
    why: 'An offline copy of a site that scripts draw would be empty.',
    file: `${worker}/mirror/write-mirror.ts`,
    from: '{ asShown: true }',
    to: '{ asShown: false }',
    killer: { test: 'test/library/shown-pages.test.ts', case: 'a page as a browser showed it' },
  },
  {
    name: 'mirror-runs-scripts-again',
    why: 'Scripts would draw a page a second time, from data that a folder does not have.',
    file: `${worker}/mirror/rewrite-html.ts`,
    from: 'if (options.shown) for',
    to: 'if (options.xml) for',
    killer: {
      test: `${worker}/mirror/rewrite-html.test.ts`,
      case: 'has none that would run again, but keeps their data',
    },
  },
];
