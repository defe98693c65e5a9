import type { Clock } from '@webfarer/protocol';
import { askOnce } from './ask-once.ts';
import type { CrawlHome } from './crawl-home.ts';

/** A crawl whose state, and whether it is still there, are asked once for all who follow it. */
export interface SharedLooks {
  /** The same crawl; its `close` also ends the sharing. */
  share(home: CrawlHome): CrawlHome;
}

interface Looks {
  users: number;
  state: () => ReturnType<CrawlHome['state']>;
  check: () => ReturnType<CrawlHome['check']>;
}

/** `freshMs`: an answer that is not older serves everyone who asks. */
export function createSharedLooks(clock: Clock, freshMs: number): SharedLooks {
  const crawls = new Map<string, Looks>();

  return {
    share(home) {
      const { nonce } = home;
      const looks = crawls.get(nonce) ?? {
        users: 0,
        state: askOnce(clock, freshMs, () => home.state()),
        check: askOnce(clock, freshMs, () => home.check()),
      };
      crawls.set(nonce, looks);
      looks.users++;
      let isOpen = true;
      return {
        ...home,
        state: looks.state,
        check: looks.check,
        async close() {
          if (isOpen && --looks.users === 0 && crawls.get(nonce) === looks) crawls.delete(nonce);
          isOpen = false;
          await home.close();
        },
      };
    },
  };
}
