import type { StreamedEntry } from '@webfarer/protocol/api';
import type { ResultEntry, ResultsCursor } from '../results/results.ts';
import type { SourceFrame } from './source.ts';

/** An entry without what only this process needs. */
export function streamed(entry: ResultEntry): StreamedEntry {
  const { group, place, url } = entry;
  const at = { group, position: `${group}-${place.major}-${place.minor}`, url };
  switch (entry.kind) {
    case 'record':
      return { kind: 'record', ...at, record: { ...entry.record } };
    case 'item':
      return { kind: 'item', ...at, item: entry.item };
    case 'links':
      return { kind: 'links', ...at, edges: entry.links.edges.map((edge) => ({ ...edge })) };
  }
}

/** The entries of a page as a frame. */
export type EntryFrame = (page: { entries: readonly ResultEntry[]; cursor: ResultsCursor }) => SourceFrame;

/** The same frame for everyone who has read the same page from the tail, so that it is encoded once. */
export function createEntryFrames(): EntryFrame {
  const frames = new WeakMap<readonly ResultEntry[], SourceFrame>();
  return ({ entries, cursor: token }) => {
    const known = frames.get(entries);
    if (known?.token === token) return known;
    const frame: SourceFrame = { type: 'entries', entries: entries.map(streamed), token };
    frames.set(entries, frame);
    return frame;
  };
}
