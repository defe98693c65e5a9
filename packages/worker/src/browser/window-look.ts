import type { FileCookie } from '../fetch/cookies-txt.ts';

/** A window in which a person logs in. It is the person's own browser: it asks the site by itself, as any browser does. */
export interface LoginWindow {
  /** Undefined: the person has closed it. */
  look(): Promise<WindowLook | undefined>;
  close(): Promise<void>;
}

export interface WindowLook {
  cookies: FileCookie[];
  storage: { origin: string; localStorage: { name: string; value: string }[] }[];
  /** The pages that are open. */
  sources: string[];
}
