import type { DatedClock } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
import { openTokens, type TokenFiles, watchTokens } from './folder-tokens.ts';
import type { TokenDocuments } from './token-documents.ts';

export interface ServedTokensOptions {
  /** The data folder. */
  folder: string;
  /** Of the coordinator. */
  id: string;
  events: EventBus;
  clock: DatedClock;
  /** Files with tokens in place of those that the folder would make; they are followed. */
  tokenFiles?: TokenFiles;
}

/** The tokens of a coordinator, from now until what it answers is called. */
export async function serveTokens(
  documents: TokenDocuments,
  { folder, id, events, clock, tokenFiles: given = {} }: ServedTokensOptions,
): Promise<() => Promise<void>> {
  const about = { note: `coordinator ${id}`, given };
  const inUse = await openTokens(folder, documents, { ...about, nowMs: clock.wall() });
  return watchTokens(folder, documents, {
    ...about,
    inUse,
    clock,
    changed: (file) => events.publish({ type: 'token-changed', file }),
    refused: ({ message }) => events.publish({ type: 'token-refused', message }),
  });
}
