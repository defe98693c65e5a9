import type { Clock, HostKey, Url } from '@webfarer/protocol';
import type { LoginLoss, LoginUse } from '@webfarer/protocol/crawl';
import { type LoginRule, loginCommand, type SiteCredentials } from '@webfarer/protocol/job';
import { hostOf } from '@webfarer/protocol/url';
import { type CookieJar, createCookieJar } from '../fetch/cookies.ts';
import type { AccountSource, OriginStorage, StoredAccount } from './account.ts';
import { createSign, type LoginSign } from './login-sign.ts';

/** One account of one site as a crawl uses it: in, or out until a form or a person brings it back. */
export interface SiteLogin {
  readonly rule: LoginRule;
  readonly sign: LoginSign;
  /** Requests to hosts of the site may be made. */
  readonly isIn: boolean;
  /** The next page may be read with it from then on; never, while one is read and it has a pace of its own. */
  readonly readyAtMs: number;
  /** Grows with each login: an answer to a request of an earlier one says nothing about this one. */
  readonly epoch: number;
  readonly cookies: CookieJar;
  readonly storage: readonly OriginStorage[];
  readonly credentials: readonly SiteCredentials[];
  /** A page is read with it, until the answer is called. */
  begin(): () => void;
  /** It is out, and it is time to look whether it is back. */
  isWorthALook(): boolean;
  /** A page of a host that was answered as to the account. */
  knownPage(host: HostKey): Url | undefined;
  /** This page was. */
  proven(page: Url): void;
  /** A page was answered as to a visitor. True: it is so with each login, and says nothing about this one. */
  isHopeless(page: Url): boolean;
  lose(loss: LoginLoss): void;
  /** How the crawl fares with it. */
  use(): Omit<LoginUse, 'crawl'>;
  /** What a person must know while it is out: what the crawl does about it, or what they can do. */
  trouble(): string;
  /** For how long its hosts rest before it is looked again whether it is back. */
  restMs(): number;
  /** Brings it back if that can be done now: by what a person has stored meanwhile, else by the form. */
  recover(logIn: FormLogin): Promise<boolean>;
  /** Keeps the cookies for the next crawl. */
  save(): Promise<void>;
}

/** Sends a name and password to the form of the site. */
export type FormLogin = (login: SiteLogin, form: FormAccess) => Promise<FormAnswer>;

export type FormAnswer =
  /** `at`: a page that shows it. */
  | { kind: 'in'; at?: Url }
  /** They were sent, and did not help. */
  | { kind: 'out'; why: string }
  /** They could not be sent yet. */
  | { kind: 'unsent'; why: string }
  /** Only a person can do it. */
  | { kind: 'unable'; why: string };

export interface FormAccess {
  at: string;
  user: string;
  password: string;
}

/** How often a name and password are tried before a person is asked. */
const MOST_TRIES = 2;
const REST_MS = { least: 2_000, most: 60_000 };
const PAGES_KEPT = 10_000;

export interface SiteLoginOptions {
  rule: LoginRule;
  source: AccountSource;
  /** Given with the job. */
  credentials: readonly SiteCredentials[];
  clock: Clock;
}

