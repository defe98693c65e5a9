import type { Mutant } from './mutant.ts';

const handlers = 'packages/cli/src/handlers';
const retry = (name: string) => ({ test: `${handlers}/retry-stored.test.ts`, case: name });
const fixedHandler = 'runs a fixed handler over the stored answers, and requests only what it newly follows';

/** Handlers over stored answers: replay, retries and unit tests. */
export const handlerMutants: readonly Mutant[] = [
  {
    name: 'failed-answers-not-kept',
    why: 'A bug in a handler would cost every page a second request.',
    file: 'packages/worker/src/page/pipeline.ts',
    from: 'const kept = await save(options, work, notSavedWhy(context, work, true));',
    to: "const kept = await save(options, work, 'type');",
    killer: retry(fixedHandler),
  },
  {
    name: 'stored-answers-requested',
    why: 'A retry of pages that only their handler failed on would ask the site again.',
    file: 'packages/worker/src/session/host-session.ts',
    from: "if (context.stored && entry.kind !== 'check') {",
    to: "if (context.stored && entry.kind === 'sitemap') {",
    killer: retry(fixedHandler),
  },
  {
    name: 'replay-without-labels',
    why: 'A replayed handler that goes by label would find no items.',
    file: 'packages/worker/src/stored/stored-page.ts',
    from: '...(label === undefined ? {} : { label }),',
    to: '...(label === undefined ? {} : {}),',
    killer: {
      test: `${handlers}/replay.test.ts`,
      case: 'gives the items of the crawl again, in their order, without a request',
    },
  },
  {
    name: 'replay-in-any-order',
    why: 'Two replays could not be compared line by line.',
    file: `${handlers}/replay.ts`,
    from: 'await (inWork.shift() as Promise<Replayed>)',
    to: 'await (inWork.pop() as Promise<Replayed>)',
    killer: {
      test: `${handlers}/replay.test.ts`,
      case: 'gives the items of the crawl again, in their order, without a request',
    },
  },
  {
    name: 'program-starts-while-loaded',
    why: 'A replay of a program would start its crawl, where no request was to be made.',
    file: `${handlers}/load-module.ts`,
    from: 'flags[loading] = file;',
    to: 'delete flags[loading];',
    killer: {
      test: `${handlers}/replay.test.ts`,
      case: 'refuses a program that starts a crawl when it is loaded, before its first request',
    },
  },
  {
    name: 'item-of-any-kind',
    why: 'One item that JSON cannot say would end the crawl, and each resume of it.',
    file: 'packages/worker/src/page/run-scraper.ts',
    from: 'const verdict = checked.ok ? storable(checked.value) : checked;',
    to: 'const verdict = checked;',
    killer: {
      test: 'test/library/own-code.test.ts',
      case: 'is the trouble of its page alone: a bigint',
      says: 'serialize a BigInt',
    },
  },
  {
    name: 'hook-unguarded-after-page',
    why: 'An onFailed that throws would end the crawl.',
    file: 'packages/worker/src/page/records.ts',
    from: 'if (!(error instanceof HookError)) throw error;',
    to: 'throw error;',
    killer: { test: 'test/library/own-code.test.ts', case: 'an onFailed that throws', says: 'hook bug' },
  },
  {
    name: 'hook-not-waited-for',
    why: 'An onSkipped that rejects would be an error that nobody catches.',
    file: 'packages/worker/src/page/gather.ts',
    from: 'return [told];',
    to: 'void told.then();\n  return [];',
    killer: { test: 'test/library/own-code.test.ts', case: 'an onSkipped that rejects' },
  },
  {
    name: 'normalise-unguarded',
    why: 'A normalise that throws on one link would end the crawl.',
    file: 'packages/worker/src/crawls/crawl-context.ts',
    from: 'basic(ownUrl(own, url))',
    to: 'basic(own(url))',
    killer: { test: 'test/library/own-code.test.ts', case: 'a normalise that throws', says: 'URI malformed' },
  },
];
