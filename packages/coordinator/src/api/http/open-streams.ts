import { type Clock, WebfarerError } from '@webfarer/protocol';

/** Answers that are still being written. */
export interface OpenStreams {
  /** Throws `busy` where there are as many as there may be, of this token or in all. */
  refuseMore(token: string): void;
  /** Counts one until the answer is called. `withdraw` is called once its token is no longer accepted. */
  enter(stream: OpenStream): () => void;
}

export interface OpenStream {
  /** The id of its token. */
  token: string;
  isAccepted: () => boolean;
  withdraw: () => void;
}

/** A token that is revoked reads nothing more after this time. */
const lookMs = 2_000;

/** `all`: how many a coordinator writes at once; `each`: how many of them for one token. */
export function trackStreams(clock: Clock, { all, each } = { all: 2_000, each: 1_000 }): OpenStreams {
  const open = new Set<OpenStream>();
  let isLooking = false;

  async function keepLooking(): Promise<void> {
    while (open.size > 0) {
      await clock.sleep(lookMs);
      for (const stream of open) if (!stream.isAccepted()) stream.withdraw();
    }
    isLooking = false;
  }

  return {
    refuseMore(token) {
      const own = open.size < each ? 0 : [...open].filter((stream) => stream.token === token).length;
      if (open.size < all && own < each) return;
      const who = own < each ? `the coordinator has ${open.size}` : `the token has ${own}`;
      throw new WebfarerError('busy', `${who} streams open`, {
        next: 'Close some, or follow several things on one WebSocket: /v1/stream.',
      });
    },
    enter(stream) {
      open.add(stream);
      if (!isLooking) {
        isLooking = true;
        void keepLooking();
      }
      return () => void open.delete(stream);
    },
  };
}
