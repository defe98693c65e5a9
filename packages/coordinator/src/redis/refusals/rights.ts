import type { Command } from '../wire/resp.ts';

/** Keys of crawls: groups and what belongs to the whole store. */
const keyPatterns = ['~{g*', '~{wf}*'];

/** A key that nobody uses, with arguments that each command accepts. Nothing of this is ever carried out. */
const key = '{wf}rights';
const samples: Readonly<Record<string, readonly (string | number)[]>> = {
  del: [key],
  exists: [key],
  expire: [key, 1],
  get: [key],
  hdel: [key, 'f'],
  hexists: [key, 'f'],
  hget: [key, 'f'],
  hgetall: [key],
  hincrby: [key, 'f', 1],
  hkeys: [key],
  hlen: [key],
  hmget: [key, 'f'],
  hscan: [key, 0],
  hset: [key, 'f', 1],
  hsetnx: [key, 'f', 1],
  hvals: [key],
  lindex: [key, 0],
  llen: [key],
  lpop: [key],
  lpos: [key, 1],
  lpush: [key, 1],
  lrange: [key, 0, 1],
  lrem: [key, 0, 1],
  lset: [key, 0, 1],
  mget: [key],
  mset: [key, 1],
  persist: [key],
  pttl: [key],
  rename: [key, key],
  rpush: [key, 1],
  rpushx: [key, 1],
  sadd: [key, 1],
  scan: [0],
  scard: [key],
  set: [key, 1],
  sismember: [key, 1],
  smembers: [key],
  smismember: [key, 1],
  spop: [key],
  srandmember: [key],
  srem: [key, 1],
  sscan: [key, 0],
  time: [],
  unlink: [key],
  xadd: [key, '*', 'f', 1],
  xdel: [key, '1-1'],
  'xinfo|stream': [key],
  xlen: [key],
  xrange: [key, '-', '+'],
  xrevrange: [key, '+', '-'],
  xsetid: [key, '1-1'],
  xtrim: [key, 'MAXLEN', 1],
  zadd: [key, 1, 1],
  zcard: [key],
  zcount: [key, 0, 1],
  zpopmin: [key],
  zrange: [key, 0, 1],
  zrangebylex: [key, '-', '+'],
  zrangebyscore: [key, 0, 1],
  zrem: [key, 1],
  zremrangebyrank: [key, 0, 1],
  zscan: [key, 0],
  zscore: [key, 1],
  fcall: ['wf_none', 1, key],
  'function|load': ['#!lua name=none'],
  wait: [0, 1],
  info: [],
};

/** Cannot be tried, or do no harm where they are missing: without CONFIG GET settings are not checked. */
const besides = ['auth', 'multi', 'discard', 'client|setname', 'config|get'];
/** Only nodes of a cluster know it. */
const ofClusters = ['cluster|nodes'];

/** Every command that a crawl sends or that one of its functions runs. */
export const storeCommands: readonly string[] = [...besides, ...Object.keys(samples), ...ofClusters];

/** What a server is told so that a user may do what crawls need, and no more. */
export function aclRules(): string[] {
  return ['resetkeys', ...keyPatterns, 'resetchannels', '-@all', ...storeCommands.map((name) => `+${name}`)];
}

/** The same as an administrator types it. */
export function aclLine(user: string): string {
  return `ACL SETUSER ${user} on >PASSWORD ${aclRules().join(' ')}`;
}

/** Each command that can be tried, as it is sent: queued behind MULTI, which checks rights, and then discarded. */
export const trials: readonly { name: string; command: Command }[] = Object.entries(samples).map(
  ([name, args]) => ({ name, command: [...name.toUpperCase().split('|'), ...args] }),
);
