import type { JobInput } from '@webfarer/protocol';
import type { RedisServers } from '../../test/redis/servers.ts';
import { noLimits } from '../no-limits.ts';
import { mainThreadCpuMs } from '../process-cpu.ts';
import type { Taken } from './figures.ts';
import { commandsOf } from './redis-commands.ts';
import { runCommand, type Side } from './side.ts';
import type { Web } from './web.ts';

/** One thing that both sides do at the same time, round by round. */
export interface Trial {
  run(side: Side, round: number): Promise<Taken>;
}

/** One thread collects garbage while pages are measured, so that helpers that wait for each other do not count. */
const steady = ['--single-threaded-gc'];
const run = ['run', 'job.json', '--out', 'crawl', '--quiet'];

/** A whole crawl: what a page takes once code is compiled and before outputs are written, what those take, and memory. */
export function pagesTrial(name: string, web: Web, saver: 'none' | 'warc'): Trial {
  return {
    async run(side, round) {
      const agent = agentOf(side, name, round);
      const usage = await runCommand(side, web.job(agent, { save: [saver] }), {
        words: run,
        flags: steady,
        started: (pid) => web.visit({ agent, pid }),
      });
      const [first, last] = web.marksOf(agent);
      // Of pages that are almost nothing, V8's own threads are the part that scatters.
      const spent = name === 'page tiny' ? last.mainMs - first.mainMs : last.cpuMs - first.cpuMs;
      const ofPages = { [name]: (1_000 * spent) / (last.page - first.page) } as Taken;
      if (name !== 'page medium') return ofPages;
      const outputs = (1_000 * (usage.cpuMs - last.cpuMs)) / web.pages;
      return { ...ofPages, 'outputs medium': outputs, 'peak memory': usage.peakMiB };
    },
  };
}

export function tenPagesTrial(web: Web): Trial {
  return {
    async run(side, round) {
      const job: Partial<JobInput> = { limits: { ...noLimits, pages: 10 } };
      const { cpuMs } = await runCommand(side, web.job(agentOf(side, 'ten', round), job), { words: run });
      return { 'ten pages': cpuMs };
    },
  };
}

/** The least of several starts: a start is so short that one other process beside it shows. */
const starts = 3;

export const startTrial: Trial = {
  async run(side) {
    const least = async (...words: string[]): Promise<number> => {
      let leastMs = Number.POSITIVE_INFINITY;
      for (let n = 0; n < starts; n++)
        leastMs = Math.min(leastMs, (await runCommand(side, undefined, { words })).cpuMs);
      return leastMs;
    };
    return {
      'start --version': await least('--version'),
      'start crawl --help': await least('crawl', '--help'),
    };
  },
};

/** What the store does for a page. Each side has a server of its own. */
export function storeTrial(web: Web, servers: Record<Side['name'], RedisServers>): Trial {
  return {
    async run(side, round) {
      const { url, nodes } = servers[side.name];
      const [server] = nodes;
      if (!server) throw new Error('the store has no server');
      await server.ask('FLUSHALL');
      const [before, cpuMs] = [await commandsOf(server), mainThreadCpuMs(server.pid)];
      await runCommand(side, web.job(agentOf(side, 'store', round)), { words: [...run, '--store', url] });
      const usedMs = mainThreadCpuMs(server.pid) - cpuMs;
      return {
        'Redis commands': ((await commandsOf(server)) - before) / web.pages,
        'Redis CPU': (1_000 * usedMs) / web.pages,
      };
    },
  };
}

function agentOf({ name: side }: Side, name: string, round: number): string {
  return `${side}-${name.replaceAll(/\W+/g, '-')}-${round}`;
}
