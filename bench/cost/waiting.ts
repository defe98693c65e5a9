import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNetwork } from '../../test/network/launcher.ts';
import { until } from '../../test/prove/lab.ts';
import type { RedisServers } from '../../test/redis/servers.ts';
import type { Taken } from './figures.ts';
import { commandsOf } from './redis-commands.ts';
import type { Side } from './side.ts';
import { treeCpuMs } from './tree-cpu.ts';
import type { Web } from './web.ts';

const crawls = 10;
/** A worker that finds nothing looks ever more rarely. */
const settleMs = 15_000;

/** A coordinator with a worker in its process and ten open crawls that all wait for the pause of their host. */
export interface Waiting {
  /** What it has taken since the last look, or since it came to rest. */
  look(): Promise<Taken>;
  stop(): Promise<void>;
}

export async function startWaiting(side: Side, web: Web, { url, nodes }: RedisServers): Promise<Waiting> {
  const [server] = nodes;
  if (!server) throw new Error('the store has no server');
  const network = await startNetwork({
    under: join(side.folder, 'waiting'),
    command: side.command,
    workers: 0,
    store: url,
    coordinatorWords: ['--with-worker'],
  });
  const [coordinator] = network.coordinators;
  if (!coordinator) throw new Error('the coordinator did not start');
  const read = async () => ({
    atMs: performance.now(),
    cpuMs: treeCpuMs(coordinator.pid ?? 0),
    commands: await commandsOf(server),
  });
  try {
    const authorization = `Bearer ${readFileSync(join(coordinator.folder, 'operator.token'), 'utf8').trim()}`;
    for (let n = 0; n < crawls; n++) {
      const job = web.job(`${side.name}-waiting`, { name: `waiting-${n}`, politeness: { gap: '1h' } });
      const answer = await fetch(`${coordinator.url()}/v1/crawls`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ job: { ...job, seeds: job.seeds.slice(n, n + 1) } }),
      });
      if (!answer.ok) throw new Error(`${side.name} did not take a crawl: ${await answer.text()}`);
    }
    const startedMs = performance.now();
    await until('crawls to come to rest', () => performance.now() - startedMs > settleMs, 2 * settleMs);
  } catch (error) {
    await network.end();
    throw error;
  }
  let last = await read();
  return {
    async look() {
      const now = await read();
      const seconds = (now.atMs - last.atMs) / 1_000;
      const taken = {
        'waiting CPU': (now.cpuMs - last.cpuMs) / seconds,
        'waiting commands': (now.commands - last.commands) / seconds,
      };
      last = now;
      return taken;
    },
    stop: () => network.end(),
  };
}
