import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/redis';
const sentinel = `${redis}/topology/sentinel-topology.test.ts`;

/** How a store is reached: Sentinels, certificates, rights. */
export const storeMutants: readonly Mutant[] = [
  {
    name: 'store-deposed-primary-followed',
    why: 'A Sentinel that is cut off would lead writes to a primary that was replaced, where they are lost.',
    file: `${redis}/topology/sentinel-view.ts`,
    from: 'if (newest === undefined || view.epoch > newest.epoch) newest = view;',
    to: 'newest = view;',
    killer: { test: sentinel, case: 'is not written to because a Sentinel that is behind still names it' },
  },
  {
    name: 'store-deposed-primary-written',
    why: 'A former primary that accepts writes as a replica would take them, and lose them at its next sync.',
    file: `${redis}/store.ts`,
    from: 'if (!topology.cluster && !isPrimary)',
    to: 'if (topology.cluster && !isPrimary)',
    killer: {
      test: sentinel,
      case: 'is not written to although it was made a replica that accepts writes',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'store-sentinel-replicas-unawaited',
    why: 'A replica that lacks acknowledged results could be elected.',
    file: `${redis}/topology/sentinel-topology.ts`,
    from: '(address === primary() ? (claim?.replicas.size ?? 0) : 0)',
    to: '(address === primary() ? 0 : (claim?.replicas.size ?? 0))',
    killer: {
      test: sentinel,
      case: 'is found, and waits for every replica that they list',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'store-tls-name-unchecked',
    why: 'Whoever has any certificate of the authority could pretend to be the store.',
    file: `${redis}/wire/connection.ts`,
    from: 'connectTls({ host, port, ...named, ...trusted })',
    to: 'connectTls({ host, port, ...named, ...trusted, checkServerIdentity: () => undefined })',
    killer: {
      test: `${redis}/wire/tls.test.ts`,
      case: 'is refused where the certificate names another host',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'store-right-not-tried',
    why: 'A crawl would stop hours later, at the first function that needs the command.',
    file: `${redis}/refusals/missing-rights.ts`,
    from: 'if (refused.length > 0) throw deniedAll',
    to: 'if (refused.length < 0) throw deniedAll',
    killer: {
      test: `${redis}/refusals/denied.test.ts`,
      case: 'is told all that are missing, and nothing was done',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'store-memory-refusal-taken-for-success',
    why: 'URLs that a server without memory refused would count as queued, and never be crawled.',
    file: `${redis}/client/delivery.ts`,
    from: "  'OOM',\n]);",
    to: ']);',
    more: [
      {
        file: `${redis}/reply-array.ts`,
        from: '  if (reply instanceof ReplyError) {',
        to: "  if (reply instanceof ReplyError && reply.code === 'OOM') return ['OK', [0, '', 0, []], []];\n  if (reply instanceof ReplyError) {",
      },
    ],
    killer: {
      test: 'packages/coordinator/src/results/draining/full-store.test.ts',
      case: 'records what is in flight and drains when a server has no memory left, begins nothing new, and goes on later',
      says: 'Test timed out',
    },
  },
];
