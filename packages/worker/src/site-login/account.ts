import type { LoginRule, SiteCredentials } from '@webfarer/protocol/job';
import type { FileCookie } from '../fetch/cookies-txt.ts';

/** What lets a crawl read pages as one account of one site. */
export interface Account {
  cookies: FileCookie[];
  /** What scripts of the site keep in a browser. */
  storage: OriginStorage[];
  /** What requests carry, or a login form is sent. */
  credentials: SiteCredentials[];
}

export interface OriginStorage {
  origin: string;
  localStorage: { name: string; value: string }[];
}

export interface StoredAccount {
  /** Another one after each login of a person. */
  revision: string;
  account: Account;
  /** The cookies as a crawl left them, where it has gone on since that login. */
  session?: string;
}

/** Where the account of one rule is kept: outside of every crawl, on this machine. */
export interface AccountSource {
  /** Undefined: there is none. */
  revision(): Promise<string | undefined>;
  read(): Promise<StoredAccount | undefined>;
  /** Keeps the cookies of a crawl for the next one, unless a person has logged in anew. */
  keepSession(revision: string, jar: string): Promise<void>;
}

export type Accounts = (rule: LoginRule) => AccountSource;
