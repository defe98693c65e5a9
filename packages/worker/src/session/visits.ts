import type { Entry, FailedReason, HostKey, Url } from '@webfarer/protocol';
import { renditionUri } from '@webfarer/protocol/crawl';
import { hostOf, isLogOut, normaliser } from '@webfarer/protocol/url';
import type { LoadedFiles } from '../browser/loaded-files.ts';
import type { PageAct, Renderer, RenderSession } from '../browser/rendering.ts';
import type { ReadyStep } from '../browser/steps/step.ts';
import { createTurnstile, type Turnstile } from '../turnstile/turnstile.ts';
import type { BrowserAnswer, BrowserRequest } from '../egress/browser-proxy.ts';
import type {
  Exchange,
  FetchAnswer,
  FetchedPage,
  FetchRequest,
  LeftOut,
  PictureKind,
  PictureReader,
} from '../fetch/fetch.ts';
import { browserError } from '../page/error-place.ts';
import { headersFor, mimeOf } from '../page/request.ts';
import type { BrowserPage } from '../scrape/in-browser.ts';
import { browserState } from '../site-login/browser-state.ts';
import { keepCookies } from './kept-cookies.ts';
import type { Permits } from './permits.ts';
import { type HostSession, ownLease, turnUnder } from './session.ts';
import { loadElsewhere } from './side-host.ts';
import { type TypedSecrets, typedSecrets } from './typed-secrets.ts';

/** Shows pages of one host in a browser. */
export interface Visits {
  /** The page with what it loaded, as it stood when it had come to rest. */
  show(page: FetchedPage, acts: PageActs): Promise<ShownPage>;
  close(): Promise<void>;
}

/** What is done on a page before it is read. */
export interface PageActs {
  steps: readonly ReadyStep[];
  /** Own code that runs after them. */
  handler: ((browser: BrowserPage, signal: AbortSignal) => void | Promise<void>) | undefined;
}

export type ShownPage =
  | { ok: true; page: FetchedPage }
  | {
      ok: false;
      reason: Extract<FailedReason, 'render-timeout' | 'render-crash' | 'step-failed'>;
      detail: string;
    };

export interface VisitOptions {
  session: HostSession;
  permits: Permits;
  renderer: Renderer;
  /** What pages of the crawl have loaded before. */
  files: LoadedFiles;
}

/** What one page may load. */
const most = { requests: 500, bytes: 33_554_432, leftOut: 100 };
/** As many as a browser opens to one host. */
const ownConnections = 6;
/** A page has come to rest when it has asked for nothing for so long. */
const quietMs = 500;
/** By which what other hosts serve must be there. */
const elsewhereMs = 10_000;

/** As the page wrote it: what scripts ask for is nobody else's to tidy up. */
const exactly = normaliser({ enabled: false, sort: false, strip: [] });

/** One page on show. */
interface Visit {
  untilMs: number;
  signal: AbortSignal;
  requests: number;
  bytes: number;
  exchanges: Exchange[];
  leftOut: LeftOut[];
  secrets: TypedSecrets;
}

/**
 * The page and what it loads from its own host are one visit, and the gap follows its last request. Everything else a page
 * asks for is asked for under the rules of the host that has it.
 */
