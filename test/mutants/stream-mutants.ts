import type { Mutant } from './mutant.ts';

const stream = 'packages/coordinator/src/stream';
const reader = `${stream}/log-reader.ts`;
const readerTest = `${stream}/log-reader.test.ts`;
const often =
  'a reader that begins again behind any cursor sees the rest once, whatever is settled meanwhile';
const gateTest = `${stream}/page-gate.test.ts`;
const sessionTest = `${stream}/session.test.ts`;
const client = 'packages/protocol/src/api/stream-client.ts';
const clientTest = 'packages/protocol/src/api/stream-client.test.ts';
const files = 'packages/coordinator/src/api/archive/archive-files.ts';
const filesTest = 'packages/coordinator/src/api/archive/archive-files.test.ts';

/** The stream, the log of results and the files of a crawl. */
export const streamMutants: readonly Mutant[] = [
  {
    name: 'list-forgets-what-is-over',
    why: 'Crawls that ended before anyone looked would be missing in the list.',
    file: `${stream}/lists.ts`,
    from: "entryStates.filter((state) => state !== 'deleted')",
    to: "entryStates.filter((state) => ['running', 'paused', 'stopped'].includes(state))",
    killer: {
      test: `${stream}/lists.test.ts`,
      case: 'lists crawls in every state but deleted, also those that were over before the first look',
    },
  },
  {
    name: 'tail-repeats-what-was-read',
    why: 'A client that has just caught up would get results twice.',
    file: reader,
    from: 'if (hasSeen(places.get(entry.group), entry.place)) continue;',
    to: '',
    killer: { test: readerTest, case: often, says: 'Property failed' },
  },
  {
    name: 'tail-joined-after-the-last-read',
    why: 'Results that were settled while a client caught up would never reach it.',
    file: reader,
    from: 'before = tail.last;\n        return results.after(crawl, at, query);\n      });',
    to: 'return results.after(crawl, at, query);\n      });\n      before = tail.last;',
    killer: { test: readerTest, case: often, says: 'Property failed' },
  },
  {
    name: 'tail-cursor-without-own-places',
    why: 'A client that continues behind such a token would get results twice.',
    file: reader,
    from: 'at = laterCursor(before, page.cursor);',
    to: '({ cursor: at } = page);',
    killer: { test: readerTest, case: often, says: 'Property failed' },
  },
  {
    name: 'over-without-a-last-look',
    why: 'A client would be told that a crawl is over and miss its last results.',
    file: `${stream}/follow-log.ts`,
    from: 'reader.detach();\n      const last',
    to: 'const last',
    killer: {
      test: `${stream}/follow-log.test.ts`,
      case: 'says that a crawl is over only once everything was sent',
    },
  },
  {
    name: 'log-reads-ahead-of-its-reader',
    why: 'A client that does not read would fill the memory of the coordinator.',
    file: `${stream}/read-log.ts`,
    from: 'if (left > 0 && page.more) continue;',
    to: 'if (left > 0 && page.more) await reader.next(0, signal);\n      if (left > 0 && page.more) continue;',
    killer: {
      test: `${stream}/read-log.test.ts`,
      case: 'answers what is there, with a token behind each outcome, then a bookmark',
    },
  },
  {
    name: 'stream-without-room',
    why: 'A client that does not read would fill the memory of the coordinator.',
    file: `${stream}/outlet.ts`,
    from: 'const hasRoom = () => socket.unread < unreadBytes;',
    to: 'const hasRoom = () => socket.unread < Number.POSITIVE_INFINITY && unreadBytes > 0;',
    killer: { test: sessionTest, case: 'reads no further for a client that does not read' },
  },
  {
    name: 'pages-read-all-at-once',
    why: 'Clients that read nothing would keep the store busy, and every other request waiting behind them.',
    file: `${stream}/page-gate.ts`,
    from: 'if (taken < atOnce) return begin();',
    to: 'if (taken < atOnce * 1_000) return begin();',
    killer: {
      test: gateTest,
      case: 'lets so many read at once, and owners take turns however many readers one has',
    },
  },
  {
    name: 'pages-read-for-the-first-owner',
    why: 'A client with a thousand readers would be served before anyone else is.',
    file: `${stream}/page-gate.ts`,
    from: 'waiting.delete(owner);\n    if (queue.size > 0) waiting.set(owner, queue);',
    to: 'if (queue.size === 0) waiting.delete(owner);',
    killer: {
      test: gateTest,
      case: 'lets so many read at once, and owners take turns however many readers one has',
    },
  },
  {
    name: 'pages-kept-after-they-were-sent',
    why: 'Two subscriptions that the client asks for no more would stop all others on its socket.',
    file: `${stream}/session.ts`,
    from: 'write(options.encode(frame, id)));\n          gate.dropped();',
    to: 'write(options.encode(frame, id)));',
    killer: {
      test: sessionTest,
      case: 'reads no more pages than may wait, whatever the number of subscriptions, and all of them when they are taken',
    },
  },
  {
    name: 'answers-begun-ahead',
    why: 'A client that asks fifty times and reads nothing would have fifty answers made for it.',
    file: 'packages/coordinator/src/api/http/http-server.ts',
    from: 'oneAtATime((request, response) => void listener(request, response)),',
    to: '(request, response) => void listener(request, response),',
    killer: {
      test: 'packages/coordinator/src/api/http/http-server.test.ts',
      case: 'begins the answer to a request that was sent ahead when the one before it is taken',
    },
  },
  {
    name: 'stream-token-not-checked-again',
    why: 'A revoked token would read the stream for as long as its socket lives.',
    file: `${stream}/session.ts`,
    from: 'if (user !== undefined && given !== undefined && !options.authenticate(given))',
    to: 'if (user === undefined && given !== undefined && !options.authenticate(given))',
    killer: {
      test: sessionTest,
      case: 'cuts off a client that gives no sign of life, and one whose token was revoked',
    },
  },
  {
    name: 'client-continues-too-early',
    why: 'What a client was handling when its connection was lost would come twice.',
    file: client,
    from: 'if (!one.busy) make(id, one);',
    to: 'make(id, one);',
    killer: {
      test: clientTest,
      case: 'a frame that is being handled when the connection is lost does not come again',
    },
  },
  {
    name: 'download-follows-links',
    why: 'A link in an archive folder could hand out any file of the machine.',
    file: files,
    from: 'constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK',
    to: 'constants.O_RDONLY | constants.O_NONBLOCK',
    killer: { test: filesTest, case: 'follows no link to a file', says: 'instead of rejecting' },
  },
  {
    name: 'download-through-linked-folder',
    why: 'A linked folder could hand out any file of the machine.',
    file: files,
    from: 'if ((await realpath(dirname(target))) !== dirname(home)) throw notListed(path);',
    to: 'await realpath(dirname(home));',
    killer: { test: filesTest, case: 'follows no link to a folder', says: 'instead of rejecting' },
  },
  {
    name: 'listener-for-each-wait',
    why: 'A console that is open for days would have a coordinator keep a listener for each frame that it took.',
    file: 'packages/coordinator/src/stream/session.ts',
    from: '      mine.wake = resolve;\n',
    to: "      mine.wake = resolve;\n      signal.addEventListener('abort', () => resolve(), { once: true });\n",
    killer: {
      test: 'packages/coordinator/src/stream/session.test.ts',
      case: 'listens for the end of a subscription once, however often it waits for credit',
    },
  },
];
