/**
 * Keeps the token of this tab, and hands it to new tabs of the same origin. It stays in the memory of open tabs and in
 * their session storage, which ends with the tab and which no other origin can read, not even another port of the host.
 */
export interface TokenKeeper {
  /** Undefined: no tab has one. */
  find(): Promise<string | undefined>;
  keep(token: string): void;
  /** Whether this browser may have the session of an OpenID provider: only then is one asked for. */
  mayHaveSession(): boolean;
  expectSession(): void;
  /** In all tabs. */
  forget(): void;
  /** In this tab: the others notice by themselves that the coordinator accepts it no more. */
  forgetHere(): void;
  /** Another tab has logged out. */
  onForgotten(call: () => void): void;
}

export interface KeeperParts {
  /** Of this tab. */
  storage: Storage;
  /** Of this browser: never holds a token. */
  lasting: Storage;
  channel: BroadcastChannel;
  /** How long other tabs may take to answer. */
  answerMs: number;
}

type Message = { kind: 'ask' } | { kind: 'give'; token: string } | { kind: 'forget' };

const key = 'webfarer.token';
const sessionKey = 'webfarer.session';

export function createTokenKeeper({ storage, lasting, channel, answerMs }: KeeperParts): TokenKeeper {
  const forgotten: (() => void)[] = [];
  let asked: ((token: string) => void) | undefined;

  function say(message: Message): void {
    channel.postMessage(message);
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const own = storage.getItem(key);
    if (data.kind === 'ask' && own !== null) say({ kind: 'give', token: own });
    if (data.kind === 'give') asked?.(data.token);
    if (data.kind !== 'forget') return;
    storage.removeItem(key);
    for (const call of forgotten) call();
  });

  function forgetHere(): void {
    storage.removeItem(key);
    lasting.removeItem(sessionKey);
  }

  return {
    async find() {
      const own = storage.getItem(key);
      if (own !== null) return own;
      const given = await new Promise<string | undefined>((resolve) => {
        asked = resolve;
        say({ kind: 'ask' });
        setTimeout(() => resolve(undefined), answerMs);
      });
      asked = undefined;
      if (given !== undefined) storage.setItem(key, given);
      return given;
    },
    keep: (token) => storage.setItem(key, token),
    mayHaveSession: () => lasting.getItem(sessionKey) !== null,
    expectSession: () => lasting.setItem(sessionKey, 'yes'),
    forgetHere,
    forget() {
      forgetHere();
      say({ kind: 'forget' });
    },
    onForgotten: (call) => void forgotten.push(call),
  };
}
