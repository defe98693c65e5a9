import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/redis';
const sentinel = `${redis}/topology/sentinel-topology.test.ts`;

/** How a store is reached: Sentinels, certificates, rights. */
export const storeMutants: readonly Mutant[] = [
  {
    name: 'stores-lost-node-is-nobody',
    why: 'Of a server that is down, nobody would see whether it was a primary or which shard lacks its replica.',
    file: 'packages/coordinator/src/stores/store-documents.ts',
    from: 'const { role, of, version } = known?.node ?? node;',
    to: 'const { role, of, version } = node;',
    killer: {
      test: 'packages/coordinator/src/stores/store-documents.test.ts',
      case: 'shows every node of a cluster, one that is killed and a replica that is stopped, and what to do',
    },
  },
  {
    name: 'stores-asked-by-every-viewer',
    why: 'A thousand viewers of the network screen would ask each server of the store a thousand times.',
    file: 'packages/coordinator/src/stream/ask-once.ts',
    from: 'if (latest && clock.now() - latest.atMs < freshMs) return latest.answer;',
    to: '',
    killer: {
      test: 'packages/coordinator/src/stores/store-documents.test.ts',
      case: 'asks the servers once for all who look, and says when they would be full',
    },
  },
  {
    name: 'stores-full-memory-unsaid',
    why: 'A store would stop every crawl without a word before.',
    file: `${redis}/health.ts`,
    from: '(memoryShare(node) ?? 0) >= fullShare',
    to: '(memoryShare(node) ?? 0) > 1',
    killer: {
      test: `${redis}/health.test.ts`,
      case: 'says what is wrong, of which nodes, and what to do next',
    },
  },
  {
    name: 'stores-count-half-a-folder',
    why: 'The size of a folder with very many files would be told as if it were all.',
    file: 'packages/coordinator/src/stores/folder-use.ts',
    from: 'isWhole: files < most,',
    to: 'isWhole: true,',
    killer: {
      test: 'packages/coordinator/src/stores/folder-use.test.ts',
      case: 'says that it has not counted all where there are too many',
    },
  },
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
      test: 'packages/coordinator/src/frontier/redis/draining/full-store.test.ts',
      case: 'records what is in flight and drains when a server has no memory left, begins nothing new, and goes on later',
      says: 'Test timed out',
    },
  },
  {
    name: 'store-slow-is-unreachable',
    why: 'An operator would look for a network fault where the store is only busy.',
    file: 'packages/coordinator/src/redis/store-watch.ts',
    from: '  if (isAnswering) return slowStore;',
    to: '  if (!isAnswering && words.length < 0) return slowStore;',
    killer: {
      test: 'packages/coordinator/src/redis/store-watch.test.ts',
      case: 'a store that answers others is slow, not unreachable, until it answers nobody',
    },
  },
];
