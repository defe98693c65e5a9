import { Resolver } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { normaliser, resolveJob } from '@webfarer/protocol';
import { charsetOf, decodeText, extractLinks, isHtml, parseContentType } from '@webfarer/worker';
import { Agent, request } from 'undici';
import { finish, readTask } from './work.ts';

/**
 * The bare engine: an undici loop, inflate, link scan, a Set and an array in memory. No politeness, no
 * robots, nothing on disk. It shares our link scanner and URL rules, so the ratio is the cost of the rest.
 */
const task = readTask();
const inside = new RegExp(task.hosts);
const { normalise: rules } = resolveJob({
  name: 'bare',
  seeds: task.seeds,
  contact: 'https://lab.test/crawler',
  scope: { stay: 'web' },
});
const normalise = normaliser(rules);

const resolver = new Resolver();
resolver.setServers(task.fetch.dns);
const addresses = new Map<string, string>();
const lookup = ((name, options, done) => {
  const answer = (address: string) =>
    options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
  const known = addresses.get(name);
  if (known) return answer(known);
  resolver.resolve4(name, (error, found) => {
    const address = found?.[0];
    if (error || !address) return done(error ?? new Error('no address'), '', 4);
    addresses.set(name, address);
    answer(address);
  });
}) as LookupFunction;
const agent = new Agent({ connect: { lookup }, allowH2: false, connections: 1, pipelining: 1 });

const started = performance.now();
const known = new Set<string>();
const queue: string[] = [];
const done: string[] = [];
const offer = (url: string | undefined) => {
  if (url === undefined || known.has(url) || !inside.test(url)) return;
  known.add(url);
  queue.push(url);
};
for (const seed of task.seeds) offer(normalise(seed));

async function fetchOne(url: string): Promise<void> {
  const answer = await request(url, {
    dispatcher: agent,
    headers: { 'user-agent': 'bare', 'accept-encoding': 'gzip' },
  });
  const body = Buffer.from(await answer.body.arrayBuffer());
  if (answer.statusCode >= 500) return await fetchOne(url);
  done.push(url);
  if (answer.statusCode >= 300 && answer.statusCode < 400)
    return offer(normalise(String(answer.headers.location), url));
  const { mime, charset } = parseContentType(String(answer.headers['content-type'] ?? ''));
  if (answer.statusCode !== 200 || !isHtml(mime)) return;
  const plain = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  const page = extractLinks(decodeText(plain, charsetOf(plain, { label: charset })), {
    url,
    resolve: normalise,
  });
  if (String(answer.headers['x-robots-tag'] ?? '').includes('nofollow')) return;
  if (page.metaRobots.some(({ content }) => content.includes('nofollow'))) return;
  for (const link of page.links) if (link.use === 'page' && !link.nofollow) offer(link.url);
}

let busy = 0;
await new Promise<void>((resolve, reject) => {
  const pump = () => {
    while (busy < task.concurrency && queue.length > 0) {
      busy++;
      fetchOne(queue.shift() as string)
        .then(() => {
          busy--;
          if (busy === 0 && queue.length === 0) resolve();
          else pump();
        })
        .catch(reject);
    }
  };
  pump();
});
finish(done, started);
await agent.close();
