import { WebfarerError } from '@webfarer/protocol';
import { type Reply, ReplyError } from '../wire/resp.ts';

/** The server, or a proxy before it, does not have the command: asking again changes nothing. */
export function isLacking(reply: Reply | undefined): reply is ReplyError {
  return (
    reply instanceof ReplyError &&
    /^ERR (unknown (command|subcommand|redis command)|unsupported command)/i.test(reply.text)
  );
}

export function lacking(address: string, { text }: ReplyError): WebfarerError {
  return new WebfarerError(
    'store-denied',
    `the store at ${address} lacks a command that a crawl needs: ${text}`,
    {
      next: 'Connect to the servers of Redis 7.0 or Valkey themselves: proxies (Envoy, Twemproxy) and some managed stores leave commands out, see docs/stores.md.',
    },
  );
}

/** Functions came with Redis 7.0. */
export function isOld(server: string): boolean {
  const [, major] = /^redis_version:(\d+)\./m.exec(server) ?? [];
  return major !== undefined && Number(major) < 7;
}

export function tooOld(address: string, server: string): WebfarerError {
  const [, version = ''] = /^redis_version:(\S+)/m.exec(server) ?? [];
  return new WebfarerError(
    'store-denied',
    `the store at ${address} speaks Redis ${version}, which has no functions`,
    {
      next: 'Use Redis 7.0 or newer, or Valkey.',
    },
  );
}

export function sentinel(address: string): WebfarerError {
  return new WebfarerError('store-denied', `${address} is a Sentinel, which keeps no data`, {
    next: `Write redis+sentinel://${address}/NAME, with the name of the primary that it monitors: the crawl then follows it at a failover.`,
  });
}

/** A cluster in which some slots were never given to a node. */
export function isIncomplete(slots: number): WebfarerError {
  return new WebfarerError('store-denied', `${slots} of 16384 slots of the cluster belong to no node`, {
    next: 'Give every slot to a primary (redis-cli --cluster fix HOST:PORT), then run again.',
  });
}
