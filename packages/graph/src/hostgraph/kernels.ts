import { ballRound, ballStart } from './ball-kernels.ts';
import { rankGather, rankGive, rankSort } from './rank-kernels.ts';

/** What can be done to a block of nodes, by name, because a name is what can be said to a thread. */
export const kernels = { ballRound, ballStart, rankGather, rankGive, rankSort } as const;
export type KernelName = keyof typeof kernels;
