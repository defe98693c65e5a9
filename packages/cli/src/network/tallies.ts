import type { Tallies } from '@webfarer/coordinator/server';
import { createCrawlTally, createHostGraphTally } from '@webfarer/graph';

/** The same figures as those of `webfarer stats` and `webfarer report`. */
export const tallies: Tallies = { statistics: createCrawlTally, hostGraph: createHostGraphTally };
