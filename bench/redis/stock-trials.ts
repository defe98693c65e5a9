import { connect, createServer } from 'node:net';
import { slotOf } from '../../packages/coordinator/src/redis/topology/slots.ts';
import { type RedisNode, type RedisServers, startRedis } from '../../test/redis/servers.ts';
import type { Client, Open } from './stock-clients.ts';

export interface TrialSize {
  times: number;
  /** For how long writes are tried after a primary was killed. */
  failoverMs: number;
}

export type Trial = (open: Open, size: TrialSize) => Promise<Record<string, number>>;

const key = '{g1}trial';
const perRound = 50;

async function onCluster<T>(work: (servers: RedisServers, ports: number[]) => Promise<T>): Promise<T> {
  const servers = await startRedis({ primaries: 3, replicasEach: 1 });
  try {
    return await work(
      servers,
      servers.nodes.map(({ port }) => port),
    );
  } finally {
    await servers.stop();
  }
}

/** The primary of the key's slot first, then its replica. */
async function shardOf(servers: RedisServers): Promise<[RedisNode, RedisNode]> {
  for (const primary of servers.nodes.filter(({ role }) => role === 'primary')) {
    const isHere = await primary.ask('EXISTS', key).then(
      () => true,
      () => false,
    );
    const replica = servers.nodes.find(({ role, shard }) => role === 'replica' && shard === primary.shard);
    if (isHere && replica) return [primary, replica];
  }
  throw new Error('nobody has the slot');
}

async function outcomes(
  times: number,
  work: (n: number) => Promise<number>,
): Promise<{ durable: number; refused: number }> {
  const found = { durable: 0, refused: 0 };
  for (let n = 0; n < times; n++) {
    const replicas = await work(n).catch(() => -1);
    if (replicas >= 1) found.durable++;
    else found.refused++;
  }
  return found;
}

/** The only replica of the shard stands still: nothing may be called durable. */
const waitWithReplicaStopped: Trial = (open, { times }) =>
  onCluster(async (servers, ports) => {
    const client = await open({ ports, isCluster: true, replicas: 1 });
    const [, replica] = await shardOf(servers);
    await client.append(key, 'first');
    await replica.kill('SIGSTOP');
    const { durable, refused } = await outcomes(times, (n) => client.append(key, String(n)));
    await replica.kill('SIGCONT');
    await client.close();
    return { falselyDurable: durable, refused };
  });

/** A reply is lost on its way: the caller must learn that it does not know, and nothing may happen twice unseen. */
const lostReply: Trial = async (open, { times }) => {
  const servers = await startRedis();
  const [node] = servers.nodes as [RedisNode];
  let isLosing = false;
  let lost = 0;
  const proxy = createServer((client) => {
    const server = connect(node.port, '127.0.0.1');
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(server);
    server.on('data', (chunk) => {
      if (!isLosing) return void client.write(chunk);
      lost++;
      isLosing = false;
      client.destroy();
    });
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const { port } = proxy.address() as { port: number };
  const found = { toldUnknown: 0, toldDone: 0, happenedTwice: 0 };
  try {
    for (let n = 0; n < times; n++) {
      const client = await open({ ports: [port], isCluster: false, replicas: 0 });
      await client.pipeline(key, ['warm']);
      isLosing = true;
      const told = client.append(key, `lost ${n}`).then(
        () => 'toldDone' as const,
        () => 'toldUnknown' as const,
      );
      found[await told]++;
      await client.close();
      const all = (await node.ask('LRANGE', key, 0, -1)) as string[];
      if (all.filter((value) => value === `lost ${n}`).length > 1) found.happenedTwice++;
    }
    return { ...found, lost };
  } finally {
    proxy.close();
    await servers.stop();
  }
};

/** The slot has moved since the client read the map. */
const movedSlot: Trial = (open, { times }) =>
  onCluster(async (servers, ports) => {
    const client = await open({ ports, isCluster: true, replicas: 1 });
    const [from] = await shardOf(servers);
    const slot = slotOf(key);
    const to = servers.nodes.find(({ role, port }) => role === 'primary' && port !== from.port) as RedisNode;
    const id = await to.askText('CLUSTER', 'MYID');
    for (const node of [to, ...servers.nodes.filter((one) => one.role === 'primary' && one !== to)])
      await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    const { durable, refused } = await outcomes(times, (n) => client.append(key, String(n)));
    await client.close();
    return { durable, refused };
  });

/** The primary is killed and its replica elected: what is refused meanwhile, and how long until writes work again. */
const failover: Trial = (open, { failoverMs }) =>
  onCluster(async (servers, ports) => {
    // Another primary's replica keeps R = 1 from being met afterwards, so nothing is waited for.
    const client = await open({ ports, isCluster: true, replicas: 0 });
    const [primary] = await shardOf(servers);
    await client.append(key, 'first');
    await primary.kill('SIGKILL');
    const started = performance.now();
    let refused = 0;
    while (performance.now() - started < failoverMs) {
      const isDone = await client.append(key, 'again').then(
        () => true,
        () => false,
      );
      if (isDone) {
        await client.close();
        return { refused, untilWritesMs: Math.round(performance.now() - started) };
      }
      refused++;
      await new Promise((done) => setTimeout(done, 50));
    }
    await client.close();
    return { refused, untilWritesMs: -1 };
  });

/** One server, one caller: pipelines of 20 appends and a WAIT. */
const speed: Trial = async (open, { times }) => {
  const servers = await startRedis({ settings: { appendonly: 'no' } });
  const values = Array.from({ length: 20 }, (_, n) => `value ${n}`);
  /** The best of many short rounds: other programs of the machine only ever make one longer. */
  const measure = async (client: Client): Promise<number> => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < times * 5; round++) {
      const started = performance.now();
      for (let n = 0; n < perRound; n++) await client.pipeline(key, values);
      best = Math.min(best, (performance.now() - started) / perRound);
    }
    return Math.round(best * 1_000);
  };
  try {
    const client = await open({ ports: [servers.nodes[0]?.port ?? 0], isCluster: false, replicas: 0 });
    const microsPerPipeline = await measure(client);
    await client.close();
    return { microsPerPipeline };
  } finally {
    await servers.stop();
  }
};

export const trials = {
  waitWithReplicaStopped,
  lostReply,
  movedSlot,
  failover,
  speed,
} satisfies Readonly<Record<string, Trial>>;
