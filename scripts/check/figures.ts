import type { Finding, Project, Rule, Source } from './project.ts';
import type { Token } from './tokens.ts';

/** A number that a page repeats from the code. */
interface Figure {
  /** Where the number is written: `const name = 1` or `name: 1`. */
  file: string;
  name: string;
  /** What one of its units is in the unit of the page; 1 where they are the same. */
  per?: number;
}

/** A sentence of a page; each `{}` in it stands for a figure. */
interface Sentence {
  page: string;
  says: string;
  figures: readonly Figure[];
}

const seconds = 1_000;
const kib = 1_024;
const mib = 1_048_576;

const of =
  (file: string) =>
  (name: string, per?: number): Figure => ({
    file: `packages/${file}.ts`,
    name,
    ...(per === undefined ? {} : { per }),
  });
const stream = of('coordinator/src/stream/limits');
const link = of('coordinator/src/link/link-limits');
const http = of('coordinator/src/api/http/http-server');
const guard = of('coordinator/src/api/http/connection-guard');
const visits = of('worker/src/session/visits');
const owners = of('coordinator/src/owners/owner-rules');
const streamed = of('coordinator/src/api/http/open-streams');

/** Every figure in the guides that the code decides, with the sentence that repeats it. Generated pages need no entry. */
export const sentences: readonly Sentence[] = [
  {
    page: 'docs/stream.md',
    says: '"heartbeatMs":{},"maxSubscriptions":{}',
    figures: [stream('heartbeatMs'), stream('subscriptions')],
  },
  {
    page: 'docs/stream.md',
    says: 'A connection has at most {} subscriptions. Frames of clients have at most {} KiB',
    figures: [stream('subscriptions'), of('protocol/src/api/stream')('maxClientFrameBytes', kib)],
  },
  { page: 'docs/link.md', says: '| a frame | {} MB |', figures: [link('frameBytes', mib)] },
  { page: 'docs/link.md', says: '| hello | within {} s |', figures: [link('helloMs', seconds)] },
  { page: 'docs/link.md', says: '| malformed frames | {} |', figures: [link('strikes')] },
  {
    page: 'docs/link.md',
    says: '| concurrent requests of one worker | {}, and {} MB |',
    figures: [link('inFlight'), link('inFlightBytes', mib)],
  },
  {
    page: 'docs/link.md',
    says: '| frames of one worker | {} per second, {} at once |',
    figures: [link('framesPerSecond'), link('burst')],
  },
  {
    page: 'docs/link.md',
    says: '| answers that a worker does not read | {} MB for {} s |',
    figures: [link('unreadBytes', mib), link('unreadMs', seconds)],
  },
  { page: 'docs/link.md', says: '| workers | {} | 503 |', figures: [link('workers')] },
  {
    page: 'docs/link.md',
    says: '| bodies of one worker that no report has named yet, or that are incomplete | {} · {} |',
    figures: [
      of('coordinator/src/link/bodies')('mostPlaced'),
      of('coordinator/src/link/bodies')('mostArriving'),
    ],
  },
  {
    page: 'docs/api.md',
    says: '| path and headers of a request | {} KiB |',
    figures: [http('maxHeaderSize', kib)],
  },
  {
    page: 'docs/api.md',
    says: '| a body; a job as YAML | {} MiB; {} characters |',
    figures: [
      of('coordinator/src/api/call/read-request')('maxBodyBytes', mib),
      of('coordinator/src/api/call/job-input')('maxYamlChars'),
    ],
  },
  {
    page: 'docs/api.md',
    says: '| time for the head of a request, and for all of it | {} s, {} s |',
    figures: [http('headersTimeout', seconds), http('requestTimeout', seconds)],
  },
  {
    page: 'docs/api.md',
    says: '| connections without a request in progress | {} |',
    figures: [guard('idleConnections')],
  },
  { page: 'docs/api.md', says: '| connections in all | {} |', figures: [guard('connections')] },
  {
    page: 'docs/api.md',
    says: '| a connection on which nothing moves | {} s |',
    figures: [http('stalledMs', seconds)],
  },
  {
    page: 'docs/api.md',
    says: '| streamed answers at once, of one token and in all | {}, {} |',
    figures: [streamed('each'), streamed('all')],
  },
  {
    page: 'docs/api.md',
    says: '| sockets of `/v1/stream` without a token yet | {} |',
    figures: [stream('unknownSockets')],
  },
  { page: 'docs/api.md', says: '| sockets of `/v1/stream` in all | {} |', figures: [stream('sockets')] },
  {
    page: 'docs/console.md',
    says: 'for one browser, within {} seconds',
    figures: [of('coordinator/src/log-in/one-time-links')('linkLifetimeMs', seconds)],
  },
  {
    page: 'docs/console.md',
    says: 'Up to {} pasted addresses',
    figures: [of('console/browser/job/judge-urls')('mostJudged')],
  },
  {
    page: 'docs/console.md',
    says: 'A sample is taken every {} seconds',
    figures: [of('coordinator/src/history/samples')('slotMs', seconds)],
  },
  {
    page: 'docs/console.md',
    says: 'A screen shows at most {} rows.',
    figures: [of('console/browser/urls/url-list')('mostRows')],
  },
  {
    page: 'docs/console.md',
    says: 'at most {} rows; for more use `webfarer export`',
    figures: [of('console/browser/urls/export-urls')('mostRows')],
  },
  {
    page: 'docs/console.md',
    says: '{} MiB at a time, and recomputes its digests',
    figures: [of('coordinator/src/api/archive/check-archive')('stepBytes', mib)],
  },
  {
    page: 'docs/console.md',
    says: 'those they link to, at most {}:',
    figures: [of('graph/src/report/survey/host-graph-tally')('mostHosts')],
  },
  {
    page: 'docs/frontier.md',
    says: 'A registered domain (site) belongs to one of {} groups',
    figures: [of('coordinator/src/results/cursor')('mostGroups')],
  },
  {
    page: 'docs/frontier.md',
    says: '**F1: groups.** There are {} groups',
    figures: [of('coordinator/src/results/cursor')('mostGroups')],
  },
  {
    page: 'docs/frontier.md',
    says: 'A sweep settles at most {} entries of a dead host',
    figures: [of('coordinator/src/frontier/redis/sweeping')('sweepLimit')],
  },
  {
    page: 'docs/moving-groups.md',
    says: 'keeps its hosts in {} groups',
    figures: [of('coordinator/src/results/cursor')('mostGroups')],
  },
  {
    page: 'docs/moving-groups.md',
    says: 'expires after {} seconds',
    figures: [of('coordinator/src/redis/migration/move-notes')('holdMs', seconds)],
  },
  {
    page: 'docs/network.md',
    says: 'the others notice after {} seconds',
    figures: [of('coordinator/src/members/members')('memberTtlMs', seconds)],
  },
  {
    page: 'docs/network.md',
    says: 'every {} seconds one of them sweeps',
    figures: [of('coordinator/src/maintenance/sweeper')('EVERY_MS', seconds)],
  },
  {
    page: 'docs/library.md',
    says: 'at most {} requests and {} MiB',
    figures: [visits('requests'), visits('bytes', mib)],
  },
  {
    page: 'docs/steps.md',
    says: 'at most {} requests and {} MiB',
    figures: [visits('requests'), visits('bytes', mib)],
  },
  {
    page: 'docs/rendering.md',
    says: '`fullPage` one of the whole page (at most {} high)',
    figures: [of('worker/src/browser/pictures')('mostHeight')],
  },
  {
    page: 'docs/report.md',
    says: 'Lists show at most {} rows and share {} MB',
    figures: [
      of('cli/src/commands/results/report-compare')('maxRows'),
      of('graph/src/report/report')('maxBytes', 1_000_000),
    ],
  },
  {
    page: 'docs/statistics.md',
    says: 'with at most {} hosts one by one',
    figures: [of('graph/src/stats/crawl-tally')('maxKeys')],
  },
  {
    page: 'docs/site-owners.md',
    says: '{} rules for a registered domain and {} in all',
    figures: [owners('ofSite'), owners('inAll')],
  },
];

