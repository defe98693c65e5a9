import type { RedisNode, RedisServers } from '../redis/servers.ts';
import type { Part } from './system.ts';

/** A server of the store as a part of the network. */
export function storePart(node: RedisNode): Part {
  let alive = true;
  return {
    name: `store ${node.port}`,
    role: 'store',
    get alive() {
      return alive;
    },
    async kill() {
      alive = false;
      await node.kill('SIGKILL');
    },
    async restart() {
      await node.restart();
      alive = true;
    },
    leave: () => Promise.reject(new Error('servers of the store do not leave')),
    freeze: () => node.kill('SIGSTOP'),
    thaw: () => void node.kill('SIGCONT'),
    output: () => '',
  };
}

export async function isPrimary(node: RedisNode): Promise<boolean> {
  return (await node.askText('INFO', 'replication')).includes('role:master');
}

/** Every shard has one primary with all its replicas online, and everybody calls the cluster well. */
export async function isWhole({ nodes }: RedisServers): Promise<boolean> {
  const shards = Math.max(...nodes.map(({ shard }) => shard)) + 1;
  try {
    const infos = await Promise.all(nodes.map((node) => node.askText('INFO', 'replication')));
    const states = await Promise.all(nodes.map((node) => node.askText('CLUSTER', 'INFO')));
    const online = infos.filter((info) => /role:master[^]*state=online/.test(info));
    return online.length === shards && states.every((state) => state.includes('cluster_state:ok'));
  } catch {
    return false;
  }
}
