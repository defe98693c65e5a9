import type { ApiScope, Route, RouteInput, RouteOutput } from '@webfarer/protocol/api';

/** Who sent a request, by its token or session. */
export interface Principal {
  /** Of the token, or the user that has logged in, as lists and the audit log show it. */
  id: string;
  /** Of a user that has logged in; empty where the OpenID provider does not say. */
  name?: string;
  scope: ApiScope;
  /** Whose crawls and documents it may see. */
  team: string;
  /** The id of the session, where it is not a token. */
  session?: string;
}

/** A request that was let through: the token is good for it, and all values fit their schemas. */
export interface Call<R extends Route> extends RouteInput<R> {
  /** Undefined on public routes. */
  principal: R['scope'] extends 'public' ? undefined : Principal;
  idempotencyKey: string | undefined;
  /** A request header, for the few routes that need one, such as Range. */
  header(name: string): string | undefined;
  /** Sets a header of the answer, beside those that it has anyway; a cookie is added to others. */
  setHeader(name: string, value: string): void;
  /** Aborted when the client is gone. A stream that waits must listen to it. */
  signal: AbortSignal;
}

export type Handler<R extends Route> = (call: Call<R>) => Promise<RouteOutput<R>> | RouteOutput<R>;

/** One handler for every route of a table: a missing one does not compile. */
export type HandlersOf<Table extends Record<string, Route>> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>;
};
