/** What one connection may take of a coordinator. More is not refused but not read either, until there is room. */
export interface LinkLimits {
  /** Connections in all; more are turned away. */
  workers: number;
  /** For the first frame. */
  helloMs: number;
  /** Between two signs of life from here; a worker that gives none for three of them is gone. */
  heartbeatMs: number;
  /** Of a frame, as text. */
  frameBytes: number;
  /** Requests of one worker being worked on. */
  inFlight: number;
  /** Bytes of the requests of one worker being worked on. */
  inFlightBytes: number;
  /** Frames a worker may send in a second for long, and at once after a pause. */
  framesPerSecond: number;
  burst: number;
  /** Bytes that wait for a worker that does not read; beyond them nothing more is read from it. */
  unreadBytes: number;
  /** One that has not read them for so long is gone. */
  unreadMs: number;
  /** Frames that were not understood before the connection is closed. */
  strikes: number;
}

export const linkLimits: LinkLimits = {
  workers: 5_000,
  helloMs: 10_000,
  heartbeatMs: 2_000,
  frameBytes: 16 * 1_048_576,
  inFlight: 32,
  inFlightBytes: 32 * 1_048_576,
  framesPerSecond: 500,
  burst: 2_000,
  unreadBytes: 4 * 1_048_576,
  unreadMs: 20_000,
  strikes: 5,
};