export function createVisits({ session: own, permits, renderer, files }: VisitOptions): Visits {
  const { context, parts, held } = own;
  const { clock } = parts;
  const { screenshots, pdf } = context.job;
  const pictures: PictureKind[] = pdf ? [...screenshots, 'pdf'] : screenshots;
  const atHome = createTurnstile(ownConnections);
  const elsewhere = new Map<HostKey, Turnstile>();
  let visit: Visit | undefined;
  let rendering: RenderSession | undefined;
  if (context.job.render === 'always') renderer.warm();

  async function load(asked: BrowserRequest): Promise<BrowserAnswer | undefined> {
    const mine = visit;
    if (!mine) return undefined;
    try {
      return await answer(mine, asked);
    } catch (error) {
      return leaveOut(mine, asked.url, (error as Error).message);
    }
  }

  async function answer(mine: Visit, asked: BrowserRequest): Promise<BrowserAnswer | undefined> {
    const url = exactly(asked.url);
    if (url === undefined) return leaveOut(mine, asked.url, 'no http URL');
    if (!isMethod(asked.method)) return leaveOut(mine, url, `method ${asked.method}`);
    const known = asked.method === 'GET' ? files.find(url, clock.now()) : undefined;
    if (known) return known;
    if (mine.requests >= most.requests || mine.bytes >= most.bytes)
      return leaveOut(mine, url, 'the page loads more than allowed');
    mine.requests += 1;
    const login = context.logins?.of(hostOf(url));
    if (login && isLogOut(url)) return leaveOut(mine, url, `it would log ${login.rule.as} out`);
    const got =
      hostOf(url) === held.lease.host ? await askHome(mine, url, asked) : await askOther(mine, url, asked);
    if (typeof got === 'string') return leaveOut(mine, url, got);
    if (!got.ok) return leaveOut(mine, url, `${got.reason}: ${got.detail}`);
    const exchange = copyOf(got);
    mine.bytes += exchange.body.length;
    if (exchange.truncated !== undefined)
      leaveOut(mine, url, whyCut(exchange, context.job.fetch.maxBodyBytes));
    const shown = answerOf(exchange);
    // The page gets its answer. What was typed may be in it, or in what it asked for, in any form.
    if (mine.secrets.any) return shown;
    mine.exchanges.push(exchange);
    if (asked.method === 'GET') files.keep(url, shown, clock.now());
    return shown;
  }

  function askHome(mine: Visit, url: Url, asked: BrowserRequest): Promise<FetchAnswer | string> {
    return atHome.run(async () => {
      const permit = await permits.ask(url);
      if (permit.kind !== 'yes')
        return permit.kind === 'no' ? 'robots.txt' : 'robots.txt could not be read yet';
      const turn = turnUnder(ownLease(held, own.asked), own);
      const got = await own.session.fetch({ ...requestOf(mine, url, asked), turn });
      if (got.ok) keepCookies({ context, held }, url, got);
      return got;
    });
  }

  function askOther(mine: Visit, url: Url, asked: BrowserRequest): Promise<FetchAnswer | string> {
    const host = hostOf(url);
    const slots = elsewhere.get(host) ?? createTurnstile(1);
    elsewhere.set(host, slots);
    const untilMs = Math.min(mine.untilMs, clock.now() + elsewhereMs);
    return slots.run(() => loadElsewhere({ url, untilMs, request: requestOf(mine, url, asked) }, own));
  }

  function requestOf(mine: Visit, url: Url, asked: BrowserRequest): FetchRequest {
    const { fetch } = context.job;
    const proxy = context.proxyFor(url);
    return {
      url,
      method: asked.method as FetchRequest['method'],
      headers: withCookies(headersFor(context, url, asked.headers.filter(isPassed)), asked.headers, {
        // What the browser has of an account may be older than what the last answer has set.
        ownFirst: context.logins?.of(hostOf(url)) === undefined,
      }),
      ...(asked.body.length === 0 ? {} : { content: asked.body }),
      timeoutMs: Math.max(1, Math.min(fetch.timeoutMs, mine.untilMs - clock.now())),
      maxBytes: Math.min(fetch.maxBodyBytes, most.bytes - mine.bytes),
      maxDecodedBytes: fetch.maxDecodedBytes,
      allowPrivate: fetch.allowPrivate,
      ports: fetch.ports,
      ...(proxy === undefined ? {} : { proxy }),
      signal: AbortSignal.any([mine.signal, asked.signal]),
    };
  }

  return {
    async show(page, { steps, handler }) {
      const { timeoutMs } = context.job.fetch;
      const mine: Visit = {
        untilMs: clock.now() + timeoutMs,
        signal: parts.drop,
        requests: 0,
        bytes: 0,
        exchanges: [],
        leftOut: [],
        secrets: typedSecrets(steps),
      };
      visit = mine;
      rendering ??= renderer.open({
        userAgent: context.userAgent,
        state: browserState(context.logins?.of(held.lease.host)),
        load,
        refused: (url, what) => visit && leaveOut(visit, url, what),
      });
      const main = answerOf(page);
      const { url } = page;
      const startedAtMs = clock.now();
      const begins = (): void => void (mine.untilMs = clock.now() + timeoutMs);
      const bounds = { timeoutMs, quietMs, signal: parts.drop };
      // A picture would show what was typed.
      const safe = mine.secrets.any ? [] : pictures;
      const shown = await rendering.render({
        url,
        main,
        steps,
        act: handler && guarded(handler),
        pictures: safe,
        ...bounds,
        begins,
      });
      visit = undefined;
      const { isIn, without } = mine.secrets;
      if (!shown.ok) return { ...shown, detail: without(shown.detail) };
      const { movedTo, restless } = shown;
      if (movedTo !== undefined && isIn(movedTo))
        return { ok: false, reason: 'step-failed', detail: inAddress };
      const html = without(shown.html);
      const alone = without(shown.own);
      const errors = shown.errors.map(without);
      const durationMs = clock.now() - startedAtMs;
      const missing = shown.missing.map(({ kind, why }) => ({ url: renditionUri(kind, url), why }));
      const leftOut = [...missing, ...mine.leftOut];
      const { pictures: made } = shown;
      const picture: PictureReader = async (wanted) => made.find(({ kind }) => kind === wanted)?.bytes;
      const rendered = {
        html,
        own: alone,
        movedTo,
        restless,
        errors,
        durationMs,
        leftOut,
        pictures: made,
        picture,
      };
      return { ok: true, page: { ...page, others: mine.exchanges, rendered } };
    },
    async close() {
      await rendering?.close();
    },
  };
}

