import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { aclRules } from '../../packages/coordinator/src/redis/refusals/rights.ts';
import { makeCertificates } from '../fake-web/certificates.ts';
import { type Sentinels, startSentinels } from './sentinels.ts';
import { type RedisNode, type RedisServers, startRedis } from './servers.ts';

/** A store as somebody has it, and how a crawler is told to reach it. */
export interface StartedStore {
  servers: RedisServers;
  sentinels?: Sentinels;
  /** Words for the command line. */
  args: string[];
  env: Record<string, string>;
  stop(): Promise<void>;
}

const local = resolve(import.meta.dirname, '../../.tools/valkey/usr/bin/valkey-server');

/** Valkey as scripts/setup leaves it, else the one of the system. */
export const valkeyProgram = (): string => (existsSync(local) ? local : 'valkey-server');

function started(servers: RedisServers, args: string[], env: Record<string, string> = {}): StartedStore {
  return { servers, args, env, stop: () => servers.stop() };
}

async function secured(folder: string, settings: Record<string, string>): Promise<[RedisServers, string]> {
  mkdirSync(folder, { recursive: true });
  const { caFile } = await makeCertificates(folder, ['localhost']);
  const servers = await startRedis({ certificates: folder, settings });
  return [servers, caFile];
}

const tlsUrl = ({ nodes }: RedisServers): string => `rediss://localhost:${nodes[0]?.tlsPort}`;

/** Each with strict durability. `folder`: where certificates and sockets go. */
export const storeKinds = {
  server: async () => {
    const servers = await startRedis();
    return started(servers, ['--store', servers.url]);
  },
  sentinel: async () => {
    const servers = await startRedis({ primaries: 1, replicasEach: 2, cluster: false });
    const [primary] = servers.nodes as [RedisNode];
    const sentinels = await startSentinels({ primary, replicas: 2 });
    return {
      ...started(servers, ['--store', sentinels.url]),
      sentinels,
      stop: async () => {
        await sentinels.stop();
        await servers.stop();
      },
    };
  },
  cluster: async () => {
    const servers = await startRedis({ primaries: 3, replicasEach: 1 });
    return started(servers, ['--store', servers.url]);
  },
  tls: async (folder) => {
    const [servers, ca] = await secured(folder, {});
    return started(servers, ['--store', tlsUrl(servers), '--store-ca', ca]);
  },
  mtls: async (folder) => {
    const [servers, ca] = await secured(folder, { 'tls-auth-clients': 'yes' });
    // By the environment, so that both ways are used.
    return started(servers, [], {
      WEBFARER_STORE: tlsUrl(servers),
      WEBFARER_STORE_CA: ca,
      WEBFARER_STORE_CERT: join(folder, 'server.pem'),
      WEBFARER_STORE_KEY: join(folder, 'server.key'),
    });
  },
  acl: async () => {
    const servers = await startRedis();
    const [node] = servers.nodes as [RedisNode];
    await node.ask('ACL', 'SETUSER', 'webfarer', 'on', '>secret', ...aclRules());
    return started(servers, ['--store', servers.url.replace('//', '//webfarer:secret@')]);
  },
  unix: async (folder) => {
    mkdirSync(folder, { recursive: true });
    const socket = join(folder, 'store.sock');
    const servers = await startRedis({ settings: { unixsocket: socket } });
    return started(servers, ['--store', `unix://${socket}`]);
  },
  valkey: async () => {
    // With a replica, because its WAIT is another than that of Redis 7.0.
    const servers = await startRedis({
      primaries: 1,
      replicasEach: 1,
      cluster: false,
      program: valkeyProgram(),
    });
    return started(servers, ['--store', servers.url.replace('redis:', 'valkey:')]);
  },
} as const satisfies Record<string, (folder: string) => Promise<StartedStore>>;

export type StoreKindName = keyof typeof storeKinds;
