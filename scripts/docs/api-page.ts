import { apiScopes, type Route, type RouteName, routeFamilies, routes } from '@webfarer/protocol/api';
import { type Place, starbellyCommands, starbellySubscriptions } from './starbelly.ts';
import { code, generated, table } from './markdown.ts';

/** How to call the API, every route of it, and where the commands of Starbelly are. */
export function apiPage(): string {
  return [
    generated,
    '# The API',
    'A coordinator answers HTTP requests under `/v1` on the port that its workers connect to. Everything that can be done to a crawl from the command line can be done over this API by a program. [openapi.json](openapi.json) describes every route; a coordinator serves the same document at `/v1/openapi.json`.',
    '## A first request',
    [
      '```sh',
      'webfarer coordinator --data ./data                      # prints where it listens',
      'token=$(cat ./data/operator.token)',
      'curl -H "Authorization: Bearer $token" http://127.0.0.1:7311/v1/crawls',
      'curl -H "Authorization: Bearer $token" -H "Content-Type: application/yaml" \\',
      '  -H "Idempotency-Key: museums-2026-11" --data-binary @job.yml http://127.0.0.1:7311/v1/crawls',
      '```',
    ].join('\n'),
    '[examples/curl.md](../examples/curl.md) shows every step of a crawl with curl, [examples/python](../examples/python) a program that starts, watches and reads one. On the command line `webfarer start`, `ls`, `results` and [others](commands.md) call the same API.',
    'From TypeScript, in Node or in a browser, with every parameter and answer typed:',
    [
      '```ts',
      "import { createClient } from 'webfarer/client';",
      '',
      "const api = createClient({ url: 'http://127.0.0.1:7311', token, fetch });",
      "const shop = await api.createCrawl({ body: { job: { seeds: ['example.org'] }, tags: ['weekly'] } });",
      'await api.pauseCrawl({ params: { crawl: shop.name } });',
      'for (const crawl of (await api.listCrawls({ query: { tag: ["weekly"] } })).items) console.log(crawl.name, crawl.state);',
      '```',
    ].join('\n'),
    '## Tokens and scopes',
    `Every route but those marked \`public\` needs \`Authorization: Bearer TOKEN\`. A token has one scope: ${apiScopes.map(code).join(', ')}. An admin may do what an operator may, and an operator what a viewer may; a worker token opens the link for workers and nothing else. \`operator.token\` in the data folder is an admin token.`,
    "A job that reaches beyond the public web needs an admin token: files or modules of the machines that work on it, private addresses, proxies, DNS servers, unusual ports, object storage, hosts that are called the operator's own, pauses below 200 ms, a `retryAfterMax` below an hour, a `retries.backoff` below a second. The coordinator judges the job with the fields of its policy. A policy lends request headers to its own team and to its `users`, and settings of an admin to the same teams if an admin wrote it; what stands in an entry of a list is lent with the whole entry ([decision 154](decisions/0154-entries-lent-whole.md)). A schedule runs with the rights of its last writer. In a job with settings of an admin, an operator may change limits and pauses, and little else ([decision 101](decisions/0101-who-may-set-what.md)). The operators of a team may write 5,000 host rules and as many opt-outs, 500 schedules, 100 webhooks and 500 policies of 1,000 versions ([decision 155](decisions/0155-documents-of-a-team.md)).",
    'A coordinator refuses requests that a browser sends for another site (`Origin`, `Sec-Fetch-Site`). It sets no cookies, and a token in a URL is not accepted.',
    '## Bodies',
    'Send bodies as `application/json`, at most 1 MiB. Where a route takes a job, the job file itself may be the body, as `application/yaml`. Unknown fields, unknown query parameters and names such as `__proto__` are refused, so that a typing error is not silently ignored.',
    '## Errors',
    'Every refusal is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), `application/problem+json`:',
    [
      '```json',
      '{ "type": "urn:webfarer:problem:not-found", "title": "there is no such crawl, record or file", "status": 404,',
      '  "code": "not-found", "detail": "there is no crawl \\"shop\\"",',
      '  "next": "GET /v1/crawls lists the crawls there are.", "retryable": false }',
      '```',
    ].join('\n'),
    '`code` is from the closed table in [reasons.md](reasons.md#errors), `next` says what to do, and `retryable` whether the same request may succeed later; every problem has all three. `invalid` lists each value that was not accepted. The typed client throws the same as `WebfarerError`.',
    '## Lists',
    'A list answers `items` and, unless this was the last page, `next`. Pass `next` as `after` to read on. Cursors are opaque, do not expire, and stay right while items come and go. A page may hold fewer items than `limit`, even none, before the last one.',
    '## Creating once',
    'Send an `Idempotency-Key` when you create a crawl, new for each crawl. If the answer is lost, send the same request with the same key again: it answers the crawl that the first one created, also after a restart and from another coordinator of the store. The same key with another request is refused with `conflict`. The key is kept with the crawl, as a digest, and forgotten when the crawl is deleted. Without a job `name` the crawl is named after the host of its first seed.',
    '## Editing',
    '`PATCH /v1/crawls/{crawl}` merges `changes` into the job ([RFC 7396](https://www.rfc-editor.org/rfc/rfc7396)): `{ "changes": { "limits": { "pages": 5000, "depth": null } } }` sets one limit and removes another. A change of scope also needs `"rescope": true`. With `version`, as read before, the edit is refused if the crawl changed meanwhile. `GET /v1/crawls/{crawl}/edits` is the history; where the scope changed, it says what became of known URLs.',
    '## URLs of a crawl',
    '`GET /v1/crawls/{crawl}/urls?state=failed&host=example.org` searches what a crawl knows, in any combination of conditions, whether it runs or not. Each page costs a bounded amount of work, so a page may come back empty: `searched` says how many URLs it looked at, and `next` where the search continues. `POST .../retry` and `POST .../drop` take the same conditions, move what matches in steps that survive a crash, and answer how many; repeat them with `next` until there is none. A dropped URL is `refused(dropped)`, and a retry with that reason brings it back. After the scope became wider, `POST .../relink` queues the links of fetched pages that were left out before; give it once the crawl is at rest, then resume the crawl.',
    '## Streams',
    'Routes that answer `ndjson` send one JSON value per line. An answer that was cut off by a fault ends without the last chunk, so that `curl` exits with 18 and the typed client throws `link-lost`. The same happens within five seconds to an answer whose token is revoked.',
    '## Limits',
    table(
      ['what', 'limit', 'beyond it'],
      [
        ['path and headers of a request', '16 KiB', '431 `head-too-large`'],
        ['a body; a job as YAML', '1 MiB; 200,000 characters', '413 `too-large`'],
        ['time for the head of a request, and for all of it', '10 s, 30 s', '408 `too-slow`'],
        ['connections without a request in progress', '1,000', 'the longest idle one is closed'],
        ['connections in all', '10,000', 'refused'],
        ['a connection on which nothing moves', '90 s', 'closed'],
        ['streamed answers at once, of one token and in all', '1,000, 2,000', '503 `busy`'],
        ['sockets of `/v1/stream` without a token yet', '200', 'the oldest is closed'],
        [
          'sockets of `/v1/stream` in all',
          '2,000',
          '503, unless another token has more sockets than yours: it loses one',
        ],
      ],
    ),
    '## Routes',
    ...Object.entries(routeFamilies).flatMap(([family, meaning]) => [
      `### ${family}`,
      `${meaning}.`,
      routesOf(family),
    ]),
    '## Outside the table',
    table(
      ['path', 'what'],
      [
        ['`GET /health`', 'the process lives'],
        [
          '`GET /ready`',
          '200 when API and console work: it has started, and its store answers on a new connection. Else 503 with the cause. For load balancers',
        ],
        [
          '`GET /ready/acknowledges`',
          '200 when, besides, everything that workers report can be acknowledged: no replica is missing, no disk or store is full',
        ],
        [
          '`GET /status`',
          'what the coordinator knows of itself, its workers and the crawls of your team, for `webfarer status` and `top`; scope `operator`',
        ],
        ['`/link`', 'WebSocket of workers, see [link.md](link.md)'],
      ],
    ),
    '## Coming from Starbelly',
    `Starbelly had 33 commands and 7 subscriptions. ${countOf(starbellyCommands)} of the commands and ${countOf(starbellySubscriptions)} of the subscriptions have an equal here now.`,
    table(
      ['command', 'here'],
      Object.entries(starbellyCommands).map(([name, place]) => [code(name), placeText(place)]),
    ),
    table(
      ['subscription', 'here'],
      Object.entries(starbellySubscriptions).map(([name, place]) => [name, placeText(place)]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

function routesOf(family: string): string {
  return table(
    ['route', 'scope', 'what', 'in the client'],
    Object.entries<Route>(routes)
      .filter(([, route]) => route.family === family)
      .map(([name, { method, path, scope, summary }]) => [
        code(`${method} ${path}`),
        scope,
        summary,
        code(name),
      ]),
  );
}

function routeText(name: RouteName): string {
  const { method, path }: Route = routes[name];
  return code(`${method} ${path}`);
}

function placeText({ routes: named, text }: Place): string {
  return [named.map(routeText).join(', '), text].filter((part) => part !== '').join('; ');
}

function countOf(places: Readonly<Record<string, Place>>): number {
  return Object.values(places).filter(({ there }) => there).length;
}
