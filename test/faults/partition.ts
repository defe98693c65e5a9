import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../fuzz/random.ts';
import { until } from '../prove/lab.ts';
import type { RedisNode } from '../redis/servers.ts';
import { divide, unite } from './divide.ts';
import { isPrimary, isWhole } from './store-part.ts';
import type { Strike } from './system.ts';

const wholeMs = 60_000;
const electionMs = 30_000;
/** How long it goes on after both sides have a primary, at most. */
const dividedMs = 4_000;

/**
 * A primary, a coordinator and a worker are cut off from all the others until these have elected another primary, and
 * a while longer: both sides go on with what they have. Only inside a network of its own.
 */
export const partition: Strike = async ({ store, coordinatorPorts }, random: Random) => {
  if (!store) return undefined;
  await until('a whole store', () => isWhole(store), wholeMs);
  const primaries: RedisNode[] = [];
  for (const node of store.nodes) if (await isPrimary(node)) primaries.push(node);
  const cutOff = random.pick(primaries);
  const others = store.nodes.filter((node) => node !== cutOff);
  const heirs = others.filter(({ shard }) => shard === cutOff.shard);
  const ports = coordinatorPorts();
  const began = performance.now();
  divide({
    nearHosts: [cutOff.host],
    farHosts: others.map(({ host }) => host),
    nearPorts: ports.slice(0, 1),
    farPorts: ports.slice(1),
  });
  try {
    await until('another primary', () => heirs.some(callsItselfPrimary), electionMs);
    await new Promise((done) => setTimeout(done, random.below(dividedMs)));
  } finally {
    unite();
  }
  const ms = Math.round(performance.now() - began);
  await until('the store to be whole again', () => isWhole(store), wholeMs);
  return `cut off primary ${cutOff.host} for ${ms} ms`;
};

/** Read from its file: a packet of ours might not reach it. */
function callsItselfPrimary({ folder }: RedisNode): boolean {
  return readFileSync(join(folder, 'nodes.conf'), 'utf8').includes('myself,master');
}
