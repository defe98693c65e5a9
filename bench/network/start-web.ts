import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JobInput } from '@webfarer/protocol';
import { hostAddress } from '../broad/site.ts';
import type { PlainWeb, WebLook } from './web.ts';
import { noLimits } from '../no-limits.ts';

/** A plain web in a process of its own. */
export interface RunningWeb {
  /** A job that crawls all of it, and never more. */
  job: JobInput;
  pageBytesSent: number;
  look(): Promise<WebLook>;
  stop(): Promise<void>;
}

export async function startWeb(web: PlainWeb): Promise<RunningWeb> {
  const file = join(import.meta.dirname, 'origin.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(web)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async <T>() => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the origin has ended');
    return JSON.parse(value) as T;
  };
  const { port, pageBytesSent } = await next<{ port: number; pageBytesSent: number }>();
  return {
    job: jobFor(web, port),
    pageBytesSent,
    async look() {
      child.stdin.write('\n');
      return await next<WebLook>();
    },
    async stop() {
      child.stdin.end();
      await gone;
    },
  };
}

function jobFor({ hosts, gapMs }: PlainWeb, port: number): JobInput {
  return {
    name: 'plain',
    seeds: Array.from({ length: hosts }, (_, host) => `http://${hostAddress(host)}:${port}/`),
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host' },
    limits: noLimits,
    politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    save: ['none'],
  };
}
