import type { TopicFrame } from '@webfarer/protocol/api';

/** What a subscription shows: documents by key, as of the last frame. Frames make a new map; unchanged values stay the same. */
export interface LiveDocuments {
  documents: ReadonlyMap<string, unknown>;
  /** The snapshot is complete. */
  isWhole: boolean;
  /** Latest last, at most `mostEvents`. */
  events: readonly LiveEvent[];
}

export type LiveEvent = Record<string, unknown>;

const mostEvents = 300;
export const nothingYet: LiveDocuments = { documents: new Map(), isWhole: false, events: [] };

/** The state after a frame. A snapshot replaces what was there, a delta changes it. */
export function withFrame(before: LiveDocuments, frame: TopicFrame): LiveDocuments {
  switch (frame.type) {
    case 'snapshot': {
      // The pieces after the first belong to the same snapshot.
      const kept = before.isWhole ? [] : before.documents;
      const documents = new Map([...kept, ...Object.entries(frame.set)]);
      return { ...before, documents, isWhole: !frame.more };
    }
    case 'delta': {
      const documents = new Map(before.documents);
      for (const key of frame.removed) documents.delete(key);
      for (const [key, value] of Object.entries(frame.set)) documents.set(key, value);
      return { ...before, documents };
    }
    case 'events':
      return { ...before, isWhole: true, events: [...before.events, ...frame.events].slice(-mostEvents) };
    case 'resumed':
    case 'bookmark':
      return before.isWhole ? before : { ...before, isWhole: true };
    case 'entries':
      return before;
  }
}
