import { nothingElsewhere } from './link/lease-sharing.ts';
import { noRules } from './link/worker-rules.ts';
import type { Listening } from './listening.ts';
import { listedTokens } from './tokens/tokens.ts';

/** Listens as far as its crawls can tell, without a port. */
export const deafListening: Listening = {
  tokens: listedTokens({ own: [], volunteer: [] }),
  servesOthers: true,
  expectsWorker: false,
  othersServe: () => false,
  reportsCrawls: () => true,
  retire: () => Promise.resolve(),
  ended: () => Promise.resolve(),
  serving: () => undefined,
  closing: () => Promise.resolve(),
  link: { peers: () => [], stillDry: () => undefined, elsewhere: () => nothingElsewhere },
  rules: noRules,
  resources: { everyMs: 1_000, heard: () => undefined },
};
