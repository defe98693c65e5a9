import { systemClock, type WebfarerError } from '@webfarer/protocol';
import { openStreamClient, type StreamSocket, type StreamTopicInput } from '@webfarer/protocol/api';
import { type LiveDocuments, nothingYet, withFrame } from './live-documents.ts';

/** How the one connection to the coordinator stands. `sinceMs`: since when nothing new has come. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'live'; coordinator: string }
  | { state: 'stale'; sinceMs: number; reason: string };

export interface Feed {
  now(): LiveDocuments;
  /** Undefined: it is followed. */
  problem(): WebfarerError | undefined;
  subscribe(changed: () => void): () => void;
}

/** Everything that the screens follow, over one connection. A lost one is made again, behind the last token of each topic. */
export interface Live {
  /** The same one for the same topic. It is followed as long as somebody looks, and a little longer. */
  feed(topic: StreamTopicInput): Feed;
  connection(): Connection;
  onConnection(changed: () => void): () => void;
  close(): void;
}

/** Going back and forth between screens, and scrolling, asks for the same again. */
const lingerMs = 5_000;
/** Topics that linger at once: a coordinator takes so many subscriptions of a connection, and what is in sight comes first. */
const mostLingering = 16;

/** `refused` is called when the coordinator accepts the token or session no more. */
export function openLive(token: string | undefined, refused: () => void): Live {
  const clock = systemClock();
  const feeds = new Map<string, Feed>();
  const watchers = new Set<() => void>();
  /** Followed though nobody looks, the one that was left first in front. Called, it ends. */
  const lingering = new Set<() => void>();
  let connection: Connection = { state: 'connecting' };

  function tell(next: Connection): void {
    connection = next;
    for (const watcher of watchers) watcher();
  }

  const client = openStreamClient({
    urls: [location.origin],
    token,
    connect: (url) => new WebSocket(url) as StreamSocket,
    clock,
    random: Math.random,
    noticed(what) {
      if (what.kind === 'connected') return tell({ state: 'live', coordinator: what.coordinator });
      if (what.isRefused) refused();
      if (connection.state !== 'stale') tell({ state: 'stale', sinceMs: clock.now(), reason: what.reason });
    },
  });

  function open(topic: StreamTopicInput, ended: () => void): Feed {
    const looking = new Set<() => void>();
    let state = nothingYet;
    let problem: WebfarerError | undefined;
    let leaving: ReturnType<typeof setTimeout> | undefined;
    let subscription: { close(): void } | undefined;

    function changed(): void {
      for (const call of looking) call();
    }

    function follow(): void {
      subscription ??= client.subscribe({
        on: topic,
        after: undefined,
        handle(frame) {
          state = withFrame(state, frame);
          changed();
        },
        ended(error) {
          problem = error;
          changed();
        },
      });
    }

    function leave(): void {
      clearTimeout(leaving);
      lingering.delete(leave);
      subscription?.close();
      subscription = undefined;
      state = nothingYet;
      ended();
    }

    return {
      now: () => state,
      problem: () => problem,
      subscribe(call) {
        clearTimeout(leaving);
        lingering.delete(leave);
        looking.add(call);
        follow();
        return () => {
          looking.delete(call);
          if (looking.size > 0) return;
          leaving = setTimeout(leave, lingerMs);
          lingering.add(leave);
          if (lingering.size > mostLingering) lingering.values().next().value?.();
        };
      },
    };
  }

  return {
    feed(topic) {
      const key = JSON.stringify(topic);
      const known = feeds.get(key);
      if (known) return known;
      const made = open(topic, () => feeds.delete(key));
      feeds.set(key, made);
      return made;
    },
    connection: () => connection,
    onConnection(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    close: () => client.close(),
  };
}
