/** What one client of the stream may take of a coordinator. */
export interface StreamLimits {
  /**
   * Sockets in all. Beyond them a client is turned away, unless another token has more sockets than its own: that one
   * loses its latest.
   */
  sockets: number;
  /** Sockets that have shown no token yet; beyond them the oldest is closed. */
  unknownSockets: number;
  /** For the first frame with the token. */
  helloMs: number;
  /** Subscriptions on one socket: a large screen full of crawls that run follows each of them. */
  subscriptions: number;
  /** Bytes that wait for a client that does not read. Beyond them nothing more is read for it. */
  unreadBytes: number;
  /** Pages of results that were read for its subscriptions and wait until those bytes are taken. */
  unreadPages: number;
  /** A subscription without news is told so this often; a client that gives no sign of life for longer is gone. */
  heartbeatMs: number;
  idleMs: number;
  /** Frames a client may send in a second for long, and at once after a pause. */
  framesPerSecond: number;
  burst: number;
  /** Frames that were not understood before the socket is closed. */
  strikes: number;
}

export const streamLimits: StreamLimits = {
  sockets: 2_000,
  unknownSockets: 200,
  helloMs: 10_000,
  subscriptions: 256,
  unreadBytes: 1_048_576,
  unreadPages: 2,
  heartbeatMs: 15_000,
  idleMs: 60_000,
  framesPerSecond: 100,
  burst: 500,
  strikes: 5,
};
