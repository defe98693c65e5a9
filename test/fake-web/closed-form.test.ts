import { parseRobots } from '@webfarer/protocol/robots';
import { normaliser } from '@webfarer/protocol/url';
import { describe, expect, test } from 'vitest';
import { createWeb, type Web } from './web.ts';

const normalise = normaliser({
  enabled: true,
  sort: true,
  strip: ['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'],
});

/** The web's answer without a server. */
function ask(web: Web, url: string) {
  const [, scheme, name, path] = /^(https?):\/\/([^/:]+)[^/]*(\/.*)$/.exec(url) ?? [];
  const host = web.hostNamed(name as string);
  if (host === undefined) throw new Error(`no host for ${url}`);
  return web.answer({
    scheme: scheme as 'http' | 'https',
    host,
    path: path as string,
    acceptEncoding: '',
    before: () => 1,
  });
}

function linksOn(web: Web, url: string): string[] {
  const html = ask(web, url).body.toString('utf8');
  const hrefs = [...html.matchAll(/<a\b[^>]*?\shref=(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)];
  return hrefs.map(([, double, single, bare]) => {
    const text = (double ?? single ?? bare ?? '').replace(/&#(\d+);/g, (_, code) =>
      String.fromCharCode(Number(code)),
    );
    return normalise(text, url) ?? `not a URL: ${text}`;
  });
}

/** Every n-th expected URL of a few hosts. */
function* sample(web: Web, nth: number) {
  const apart = Math.max(1, Math.floor(web.hosts / 150));
  let n = 0;
  for (const expected of web.expected({ hosts: (host) => host.index % apart === 0 })) {
    if (n++ % nth === 0) yield expected;
  }
}

describe.each([
  ['S', 1],
  ['M', 7],
  ['L', 61],
] as const)('of size %s, every %i. URL', (size, nth) => {
  const web = createWeb({ size, seed: 5 });

  test('is answered as expected', () => {
    const wrong: string[] = [];
    for (const { url, status } of sample(web, nth)) {
      if (status !== undefined && ask(web, url).status !== status) wrong.push(`${url} ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe.each(['S', 'L'] as const)('of size %s', (size) => {
  const web = createWeb({ size, seed: 5, httpPort: 8_123, httpsPort: 8_124 });

  test('links lead to known URLs only', () => {
    const unknown: string[] = [];
    for (const { url, reason } of sample(web, size === 'S' ? 7 : 601)) {
      if (reason !== 'ok' || /%|unseen/.test(url) || !ask(web, url).head.includes('text/html; charset=utf-8'))
        continue;
      for (const link of linksOn(web, url)) {
        const truth = web.truth(link);
        if (truth.known === false && truth.why !== 'nofollow') unknown.push(`${url} -> ${link}`);
      }
    }
    expect(unknown).toEqual([]);
  });

  test('hubs lead from the seed to every host', () => {
    const hosts = new Set<string>();
    const queue = [
      ask(web, web.seeds()[0] as string)
        .head.split('Location: ')[1]
        ?.trim() as string,
    ];
    const known = new Set(queue);
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      for (const link of linksOn(web, url)) {
        hosts.add(link.split('/')[2] as string);
        if (!/^http:\/\/www\.hub\d+\.test:8123\/(?:dir\/\d+)?$/.test(link) || known.has(link)) continue;
        known.add(link);
        queue.push(link);
      }
    }
    // The secure hosts' own port appears only behind their redirect.
    expect(hosts.size).toBe(web.hosts);
  });
});

test('has every kind of host and page in the smallest size', () => {
  const web = createWeb({ size: 'S', seed: 5 });
  const outcomes = new Set(
    [...web.expected()].map((one) => `${one.verdict} ${one.reason}${one.truncated ? ' cut' : ''}`),
  );
  expect([...outcomes].toSorted()).toEqual([
    'done http-4xx',
    'done ok',
    'done ok cut',
    'done redirect',
    'failed dns-not-found',
    'failed host-dead',
    'failed http-5xx',
    'refused crawl-delay',
    'refused robots',
    'refused robots-unreachable',
    'refused type',
  ]);
  expect(web.trapHosts().map((host) => host.name)).toEqual(['calendar0.test', 'spiral0.test']);
});

test('says of robots.txt what the matcher says of the file that is served', () => {
  const web = createWeb({ size: 'S', seed: 5 });
  const differ: string[] = [];
  let decided = 0;
  for (const { url } of web.expected()) {
    const truth = web.truth(url);
    const [, origin, path] = /^(https?:\/\/[^/]+)(\/.*)$/.exec(url) ?? [];
    const served = ask(
      web,
      `${(origin as string).replace(/\/\/(hub0|shop0|museum0)\./, '//www.$1.')}/robots.txt`,
    );
    if (served.status !== 200) continue;
    const { allowed, line, text } = parseRobots(served.body.toString()).decide('webfarer', path as string);
    const says = { allowed, ...(line === undefined ? {} : { line, text }) };
    if (line !== undefined) decided++;
    if (JSON.stringify(says) !== JSON.stringify(truth.robots)) differ.push(`${url} ${JSON.stringify(says)}`);
  }
  expect(differ).toEqual([]);
  expect(decided).toBeGreaterThan(25);
});
