import type { ServerProcess } from './server-process.ts';

const slots = 16_384;
const formMs = 120_000;

/** The servers of one shard, the primary first. */
export type Shard = [ServerProcess, ...ServerProcess[]];

/** Makes one cluster of servers that know nothing of each other; ends when every replica is in step. */
export async function formCluster(shards: Shard[], busPorts: Map<number, number>): Promise<void> {
  const all = shards.flat();
  await Promise.all(all.map((server, n) => server.ask('CLUSTER', 'SET-CONFIG-EPOCH', n + 1)));
  await Promise.all(
    shards.map(([primary], n) => {
      const [from, to] = [n, n + 1].map((k) => Math.floor((k * slots) / shards.length)) as [number, number];
      return primary.ask('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
    }),
  );
  await Promise.all(all.slice(1).map((server) => meet(all[0] as ServerProcess, server, busPorts)));
  await Promise.all(all.map((server) => until(() => knows(server, all.length), 'they know each other')));
  await Promise.all(
    shards.map(async ([primary, ...replicas]) => {
      const id = await primary.askText('CLUSTER', 'MYID');
      await Promise.all(replicas.map((replica) => replica.ask('CLUSTER', 'REPLICATE', id)));
    }),
  );
  await inStep(shards);
}

function meet(first: ServerProcess, other: ServerProcess, busPorts: Map<number, number>) {
  return first.ask(
    'CLUSTER',
    'MEET',
    other.host,
    other.port,
    busPorts.get(other.port) ?? other.port + 10_000,
  );
}

async function knows(server: ServerProcess, count: number): Promise<boolean> {
  const nodes = await server.askText('CLUSTER', 'NODES');
  const lines = nodes.trim().split('\n');
  return lines.length === count && lines.every((line) => !/handshake|noaddr|disconnected/.test(line));
}

/** Resolves when all servers call the cluster well and every primary has all its replicas online. */
export async function inStep(shards: Shard[]): Promise<void> {
  await Promise.all(
    shards.flat().map((server) => until(() => isWell(server), `${server.port} calls the cluster well`)),
  );
  await linked(shards);
}

export async function linked(shards: Shard[]): Promise<void> {
  await Promise.all(
    shards.map(([primary, ...replicas]) =>
      until(async () => {
        const info = await primary.askText('INFO', 'replication');
        return (info.match(/state=online/g) ?? []).length === replicas.length;
      }, `the replicas of ${primary.port} are in step`),
    ),
  );
}

async function isWell(server: ServerProcess): Promise<boolean> {
  return (await server.askText('CLUSTER', 'INFO')).includes('cluster_state:ok');
}

/** Asks again until it holds; fails with what was waited for. */
export async function until(holds: () => Promise<boolean>, what: string, limitMs = formMs): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
