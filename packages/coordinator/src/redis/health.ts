import type { NodeInfo } from './client/node-info.ts';
import type { SettingFinding } from './settings.ts';

/** Of maxmemory: from here on a person should act, because a full store stops every crawl on it. */
const fullShare = 0.8;
/** A replica that has not acknowledged for so long is late: it does so every second. */
const lateMs = 10_000;

/** How the nodes of a store are now, in sentences for people, with what to do next. What their settings promise is said elsewhere. */
export function explainHealth(nodes: readonly NodeInfo[]): SettingFinding[] {
  const findings: { of: NodeInfo[]; told: Omit<SettingFinding, 'nodes'> }[] = [
    {
      of: nodes.filter(({ reachable }) => !reachable),
      told: {
        level: 'broken',
        sentence:
          'No answer. Hosts on a primary that is down wait until it is back or a replica has taken over.',
        mend: 'start the server again; its log says why it stopped',
      },
    },
    {
      of: nodes.filter(({ lastWriteOk }) => !lastWriteOk),
      told: {
        level: 'broken',
        sentence: 'The last write to disk failed. The server refuses writes until one succeeds.',
        mend: 'free space on its disk; INFO persistence and its log say which write failed',
      },
    },
    {
      of: nodes.filter(({ linkUp }) => linkUp === false),
      told: {
        level: 'broken',
        sentence: 'The replica has lost its primary, so it would take over with old data or not at all.',
        mend: 'look at the logs of the replica and of its primary, and at the network between them',
      },
    },
    {
      of: nodes.filter(({ lagMs = 0 }) => lagMs > lateMs),
      told: {
        level: 'weak',
        sentence: 'The replica is late: results are acknowledged only when it has them.',
        mend: 'look at the load of its machine',
      },
    },
    {
      of: nodes.filter((node) => (memoryShare(node) ?? 0) >= fullShare),
      told: {
        level: 'broken',
        sentence: `Over ${fullShare * 100} % of maxmemory is used. A store that is full stops every crawl on it.`,
        mend: 'CONFIG SET maxmemory to more, move groups to another shard with webfarer store move, or delete crawls that are over',
      },
    },
    {
      of: nodes.filter(({ evictedKeys }) => evictedKeys > 0),
      told: {
        level: 'broken',
        sentence: 'The server has evicted keys since it started: URLs that crawls knew are lost.',
        mend: 'CONFIG SET maxmemory-policy noeviction, and run the crawls on it again',
      },
    },
  ];
  return findings
    .filter(({ of }) => of.length > 0)
    .map(({ of, told }) => ({ ...told, nodes: of.map(({ address }) => address) }));
}

/** Of maxmemory, what is used; undefined: it has no bound. */
export function memoryShare({ usedMemoryBytes, maxMemoryBytes }: NodeInfo): number | undefined {
  return maxMemoryBytes > 0 ? usedMemoryBytes / maxMemoryBytes : undefined;
}
