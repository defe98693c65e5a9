import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { finish, readTask } from './work.ts';

/** The absolute http(s) targets of a page, each once, without fragment. */
export type ReadLinks = (body: Buffer, url: string) => Iterable<string>;

/**
 * The bare engine: an undici loop, inflate, a link reader, a Set and an array in memory. No robots, no
 * records, nothing on disk, no way to go on after a crash.
 */
export async function crawlBare(readLinks: ReadLinks): Promise<void> {
  const task = readTask();
  const inside = new RegExp(task.inside);
  const ca = task.ca === undefined ? {} : { ca: readFileSync(task.ca, 'utf8') };
  const agent = new Agent({ connect: ca, allowH2: false, connections: 1, pipelining: 1 });
  const known = new Set<string>();
  const queue: string[] = [];
  const urls: string[] = [];
  let links = 0;
  const offer = (url: string) => {
    if (known.has(url) || !inside.test(url)) return;
    known.add(url);
    queue.push(url);
  };
  for (const seed of task.seeds) offer(seed);

  async function fetchOne(url: string): Promise<void> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      headers: { 'user-agent': 'bare', 'accept-encoding': 'gzip' },
    });
    const bytes = Buffer.from(await body.arrayBuffer());
    if (statusCode !== 200) return;
    urls.push(url);
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    for (const link of readLinks(plain, url)) {
      if (link === url) continue;
      links++;
      offer(link);
    }
  }

  async function lane(): Promise<void> {
    for (;;) {
      const url = queue.shift();
      if (url !== undefined) {
        busy++;
        await fetchOne(url);
        busy--;
        wake();
      } else if (busy === 0) return wake();
      else await new Promise<void>((resolve) => void waiting.push(resolve));
    }
  }
  let busy = 0;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };

  await Promise.all(Array.from({ length: task.concurrency }, lane));
  finish(urls, links);
  await agent.destroy();
}
