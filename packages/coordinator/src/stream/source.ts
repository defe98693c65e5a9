import type { TopicFrame } from '@webfarer/protocol/api';
import type { PageGate } from './page-gate.ts';

type WithoutId<Frame> = Frame extends { id: number } ? Omit<Frame, 'id'> : never;

/** What one subscription is told, before it is known which one that is. */
export type SourceFrame = WithoutId<TopicFrame>;

/**
 * What a subscription reads from. Frames are pulled: nothing is read, compared or encoded before there is room for it, so
 * a slow reader of results is simply read for more slowly, and one of a state is shown fewer states in between.
 */
export type Source = AsyncGenerator<SourceFrame, void, void>;

export interface SourceOptions {
  /** The token to continue behind. */
  after: string | undefined;
  signal: AbortSignal;
  /** A subscription without news is told so this often, with the newest token. */
  heartbeatMs: number;
  /** The only team whose documents a list shows; undefined: those of all teams. */
  team: string | undefined;
  /** Through which it reads results from the store. */
  gate: PageGate;
}
