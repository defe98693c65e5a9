import { type Stay, stays } from '@webfarer/protocol/job';

/** Where a new job begins: with an address, as a copy of a crawl's job, or with nothing. It stands in the address. */
export interface NewJobSearch {
  seed?: string;
  stay?: Stay;
  /** The crawl whose job it begins as. */
  from?: string;
}

export function newJobSearchIn({ seed, stay, from }: Record<string, unknown>): NewJobSearch {
  const chosen = stays.find((each) => each === stay);
  return {
    ...(typeof seed === 'string' || typeof seed === 'number' ? { seed: String(seed) } : {}),
    ...(chosen ? { stay: chosen } : {}),
    ...(typeof from === 'string' || typeof from === 'number' ? { from: String(from) } : {}),
  };
}