export async function openSiteLogin(options: SiteLoginOptions): Promise<SiteLogin> {
  const { rule, source, clock } = options;
  const sign = createSign(rule);
  let stored = await source.read();
  const findForm = (): FormAccess | undefined => formOf(rule, credentials());
  let cookies = jarOf(stored);
  let saved = cookies.version;
  let isIn = stored !== undefined || !findForm();
  let loss: LoginLoss = { why: isIn ? '' : 'not logged in yet', isChallenge: false };
  let sinceMs = clock.now();
  let usedAtMs: number | undefined;
  let pages = 0;
  let epoch = 0;
  let tries = 0;
  let isBusy = false;
  const known = new Map<HostKey, Url>();
  /** How many logins did not help a page. */
  const out = new Map<Url, { epoch: number; times: number }>();
  let isProven = false;
  /** The form could not be reached a moment ago. */
  let isHeldUp = false;
  let lookedAtMs = 0;
  const { gapMs = 0 } = rule;
  let readyAtMs = 0;

  function credentials(): readonly SiteCredentials[] {
    return [...(stored?.account.credentials ?? []), ...options.credentials];
  }

  const canTryForm = (): boolean => tries < MOST_TRIES && findForm() !== undefined;

  function begin(): void {
    isIn = true;
    sinceMs = clock.now();
    isProven = false;
    epoch += 1;
  }

  function noteProof(page: Url): void {
    isProven = true;
    known.set(hostOf(page), page);
  }

  async function takeStored(): Promise<boolean> {
    const revision = await source.revision();
    if (revision === undefined || revision === stored?.revision) return false;
    const next = await source.read();
    if (!next) return false;
    stored = next;
    cookies = jarOf(next);
    saved = cookies.version;
    tries = 0;
    begin();
    return true;
  }

  async function tryForm(self: SiteLogin, logIn: FormLogin): Promise<boolean> {
    while (tries < MOST_TRIES) {
      const form = findForm();
      if (!form) return false;
      tries += 1;
      const answer = await logIn(self, form);
      if (answer.kind === 'in') {
        begin();
        if (answer.at !== undefined) noteProof(answer.at);
        return true;
      }
      loss = { ...loss, why: answer.why };
      if (answer.kind === 'out') continue;
      if (answer.kind === 'unable') tries = MOST_TRIES;
      else {
        tries -= 1;
        isHeldUp = true;
      }
      return false;
    }
    return false;
  }

  const self: SiteLogin = {
    rule,
    sign,
    get isIn() {
      return isIn;
    },
    get readyAtMs() {
      return readyAtMs;
    },
    begin() {
      usedAtMs = clock.now();
      if (gapMs > 0) readyAtMs = Number.POSITIVE_INFINITY;
      return () => void (readyAtMs = gapMs > 0 ? clock.now() + gapMs : 0);
    },
    isWorthALook: () => !isIn && !isBusy && clock.now() >= lookedAtMs + self.restMs(),
    get epoch() {
      return epoch;
    },
    get cookies() {
      return cookies;
    },
    get storage() {
      return stored?.account.storage ?? [];
    },
    get credentials() {
      return credentials();
    },
    knownPage: (host) => known.get(host),
    proven(page) {
      pages += 1;
      out.delete(page);
      // A page that anyone may read says nothing about the account.
      if (!sign.covers(page)) return;
      tries = 0;
      noteProof(page);
    },
    isHopeless(page) {
      const before = out.get(page);
      const times = (before?.times ?? 0) + (before?.epoch === epoch ? 0 : 1);
      out.delete(page);
      out.set(page, { epoch, times });
      const [oldest] = out.keys();
      if (out.size > PAGES_KEPT && oldest !== undefined) out.delete(oldest);
      // A login that no page has proven may itself be bad.
      return times > (isProven ? 1 : 2);
    },
    lose(told) {
      if (!isIn) return;
      isIn = false;
      isHeldUp = false;
      lookedAtMs = clock.now();
      loss = told;
      sinceMs = clock.now();
    },
    trouble: () =>
      `${rule.as} is logged out of ${rule.site} (${loss.why}); ${canTryForm() ? 'logging in by the form' : adviceFor(rule)}`,
    use: () => ({
      site: rule.site,
      as: rule.as,
      isIn,
      sinceMs,
      ...(usedAtMs === undefined ? {} : { usedAtMs }),
      pages,
      ...(isIn ? {} : { out: loss }),
    }),
    restMs() {
      if (!isBusy && !isHeldUp && canTryForm()) return 0;
      return Math.min(Math.max(REST_MS.least, (clock.now() - sinceMs) / 8), REST_MS.most);
    },
    async recover(logIn) {
      if (isIn) return true;
      if (isBusy) return false;
      isBusy = true;
      lookedAtMs = clock.now();
      try {
        return (await takeStored()) || (await tryForm(self, logIn));
      } finally {
        isBusy = false;
      }
    },
    async save() {
      const { version } = cookies;
      if (!stored || version === saved) return;
      await source.keepSession(stored.revision, cookies.save());
      saved = version;
    },
  };
  return self;
}

/** The form of the site, with the name and password that were given for its origin. */
function formOf({ form }: LoginRule, credentials: readonly SiteCredentials[]): FormAccess | undefined {
  if (form === undefined) return undefined;
  const origin = /^[a-z]+:\/\/[^/?#]*/i.exec(form)?.[0].toLowerCase();
  for (const one of credentials)
    if ('form' in one && one.form && one.origin === origin)
      return { at: form, user: one.user, password: one.password };
  return undefined;
}

const adviceFor = (rule: LoginRule): string =>
  `run: ${loginCommand(rule)} (without a desktop: add --view, or --at COORDINATOR)`;

function jarOf(stored: StoredAccount | undefined): CookieJar {
  try {
    if (stored?.session !== undefined) return createCookieJar(stored.session);
  } catch {
    // What cannot be read is worth no crawl: it begins with what the person stored.
  }
  const jar = createCookieJar();
  jar.load(stored?.account.cookies ?? []);
  return jar;
}
