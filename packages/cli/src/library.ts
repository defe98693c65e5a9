import { resolve } from 'node:path';
import {
  type CrawlEvent,
  type EventsMissed,
  type JobInput,
  type Reason,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import type { CrawlRun, Summary } from './crawl/crawl-run.ts';
import { chooseGeneration } from './folder/generations.ts';
import { type Handlers, hooksOf } from './handlers/handlers.ts';
import { refuseWhileLoading } from './handlers/load-module.ts';
import { withRecordings } from './job/load-recordings.ts';
import { type WithRegExps, withoutRegExps } from './job/reg-exps.ts';
import { localCrawls, openLocal } from './local/local-crawl.ts';
import { hostLedgerPath } from './machine/state-folder.ts';
import { version } from './machine/version.ts';
import { type Credentials, programCredentials } from './secrets/program-credentials.ts';
import { plural } from './terminal/format.ts';
import { reasonSentence } from './view/wording.ts';

/** A job, and the code that runs in your own process. */
export interface CrawlOptions<Item = unknown>
  extends Omit<WithRegExps<JobInput>, 'name' | 'seeds' | 'scraper' | 'normalise' | 'items'>,
    Handlers<Item> {
  /** Names the folder: run the same file again to resume the crawl. */
  name: string;
  /** Where the crawl begins. */
  seeds: JobInput['seeds'];
  /** What is done with a page where there is no `onPage`. */
  scraper?: WithRegExps<JobInput['scraper']>;
  /** Where the crawl is kept; `./<name>.crawl` when absent. */
  folder?: string;
  /** File in which crawls of this machine agree on who contacts a host; in the user's state folder when absent. */
  hostLedger?: string;
  /** Throw away what the folder holds and start over. */
  fresh?: boolean;
  /** Accept a scope that differs from the one the crawl was begun with. */
  rescope?: boolean;
  /** When the crawl is over: crawl again in a folder beside it, fetching only what changed. */
  recrawl?: boolean;
  /**
   * What sites are sent to log in, by origin: `{ 'https://api.example.org': { bearer: token } }` or `{ user, password }`. It goes
   * to exactly that origin and is stored nowhere: pass it again to resume the crawl.
   */
  credentials?: Readonly<Record<string, Credentials>>;
  /** Called for links that were not queued and URLs that were refused. */
  onSkipped?: (url: string, reason: Reason) => void;
  /** Called for URLs that failed for good. */
  onFailed?: (url: string, reason: Reason) => void;
  /** May add or change request headers, nothing else. */
  onRequest?: (url: Url, headers: Record<string, string>) => void;
  /** Rules of the job file, or a function that gets the normalised URL and answers a better one. */
  normalise?: JobInput['normalise'] | ((url: Url) => string);
  /** Stops the crawl as `stop()` does. */
  signal?: AbortSignal;
}

/** Starts a crawl, or resumes it: same name, same folder, same crawl. */
export function crawl<Item = unknown>(options: CrawlOptions<Item>): CrawlRun<Item> {
  refuseWhileLoading();
  const opened = open(options);
  opened.catch(() => undefined);
  const run = async () => await opened;
  return {
    then: (resolve, reject) =>
      run()
        .then(({ run: it }) => it as PromiseLike<Summary<Item>>)
        .then(refuseNothing)
        .then(resolve, reject),
    async *[Symbol.asyncIterator](): AsyncIterator<CrawlEvent | EventsMissed> {
      yield* (await run()).run;
    },
    async *follow(cursor) {
      yield* (await run()).run.follow(cursor);
    },
    async *progress(every) {
      yield* (await run()).run.progress(every);
    },
    snapshot: async () => await (await run()).run.snapshot(),
    pause: async () => await (await run()).run.pause(),
    resume: async () => await (await run()).run.resume(),
    stop: async (how) => await (await run()).run.stop(how),
    explain: async (url) => await (await run()).run.explain(url),
  };
}

/** A crawl that could not read one page of its seeds has not done what was asked, however tidily it ended. */
function refuseNothing<Item>(summary: Summary<Item>): Summary<Item> {
  const { state, balance, snapshot, unfetchedSeeds } = summary;
  const { byReason } = snapshot;
  const [first] = unfetchedSeeds;
  const handled = (['handler', 'handler-timeout', 'item-invalid'] as const).map(
    (code) => byReason[code] ?? 0,
  );
  const pages = handled.reduce((sum, n) => sum + n, balance.done - (byReason.redirect ?? 0));
  if (state !== 'finished' || pages > 0 || first === undefined) return summary;
  const [code, verb] =
    first.verdict === 'refused'
      ? (['nothing-allowed', 'was refused'] as const)
      : (['no-such-host', 'failed'] as const);
  const others = unfetchedSeeds.length > 1 ? `, like ${plural(unfetchedSeeds.length - 1, 'other')}` : '';
  const detail = first.detail === undefined ? '' : ` (${first.detail})`;
  throw new WebfarerError(
    code,
    `No page was read: the seed ${first.url} ${verb}${others}: ${reasonSentence(first.code)}${detail}.`,
    { next: 'Once that is fixed, set fresh: true to try again.' },
  );
}

/** The run is wrapped: awaiting a run itself would wait for its end. */
async function open<Item>(options: CrawlOptions<Item>): Promise<{ run: CrawlRun }> {
  const {
    folder,
    hostLedger,
    inBrowser,
    items,
    onResponse,
    onItem,
    fresh,
    rescope,
    recrawl,
    credentials = {},
    onPage,
    onSkipped,
    onFailed,
    onRequest,
    normalise,
    signal,
    ...rest
  } = options;
  const written = withoutRegExps({ ...rest, ...(typeof normalise === 'object' ? { normalise } : {}) });
  const input = withRecordings(written, process.cwd());
  const resolved = resolveJob(input);
  const shown = [...resolved.fetch.credentials, ...programCredentials(credentials)];
  const job = { ...resolved, fetch: { ...resolved.fetch, credentials: shown } };
  const first = resolve(folder ?? `${options.name}.crawl`);
  const where = await chooseGeneration(localCrawls, {
    folder: first,
    fresh: fresh ?? false,
    recrawl: recrawl ?? false,
  });
  const { run, warnings } = await openLocal({
    job,
    input,
    ...where,
    ledger: hostLedger ?? hostLedgerPath(),
    userAgent: userAgentFor(job, version),
    ...(fresh === undefined ? {} : { fresh }),
    ...(rescope === undefined ? {} : { rescope }),
    hooks: {
      ...hooksOf({ inBrowser, onResponse, onPage, onItem, items }),
      ...(onSkipped ? { onSkipped } : {}),
      ...(onFailed ? { onFailed } : {}),
      ...(onRequest ? { onRequest } : {}),
      ...(typeof normalise === 'function' ? { normalise } : {}),
    },
  });
  for (const warning of warnings ?? []) process.emitWarning(warning, 'WebfarerWarning');
  if (signal?.aborted) void run.stop();
  signal?.addEventListener('abort', () => void run.stop(), { once: true });
  return { run };
}
