import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formCluster, linked, type Shard } from './form-cluster.ts';
import { freePorts, type ServerOptions, type ServerProcess, startServer } from './server-process.ts';

export interface RedisOptions {
  /** Default 1. More than one is a cluster. */
  primaries?: number;
  /** Replicas of each primary, or of the first, second and so on; default 0. */
  replicasEach?: number | number[];
  /** Whether the servers form a cluster; by default when there are several primaries. */
  cluster?: boolean;
  /** Settings beside or instead of the strict ones, by their names in redis.conf. */
  settings?: Record<string, string>;
  /** Silence after which the cluster calls a node dead. Short, so that tests are. */
  nodeTimeoutMs?: number;
  /** Whether the wall clock of each server can be shifted while it runs. */
  shiftableClocks?: boolean;
  /** Where the temporary folder is made; each server has a folder in it, by its place. */
  parent?: string;
  /** A folder as `makeCertificates` leaves it, with a certificate for localhost: clients and nodes may encrypt. */
  certificates?: string;
  /** The server to run instead of `redis-server`. */
  program?: string;
  /** The address of the n-th server, primaries first: for a network where nodes can be told apart. */
  host?(n: number): string;
}

export interface RedisNode extends ServerProcess {
  /** What it was started as; a failover does not change it. */
  role: 'primary' | 'replica';
  shard: number;
  /** Where it listens for encrypted connections; 0 where it has no certificate. */
  tlsPort: number;
}

export interface RedisServers {
  url: string;
  /** The same encrypted, with a name to sign in by; for servers that have certificates. */
  secureUrl(user: string): string;
  /** Primaries first, then the replicas shard by shard. */
  nodes: RedisNode[];
  /** Ends all of them by their process ids and removes their folder. */
  stop(): Promise<void>;
}

/** What strict durability asks of every server (F6), and no snapshots beside the log. */
const strict = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
  save: '',
  'protected-mode': 'no',
  'repl-diskless-sync-delay': '0',
};

/** Real servers in a temporary folder, on free ports of the loopback address unless told otherwise. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServers> {
  const cluster = isCluster(options);
  const folder = mkdtempSync(join(options.parent ?? tmpdir(), 'webfarer-redis-'));
  const nodes: RedisNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const plans = await plan(options, folder);
    const started = await Promise.allSettled(plans.map(start));
    nodes.push(...started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    for (const each of started) if (each.status === 'rejected') throw each.reason;
    const busPorts = new Map(plans.map(({ port, busPort }) => [port, busPort]));
    if (cluster) await formCluster(shardsOf(nodes), busPorts);
    else await followPrimary(shardsOf(nodes));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `redis://${nodes.map((node) => `${node.host}:${node.port}`).join(',')}`,
    secureUrl: (user) => `rediss://${user}@${nodes.map(({ tlsPort }) => `localhost:${tlsPort}`).join(',')}`,
    nodes,
    stop,
  };
}

interface Plan extends ServerOptions {
  busPort: number;
  tlsPort: number;
  role: 'primary' | 'replica';
  shard: number;
}

function isCluster({ primaries = 1, cluster = primaries > 1 }: RedisOptions): boolean {
  if (primaries > 1 && !cluster) throw new Error('several primaries are a cluster');
  return cluster;
}

async function plan(options: RedisOptions, folder: string): Promise<Plan[]> {
  const { host = () => '127.0.0.1' } = options;
  const roles = rolesOf(options);
  const ports = await freePorts('127.0.0.1', roles.length * 3);
  return roles.map((role, n) => {
    const busPort = ports[roles.length + n] as number;
    const tlsPort = options.certificates === undefined ? 0 : (ports[roles.length * 2 + n] as number);
    const own = {
      ...(isCluster(options) ? clusterSettings(options, busPort) : {}),
      ...tlsSettings(options, tlsPort),
    };
    return {
      ...role,
      host: host(n),
      port: ports[n] as number,
      busPort,
      tlsPort,
      folder: join(folder, String(n)),
      shiftableClock: options.shiftableClocks ?? false,
      ...(options.program === undefined ? {} : { program: options.program }),
      settings: { ...strict, 'bind-source-addr': host(n), ...own, ...options.settings },
    };
  });
}

/** Primaries first, then the replicas shard by shard. */
function rolesOf({ primaries = 1, replicasEach = 0 }: RedisOptions): Pick<Plan, 'role' | 'shard'>[] {
  const shards = Array.from({ length: primaries }, (_, shard) => shard);
  const replicasOf = (shard: number) =>
    typeof replicasEach === 'number' ? replicasEach : (replicasEach[shard] ?? 0);
  return [
    ...shards.map((shard) => ({ role: 'primary' as const, shard })),
    ...shards.flatMap((shard) =>
      Array.from({ length: replicasOf(shard) }, () => ({ role: 'replica' as const, shard })),
    ),
  ];
}

function clusterSettings(options: RedisOptions, busPort: number): Record<string, string> {
  return {
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-node-timeout': String(options.nodeTimeoutMs ?? 1_000),
    'cluster-allow-replica-migration': 'no',
  };
}

function tlsSettings(options: RedisOptions, port: number): Record<string, string> {
  if (options.certificates === undefined) return {};
  return {
    'tls-port': String(port),
    'tls-cert-file': join(options.certificates, 'server.pem'),
    'tls-key-file': join(options.certificates, 'server.key'),
    'tls-ca-cert-file': join(options.certificates, 'ca.pem'),
    'tls-auth-clients': 'no',
    'tls-replication': 'yes',
    ...(isCluster(options) ? { 'tls-cluster': 'yes', 'cluster-announce-hostname': 'localhost' } : {}),
  };
}

async function start({ role, shard, tlsPort, ...options }: Plan): Promise<RedisNode> {
  const server = await startServer(options);
  // Not spread: the process id changes with a restart.
  return Object.assign(server, { role, shard, tlsPort });
}

function shardsOf(nodes: RedisNode[]): Shard[] {
  const primaries = nodes.filter(({ role }) => role === 'primary');
  return primaries.map((primary) => [
    primary,
    ...nodes.filter(({ role, shard }) => role === 'replica' && shard === primary.shard),
  ]);
}

/** Replicas without a cluster: nobody elects them, but WAIT counts them. */
async function followPrimary(shards: Shard[]): Promise<void> {
  for (const [primary, ...replicas] of shards)
    await Promise.all(replicas.map((replica) => replica.ask('REPLICAOF', primary.host, primary.port)));
  await linked(shards);
}
