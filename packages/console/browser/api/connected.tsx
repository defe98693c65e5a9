import type { StreamTopicInput } from '@webfarer/protocol/api';
import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from 'react';
import type { KeptValues } from '../history/kept-values.ts';
import type { Client } from './client.ts';
import type { Connection, Feed, Live } from './live.ts';
import { type LiveDocuments, nothingYet } from './live-documents.ts';
import type { RateBook } from './rate-book.ts';

/** Who is logged in, and the two ways to the coordinator: requests and the stream. */
export interface Connected {
  client: Client;
  live: Live;
  rates: RateBook;
  /** Lists as one left them, by the screen and what it was asked; each screen knows the type of its own. */
  lists: KeptValues<unknown>;
  /** `name` and `session`: of a person who logged in with the OpenID provider. */
  who: {
    id: string;
    scope: string;
    team: string;
    name?: string | undefined;
    session?: string | undefined;
  };
  logOut(): void;
}

const Context = createContext<Connected | undefined>(undefined);
export const ConnectedProvider = Context.Provider;

export function useConnected(): Connected {
  const connected = useContext(Context);
  if (!connected) throw new Error('nobody is logged in');
  return connected;
}

const noFeed: Feed = {
  now: () => nothingYet,
  problem: () => undefined,
  subscribe: () => () => undefined,
};

/** What the stream tells of a topic; of undefined nothing. */
export function useLive(
  topic: StreamTopicInput | undefined,
): LiveDocuments & { problem: string | undefined } {
  const { live } = useConnected();
  const key = topic && JSON.stringify(topic);
  // The topic by its content: callers write a new object at every render.
  const feed = useMemo(
    () => (key === undefined ? noFeed : live.feed(JSON.parse(key) as StreamTopicInput)),
    [live, key],
  );
  const subscribe = useCallback((changed: () => void) => feed.subscribe(changed), [feed]);
  const state = useSyncExternalStore(subscribe, feed.now);
  return { ...state, problem: useSyncExternalStore(subscribe, feed.problem)?.message };
}

export function useConnection(): Connection {
  const { live } = useConnected();
  return useSyncExternalStore(live.onConnection, live.connection);
}

/** What may be done: a viewer only looks. */
export function useMayOperate(): boolean {
  return useConnected().who.scope !== 'viewer';
}
