import { type Clock, WebfarerError } from '@webfarer/protocol';
import { type LiveLogin, type LoginWish, openLiveLogin, type StartLogin } from './live-login.ts';

/** The live logins of a coordinator. */
export interface LiveLogins {
  /** Throws where this machine has no accounts, or too many are open. One of the same account is cancelled. */
  open(wish: LoginWish): Promise<LiveLogin>;
  /** Also those that ended lately, the latest last. */
  all(): readonly LiveLogin[];
  stop(): Promise<void>;
}

/** Each is a browser. */
const MOST_OPEN = 4;
const MOST_KEPT = 50;

/** `start`: absent where no worker of this process could use an account. */
export function createLiveLogins({
  start,
  clock,
}: {
  start: StartLogin | undefined;
  clock: Clock;
}): LiveLogins {
  let logins: LiveLogin[] = [];
  let starting = 0;
  let isStopped = false;
  const open = () => logins.filter(({ end }) => !end);

  return {
    all: () => logins,
    async open(wish) {
      if (!start || isStopped) throw noAccounts();
      const same = open().filter((one) => one.wish.site === wish.site && one.wish.as === wish.as);
      for (const one of same) await one.cancel();
      if (open().length + starting >= MOST_OPEN)
        throw new WebfarerError('busy', `${MOST_OPEN} logins are open`, {
          next: 'Finish or cancel one: GET /v1/site-logins lists them.',
        });
      starting += 1;
      try {
        const login = await openLiveLogin(wish, { start, clock });
        logins = [...logins, login].slice(-MOST_KEPT);
        if (isStopped) await login.cancel();
        return login;
      } finally {
        starting -= 1;
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all(open().map((login) => login.cancel()));
    },
  };
}

function noAccounts(): WebfarerError {
  return new WebfarerError(
    'conflict',
    'this coordinator fetches nothing itself, so it has no use for accounts',
    {
      next: 'Start it with --with-worker, or run webfarer login URL --as NAME --view on the machine that crawls.',
    },
  );
}