/** Sentences of the guides say what the code does. */
export const figures: Rule = figuresIn(sentences);

export function figuresIn(all: readonly Sentence[]): Rule {
  return {
    name: `figures in guides (${all.length} sentences)`,
    reads: ['ts', 'md'],
    find: (project) => all.flatMap((sentence) => judged(sentence, project)),
  };
}

function judged({ page, says, figures: found }: Sentence, project: Project): Finding[] {
  const text = project.pages.find(({ path }) => path === page)?.text;
  if (text === undefined) return [];
  const values = found.map(({ file, name, per = 1 }) => {
    const value = numberIn(
      project.sources.find(({ path }) => path === file),
      name,
    );
    return { file, name, value: value === undefined ? undefined : value / per };
  });
  const lost = values.filter(({ value }) => value === undefined);
  if (lost.length > 0)
    return lost.map(({ file, name }) => ({
      path: page,
      line: 1,
      message: `repeats ${name} of ${file}, which is not a number there: name its new place in scripts/check/figures.ts`,
    }));
  const written = values.map(({ value = 0 }) => shownIn(says, value));
  const expected = says.replaceAll('{}', () => written.shift() ?? '');
  // Lines of a page may break anywhere in a sentence.
  if (text.replaceAll(/\s+/g, ' ').includes(expected)) return [];
  return [{ path: page, line: lineOf(text, says), message: `must say: ${expected}` }];
}

/** As pages write numbers; in an example of JSON, as JSON does. */
const shownIn = (says: string, value: number): string =>
  says.startsWith('"') ? String(value) : value.toLocaleString('en-US');

function lineOf(text: string, says: string): number {
  const [begin = ''] = says.split('{}');
  const at = begin === '' ? -1 : text.indexOf(begin);
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}

/** The value of the first `name = 2 * 3` or `name: 2 * 3` of a file. */
function numberIn(source: Source | undefined, name: string): number | undefined {
  const { tokens = [] } = source ?? {};
  for (const [at, { text }] of tokens.entries()) {
    const sign = tokens[at + 1]?.text;
    if (text !== name || (sign !== '=' && sign !== ':')) continue;
    const value = productAt(tokens, at + 2);
    if (value !== undefined) return value;
  }
  return undefined;
}

function productAt(tokens: readonly Token[], at: number): number | undefined {
  if (tokens[at]?.kind !== 'number') return undefined;
  const value = Number(tokens[at].text.replaceAll('_', ''));
  if (tokens[at + 1]?.text !== '*') return value;
  const rest = productAt(tokens, at + 2);
  return rest === undefined ? undefined : value * rest;
}
