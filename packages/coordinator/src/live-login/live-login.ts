import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@webfarer/protocol';
import type { LiveBrowser, LiveLoginEndKind } from '@webfarer/protocol/api';

/** What a person logs in to. */
export interface LoginWish {
  url: string;
  /** The domain that the account is for. */
  site: string;
  as: string;
  /** What a page shows once the person is logged in; absent: they say so. */
  selector?: string | undefined;
  text?: string | undefined;
}

/** A browser that was opened for it. */
export interface StartedLogin {
  browser: LiveBrowser;
  /** Resolves when a page shows what was wished for; never where nothing was. */
  seen: Promise<void>;
  /** Keeps what the browser has of the site, as an account of this machine. */
  keep(): Promise<{ kept: string } | { missing: string }>;
}

export type StartLogin = (wish: LoginWish) => Promise<StartedLogin>;

/** A login that a person does from elsewhere, in a browser of this machine. */
export interface LiveLogin {
  readonly id: string;
  readonly wish: LoginWish;
  readonly endsAtMs: number;
  /** A person has opened the view. */
  readonly isViewed: boolean;
  /** Undefined: it goes on. */
  readonly end: LiveLoginEnd | undefined;
  readonly ended: Promise<LiveLoginEnd>;
  readonly browser: LiveBrowser;
  /** Opens the view, once. Those given out before are void. */
  newTicket(): string;
  /** Uses it up. */
  admits(ticket: string): boolean;
  /** The person is logged in. Answers what is missing; undefined: the account was kept and the login is over. */
  done(): Promise<string | undefined>;
  cancel(): Promise<void>;
}

export interface LiveLoginEnd {
  how: LiveLoginEndKind;
  text: string;
}

/** Long enough for a mail with a code, short enough for a view that was forgotten. */
export const LIVE_LOGIN_MS = 15 * 60_000;

export async function openLiveLogin(
  wish: LoginWish,
  { start, clock, lastsMs = LIVE_LOGIN_MS }: { start: StartLogin; clock: Clock; lastsMs?: number },
): Promise<LiveLogin> {
  const { browser, seen, keep } = await start(wish);
  const endsAtMs = clock.now() + lastsMs;
  const ended = Promise.withResolvers<LiveLoginEnd>();
  const over = new AbortController();
  let end: LiveLoginEnd | undefined;
  let keeping: Promise<string | undefined> | undefined;
  let ticket: Buffer | undefined;
  let isViewed = false;

  async function finish(how: LiveLoginEndKind, text: string): Promise<void> {
    if (end) return;
    end = { how, text };
    ticket = undefined;
    over.abort();
    await browser.close();
    ended.resolve(end);
  }

  async function keepNow(): Promise<string | undefined> {
    const answer = await keep();
    if ('missing' in answer) return answer.missing;
    await finish('kept', answer.kept);
    return undefined;
  }

  function keepOnce(): Promise<string | undefined> {
    if (end) return Promise.resolve(undefined);
    keeping ??= keepNow().finally(() => (keeping = undefined));
    return keeping;
  }

  clock.sleep(lastsMs, over.signal).then(
    () => finish('expired', `The time for it was over after ${Math.round(lastsMs / 60_000)} minutes.`),
    () => undefined,
  );
  void browser.gone.then(() => finish('failed', 'The browser has ended.'));
  seen.then(keepOnce).catch((error: unknown) => finish('failed', (error as Error).message));

  return {
    id: randomBytes(9).toString('base64url'),
    wish,
    endsAtMs,
    get isViewed() {
      return isViewed;
    },
    get end() {
      return end;
    },
    ended: ended.promise,
    browser,
    newTicket() {
      const made = randomBytes(32).toString('base64url');
      if (!end) ticket = digestOf(made);
      return made;
    },
    admits(shown) {
      if (!ticket || !timingSafeEqual(ticket, digestOf(shown))) return false;
      ticket = undefined;
      isViewed = true;
      return true;
    },
    done: keepOnce,
    cancel: () => finish('cancelled', 'Nothing was kept.'),
  };
}

function digestOf(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}
