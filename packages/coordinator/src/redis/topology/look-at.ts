import { addressOf, type Endpoint } from '../address/address.ts';
import { ask } from '../wire/ask.ts';
import { ConnectionLost } from '../wire/connection.ts';
import { ReplyError } from '../wire/resp.ts';
import { denied, isDenied } from '../refusals/denied.ts';
import { isLacking, isOld, lacking, sentinel, tooOld } from '../refusals/unsuited.ts';

/** A server that answered. */
export interface Looked {
  seed: Endpoint;
  isCluster: boolean;
  isPrimary: boolean;
  /** Address of its primary, for a replica. */
  follows?: string;
}

/** Asks a server what it is; throws where it cannot keep a crawl. */
export async function lookAt(seed: Endpoint): Promise<Looked> {
  const address = addressOf(seed);
  const [info, server, replication] = await ask(seed, [
    ['INFO', 'cluster'],
    ['INFO', 'server'],
    ['INFO', 'replication'],
  ]);
  if (isDenied(info)) throw denied(address, info);
  if (isLacking(info)) throw lacking(address, info);
  if (typeof server === 'string' && server.includes('redis_mode:sentinel')) throw sentinel(address);
  if (typeof server === 'string' && isOld(server)) throw tooOld(address, server);
  if (typeof info !== 'string') {
    const why = info instanceof ReplyError ? info.text : 'no text';
    throw new ConnectionLost(`${address}: ${why}`, { sent: true });
  }
  const isCluster = info.includes('cluster_enabled:1');
  const [view] = isCluster ? await ask(seed, [['CLUSTER', 'NODES']]) : [];
  if (isDenied(view)) throw denied(address, view);
  if (isLacking(view)) throw lacking(address, view);
  const role = typeof replication === 'string' ? replication : '';
  const [, host = '', port = ''] = /^master_host:(\S+)\s+^master_port:(\d+)/m.exec(role) ?? [];
  const isPrimary = /^role:master/m.test(role);
  const looked = { seed, isCluster, isPrimary };
  return host === '' ? looked : { ...looked, follows: addressOf({ host, port: Number(port) }) };
}
