import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JobInput } from '@webfarer/protocol';
import { hostAddress, type Site } from '../broad/site.ts';
import { noLimits } from '../no-limits.ts';
import type { Mark, OriginTask, Visit } from './origin.ts';

/** A web in a process of its own that knows the CPU time of its crawlers. */
export interface Web {
  pages: number;
  /** A job that crawls all of it. */
  job(agent: string, changes?: Partial<JobInput>): JobInput;
  /** The crawler with this agent has this process. */
  visit(visit: Visit): void;
  /** The two marks of a crawler that has fetched every page. */
  marksOf(agent: string): [Mark, Mark];
  stop(): Promise<void>;
}

/** Pages of a crawl before its page path is compiled, as a share, and those after the last that is measured. */
const warmUp = 0.5;
const tailPages = 64;

export async function startWeb(site: Site): Promise<Web> {
  const pages = site.hosts * site.pagesPerHost;
  const task: OriginTask = { ...site, marks: [Math.round(pages * warmUp), pages - tailPages] };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'origin.ts'), JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const ready = await Promise.race([
    new Promise<string>((resolve) => lines.once('line', resolve)),
    gone.then(() => Promise.reject(new Error('the origin did not start'))),
  ]);
  const { port } = JSON.parse(ready) as { port: number };
  const marks: Mark[] = [];
  lines.on('line', (line) => marks.push(JSON.parse(line) as Mark));
  return {
    pages,
    job: (agent, changes = {}) => ({
      name: 'cost',
      seeds: Array.from({ length: site.hosts }, (_, host) => `http://${hostAddress(host)}:${port}/`),
      contact: 'https://lab.test/crawler',
      scope: { stay: 'web', include: [{ regex: `^http://127\\.77\\.\\d+\\.\\d+:${port}/` }] },
      normalise: { enabled: false },
      limits: noLimits,
      politeness: { gap: '0s', slowFactor: 0, connections: 32 },
      fetch: { allowPrivate: ['127.0.0.0/8'], userAgent: `${agent} {contact}` },
      save: ['none'],
      ...changes,
    }),
    visit: (visit) => void child.stdin.write(`${JSON.stringify(visit)}\n`),
    marksOf(agent) {
      const [first, last] = marks.filter((mark) => mark.agent === agent);
      if (!first || !last) throw new Error(`${agent} has not fetched all ${pages} pages`);
      return [first, last];
    },
    async stop() {
      child.stdin.end();
      await gone;
    },
  };
}