/** Own code whose errors are told in one line. */
function guarded(handler: NonNullable<PageActs['handler']>): PageAct {
  return async (page, signal) => {
    try {
      await handler(page, signal);
      return undefined;
    } catch (error) {
      return browserError(error);
    }
  };
}

const inAddress = 'the page that the steps led to has what was typed from the environment in its address';

function leaveOut({ leftOut, secrets }: Visit, url: string, why: string): undefined {
  if (leftOut.length < most.leftOut) leftOut.push({ url: secrets.without(url), why: secrets.without(why) });
}

function whyCut({ truncated, body }: Exchange, maxBodyBytes: number): string {
  if (truncated !== 'length') return `cut after ${body.length} bytes: ${truncated ?? ''}`;
  const why = body.length >= maxBodyBytes ? 'fetch.maxBody' : 'the page loads more than allowed';
  return `cut after ${body.length} bytes: ${why}`;
}

/** Whether a browser can make more of it. */
export function isShown({ kind, request }: Entry, page: FetchedPage): boolean {
  const html = /^(?:text\/html|application\/xhtml\+xml)$/.test(mimeOf(page));
  return (
    kind === 'page' && html && !page.unread && page.truncated === undefined && request?.body === undefined
  );
}

/** Others change something at the site, which a crawler has no business to do. */
function isMethod(method: string): method is FetchRequest['method'] {
  return method === 'GET' || method === 'HEAD' || method === 'POST' || method === 'OPTIONS';
}

/** What a browser says of itself is left out: the crawler is no browser, and says who it is. */
function isPassed([name]: [string, string]): boolean {
  return !/^(?:user-agent|cookie|accept-encoding|sec-ch-.*)$/i.test(name);
}

/** Those that scripts of the page have set are only in the browser. */
function withCookies(
  headers: [string, string][],
  sent: [string, string][],
  { ownFirst }: { ownFirst: boolean },
): [string, string][] {
  const own = pairsIn(sent);
  if (own.size === 0) return headers;
  const kept = pairsIn(headers);
  const all = ownFirst ? new Map([...kept, ...own]) : new Map([...own, ...kept]);
  const cookie = [...all].map(([name, value]) => `${name}=${value}`).join('; ');
  return [...headers.filter(([name]) => name.toLowerCase() !== 'cookie'), ['Cookie', cookie]];
}

function pairsIn(headers: [string, string][]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const [name, value] of headers) {
    if (name.toLowerCase() !== 'cookie') continue;
    for (const pair of value.split(/;\s*/)) {
      const at = pair.indexOf('=');
      if (at > 0) pairs.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
  return pairs;
}

/** The memory that requests share is not held for as long as a page is shown. */
function copyOf({
  ok: _ok,
  others: _others,
  release,
  rendered: _rendered,
  ...exchange
}: FetchedPage): Exchange {
  const copy = { ...exchange, body: Buffer.from(exchange.body) };
  release();
  return copy;
}

function answerOf({ status, statusText, headers, body, truncated }: Exchange): BrowserAnswer {
  return { status, statusText, headers, body, cut: truncated !== undefined };
}
