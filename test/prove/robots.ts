// ci: core
// watches: packages/protocol/src/robots, packages/worker/src/fetch
// misses: a rule of robots.txt that is read wrongly
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRobots } from '@webfarer/protocol/robots';
import { readRobotsSpecs } from './textproto.ts';

export interface RobotsProof {
  passed: number;
  total: number;
  /** Specification files read. */
  files: number;
  failures: string[];
  /** Real-world and odd robots files that were parsed and asked, and those that threw. */
  oddFiles: number;
  threw: string[];
  /** The slowest decision about a pattern made to be slow. */
  hostileMs: number;
  /** The slowest parse of a file made to be slow, 500 KiB. */
  hostileParseMs: number;
}

const maxHostileMs = 5;

/** 400 expectations of the robots.txt specification tests, odd files never throw, hostile patterns are fast. */
export async function prove(options: {
  quick: boolean;
  args: string[];
}): Promise<{ ok: boolean; result: Record<string, unknown> }> {
  const corpora = process.env['WEBFARER_CORPORA'];
  if (corpora === undefined) {
    return { ok: false, result: { skipped: 'WEBFARER_CORPORA does not name the folder of corpora' } };
  }
  const spec = runSpecs(join(corpora, 'robots-google'));
  const odd = runOddFiles(join(corpora, 'crawler-commons', 'robots'));
  const hostile = runHostile();
  const result: RobotsProof = { ...spec, ...odd, ...hostile };
  const ok =
    spec.passed === spec.total &&
    spec.total === 400 &&
    odd.oddFiles > 0 &&
    odd.threw.length === 0 &&
    hostile.hostileMs < maxHostileMs;
  return { ok, result: { ...result, quick: options.quick, sizes: { expectations: spec.total } } };
}

function runSpecs(folder: string) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((n) =>
    n.endsWith('.textproto'),
  );
  const failures: string[] = [];
  let total = 0;
  for (const name of names.sort()) {
    for (const { robotstxt, expectations } of readRobotsSpecs(readFileSync(join(folder, name)))) {
      const robots = parseRobots(robotstxt);
      for (const { url, userAgent, allowed } of expectations) {
        total++;
        const decision = robots.decide(userAgent, pathFrom(url));
        if (decision.allowed !== allowed) failures.push(`${name}: ${userAgent} ${url} should be ${allowed}`);
      }
    }
  }
  return { passed: total - failures.length, total, files: names.length, failures };
}

/** Path and query exactly as written: the files test spellings that URL parsing would change. */
function pathFrom(url: string): string {
  const rest = url.replace(/^[a-z]+:\/\/[^/?;]*/i, '').replace(/#.*$/, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function runOddFiles(folder: string) {
  const threw: string[] = [];
  const names = readdirSync(folder);
  for (const name of names) {
    try {
      const bytes = readFileSync(join(folder, name));
      for (const text of [bytes.toString('utf8'), bytes.toString('latin1')]) {
        const robots = parseRobots(text);
        for (const agent of ['webfarer', '*', '', 'Foo Bar', 'x'.repeat(1000)]) {
          robots.decide(agent, '/a/b?c=%zz');
          robots.crawlDelayMs(agent);
          robots.rulesFor(agent);
        }
      }
    } catch (error) {
      threw.push(`${name}: ${String(error)}`);
    }
  }
  return { oddFiles: names.length, threw };
}

/** What an exponential or quadratic matcher would choke on. */
function runHostile() {
  const path = `/${'a'.repeat(2000)}`;
  const patterns = ['*'.repeat(1000), '*a'.repeat(1000), `${'a*'.repeat(1000)}b$`, `/${'*a*'.repeat(333)}b`];
  let hostileMs = 0;
  for (const pattern of patterns) {
    const robots = parseRobots(`User-agent: *\nDisallow: /${pattern}\n`);
    robots.decide('webfarer', '/');
    hostileMs = Math.max(
      hostileMs,
      best(3, () => robots.decide('webfarer', path)),
    );
  }
  const size = 500 * 1024;
  const bodies = [
    `Disallow: a${' '.repeat(size - 20)}b`,
    'User-agent: x\n'.repeat(size / 14),
    `User-agent: *\nDisallow: ${'*'.repeat(size - 40)}`,
    ':'.repeat(size),
    '\r'.repeat(size),
    manyAgents(size),
  ];
  const hostileParseMs = Math.max(...bodies.map((body) => best(1, () => parseRobots(body))));
  return { hostileMs: round(hostileMs), hostileParseMs: round(hostileParseMs) };
}

/** Thousands of agents that share thousands of rules: merged for each of them this would not fit in memory. */
function manyAgents(size: number): string {
  const name = (n: number) => n.toString(2).replaceAll('0', 'a').replaceAll('1', 'b');
  const agents = Array.from({ length: size / 60 }, (_, n) => `User-agent: ${name(n)}\n`).join('');
  return agents + 'Crawl-delay: 1\n'.repeat(size / 60) + 'Disallow: /x\n'.repeat(size / 60);
}

function best(times: number, run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
