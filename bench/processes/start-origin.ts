import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hostAddress, type Site } from '../broad/site.ts';

/** A process that serves a site, with next to no work. */
export interface Origin {
  seeds: string[];
  inside: string;
  facts: Record<string, number>;
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

export async function startOrigin(site: Site): Promise<Origin> {
  const file = join(import.meta.dirname, 'origin.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(site)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? '{}') as Record<string, number>;
  const { port, ...facts } = await next();
  return {
    seeds: Array.from({ length: site.hosts }, (_, host) => `http://${hostAddress(host)}:${port}/`),
    inside: `^http://127\\.77\\.\\d+\\.\\d+:${port}/`,
    facts,
    async cpuMs() {
      child.stdin.write('\n');
      return (await next()).cpuMs ?? 0;
    },
    stop: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await gone;
}
