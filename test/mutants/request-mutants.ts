import type { Mutant } from './mutant.ts';

const asked = 'packages/worker/src/page/asked.ts';
const recrawl = 'packages/worker/src/page/recrawl.ts';
const requests = 'test/library/requests.test.ts';
const credentials = 'test/library/credentials.test.ts';

/** Requests that are more than a GET of a URL. */
const askedMutants: readonly Mutant[] = [
  {
    name: 'one-name-for-all-bodies',
    why: 'Of all pages of a list that is asked for by POST only the first would be fetched.',
    file: asked,
    from: '.update(`${method}\\n${type}\\n${body}`)',
    to: '.update(`${method}\\n${type}\\n${typeof body}`)',
    killer: { test: requests, case: 'goes through a list by POST, each page once' },
  },
  {
    name: 'request-lost-on-retry',
    why: 'After an error the handler would get a page without its data, and the site a request without its body.',
    file: 'packages/coordinator/src/frontier/sqlite/rows/entries.ts',
    from: "'UPDATE entries SET attempt = ?, deaths = NULL, ord = ?, record = NULL WHERE id = ?'",
    to: "'UPDATE entries SET attempt = ?, deaths = NULL, ord = ?, record = NULL, label = NULL WHERE id = ?'",
    killer: { test: requests, case: 'repeats a POST with body and headers after an error' },
  },
  {
    name: 'headers-of-follow-lost',
    why: 'An API that wants a header would refuse every request.',
    file: 'packages/worker/src/page/request.ts',
    from: 'const { type, headers = {} } = request;',
    to: 'const { type, headers = {} } = { ...request, headers: {} };',
    killer: { test: requests, case: 'repeats a POST with body and headers after an error' },
  },
  {
    name: 'headers-of-follow-sent-elsewhere',
    why: 'A site could have the key of another one sent to itself by a redirect.',
    file: asked,
    from: 'if (originOf(from) !== originOf(to)) delete kept.headers;',
    to: 'if (originOf(from) === to) delete kept.headers;',
    killer: { test: requests, case: 'after a POST that is answered 307 asks by POST' },
  },
  {
    name: 'data-does-not-upgrade',
    why: 'A page that a sitemap named first would reach its handler without the data that a later page followed it with.',
    file: 'packages/coordinator/src/frontier/sqlite/upgrading.ts',
    from: '(offer.label === undefined && offer.request === undefined ? 1 : 2)',
    to: '(offer.label === undefined ? 1 : 2)',
    killer: {
      test: 'packages/coordinator/src/frontier/sqlite/sqlite-frontier.test.ts',
      case: 'requests > upgrades a URL that was known without data, once',
    },
  },
  {
    name: 'redis-data-upgrades-twice',
    why: 'Each further page that follows a URL with data would have it visited once more, and its item written again.',
    file: 'packages/coordinator/src/redis/lua/base/upgrades.lua',
    from: "'^...%l?%d+,[^,]*,[^,]*,[=;]'",
    to: "'^...%l?%d+,[^,]*,[^,]*,='",
    killer: {
      test: 'packages/coordinator/src/frontier/redis/redis-frontier.test.ts',
      case: 'requests > upgrades a URL that was known without data, once',
    },
  },
  {
    name: 'redis-request-lost-on-retry-of-outcomes',
    why: 'webfarer retry would send a POST as a GET of a URL that does not exist.',
    file: 'packages/coordinator/src/frontier/redis/context/entry-text.ts',
    from: '`${tail.charAt(0)}00${tail.slice(3)}`',
    to: "`${tail.charAt(0)}00${tail.slice(3).split(';')[0]}`",
    killer: {
      test: 'packages/coordinator/src/frontier/redis/redis-frontier.test.ts',
      case: 'requests > hands out all of it again after a retry, an expiry, a release and a retry of outcomes',
    },
  },
];

