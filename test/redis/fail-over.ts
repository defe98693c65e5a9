import { until } from './form-cluster.ts';
import type { StartedStore } from './store-kinds.ts';
import type { RedisNode } from './servers.ts';

const electedMs = 120_000;
const ways = ['asked for', 'killed', 'frozen'] as const;

/**
 * Replaces the primary under Sentinels: by asking them, by `kill -9`, or by stopping it for so long that another is
 * elected. One that was killed or frozen comes back as a primary, with its connections where it was frozen, until it is
 * told otherwise. Resolves when the new one has all its replicas.
 */
export async function failOver({ servers, sentinels }: StartedStore, turn: number): Promise<string> {
  if (!sentinels) throw new Error('no Sentinels monitor this store');
  const how = ways[turn % ways.length] as (typeof ways)[number];
  const before = await sentinels.primary();
  const old = servers.nodes.find(({ port }) => port === before.port) as RedisNode;
  // Refused while they are still busy with the one before.
  const isAsked = () =>
    sentinels.failover().then(
      () => true,
      () => false,
    );
  if (how === 'asked for') await until(isAsked, 'the Sentinels begin', electedMs);
  else await old.kill(how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  const isReplaced = async () => (await sentinels.primary()).port !== before.port;
  await until(isReplaced, 'the Sentinels choose another primary', electedMs);
  if (how === 'killed') await old.restart();
  if (how === 'frozen') await old.kill('SIGCONT');
  // On a busy machine the new one may be replaced again meanwhile.
  let port = 0;
  const isWhole = async () => {
    ({ port } = await sentinels.primary());
    const now = servers.nodes.find((node) => node.port === port) as RedisNode;
    const info = await now.askText('INFO', 'replication').catch(() => '');
    return [...info.matchAll(/state=online/g)].length === servers.nodes.length - 1;
  };
  await until(isWhole, 'the former primary follows the new one', electedMs);
  return `${how}, ${before.port} to ${port}`;
}
