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
    from: 'const kept = work.keep && keeps(context, mime) ? await save(options, work) : {};',
    to: "const kept = work.keep && mime === '' ? await save(options, work) : {};",
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
];