/** Requests in replays and recrawls. */
const storedMutants: readonly Mutant[] = [
  {
    name: 'replay-forgets-data',
    why: 'A handler that uses page.data would yield other items in a replay.',
    file: 'packages/worker/src/stored/stored-page.ts',
    from: '...(request === undefined ? {} : { request }),',
    to: '...(request?.method === undefined ? {} : { request: { ...request, data: undefined } }),',
    killer: { test: requests, case: 'replays requests with the data, label, depth and method that they had' },
  },
  {
    name: 'earlier-answer-of-a-post-by-its-target',
    why: 'A replay after a recrawl would show the handler the page of the URL instead of the answer to the POST.',
    file: 'packages/worker/src/stored/stored-exchange.ts',
    from: 'await earlier(facts.url)',
    to: "await earlier(facts.url.replace(/#.*/, '') as Url)",
    killer: { test: requests, case: 'asks again in a recrawl, each request once' },
  },
  {
    name: 'recrawl-forgets-requests',
    why: 'A recrawl would ask for a list by GET where its page is unchanged.',
    file: recrawl,
    from: '...(request === undefined ? {} : { request }) };',
    to: '...(request?.method !== undefined ? {} : { request }) };',
    killer: { test: requests, case: 'asks again in a recrawl, each request once' },
  },
  {
    name: 'recrawl-forgets-depth',
    why: 'The pages of a list that a handler counts as equally deep would be cut off by the limit in a recrawl.',
    file: recrawl,
    from: 'Math.max(1, queuedAs?.depth ?? Infinity)',
    to: 'Math.max(Infinity, queuedAs?.depth ?? Infinity)',
    killer: {
      test: 'packages/worker/src/page/recrawl.test.ts',
      case: 'links of an unchanged page > are all offered where the scraper follows all',
    },
  },
];

/** Passwords and tokens of sites. */
const credentialMutants: readonly Mutant[] = [
  {
    name: 'credentials-sent-everywhere',
    why: 'Any site that a page links or redirects to would be sent the token of another one.',
    file: 'packages/protocol/src/url/secrets.ts',
    from: 'all.find((one) => one.origin === origin)',
    to: 'all.find((one) => one.origin !== origin) ?? all[0]',
    killer: { test: credentials, case: 'to its origin alone, over every redirect' },
  },
  {
    name: 'credentials-by-host-alone',
    why: 'A redirect from https to http would send a token in the clear, and another port would be sent it too.',
    file: 'packages/protocol/src/url/secrets.ts',
    from: 'all.find((one) => one.origin === origin)',
    to: "all.find((one) => one.origin.split(':')[1] === origin.split(':')[1])",
    killer: {
      test: 'packages/protocol/src/url/secrets.test.ts',
      case: 'a bearer token goes to exactly its origin',
    },
  },
  {
    name: 'authorization-archived',
    why: 'Everyone who is given the archive could act in the name of the person who crawled.',
    file: 'packages/worker/src/save/warc/http-heads.ts',
    from: '/(?:host|connection|',
    to: '/(?:host|authorization|connection|',
    killer: { test: credentials, case: 'to its origin alone, over every redirect' },
  },
  {
    name: 'key-of-a-job-archived',
    why: 'A viewer who downloads the archive would read the key that the job sends to its site.',
    file: 'packages/worker/src/save/warc/http-heads.ts',
    from: '|cache-control|pragma|',
    to: '|x-api-key|cache-control|pragma|',
    killer: {
      test: 'packages/worker/src/save/warc/written-records.test.ts',
      case: 'stay out of the archive, and that they were sent is said',
    },
  },
  {
    name: 'credentials-lost-by-an-edit',
    why: 'A crawl whose job is edited while it runs would fail with 401 from then on.',
    file: 'packages/coordinator/src/crawl/job-in-force.ts',
    from: '[...next.fetch.credentials, ...fetch.credentials].filter(',
    to: '[...next.fetch.credentials].filter(',
    killer: {
      test: 'packages/coordinator/src/edited-meanwhile.test.ts',
      case: 'keeps credentials, which no job that is written down has',
    },
  },
  {
    name: 'header-values-in-errors',
    why: 'A token in a job file would be in the log of every CI run that refuses the file.',
    file: 'packages/protocol/src/job/file.ts',
    from: 'if (!isMap(headers)) return text;',
    to: "if (!isMap(headers) || text !== '') return text;",
    killer: {
      test: 'packages/protocol/src/job/file.test.ts',
      case: 'values of request headers are not repeated: they may be keys',
    },
  },
];

export const requestMutants: readonly Mutant[] = [...askedMutants, ...storedMutants, ...credentialMutants];
