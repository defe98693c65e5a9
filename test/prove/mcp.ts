// watches: packages/cli/src/mcp, packages/cli/src/local, packages/cli/src/crawl
// misses: an agent that gets more than the operator allows
import { existsSync, symlinkSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEntry } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { judgeRequests } from '../judge/judge-requests.ts';
import { agentGapMs, pageOn, serverWords, type StdioAgent, stdioAgent } from '../mcp/agent.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { workFolder } from './lab.ts';

const sizes = {
  quick: { maxPages: 12, kills: 1, closed: ['closed0'] },
  full: { maxPages: 40, kills: 5, closed: ['closed0', 'stranger0', 'sick0', 'patience0'] },
} as const;
type Size = (typeof sizes)[keyof typeof sizes];
/** The clocks of two processes, and of timers. */
const epsilonMs = 1;

/**
 * An agent drives `webfarer mcp` through the client of the protocol's SDK, over standard input and output, and asks for more
 * than it may have: pages that robots.txt closes, more pages than the operator allows, a host that is just being crawled,
 * folders elsewhere. The server is killed in the middle of a crawl and started again. The log of the fake web says what
 * was requested, and when.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const work = workFolder('mcp');
  const fake = await startFakeWeb({ size: 'S', seed: 1 });
  try {
    const stage: Stage = { fake, work: work.path, size, agents: [] };
    const refused = await askForClosed(stage);
    const limited = await askForTooMuch(stage);
    const shared = await crawlOneHostTwice(stage);
    const killed = await killAndResume(stage);
    const outside = await nameOtherFolders(stage);
    const log = await fake.log();
    const { disallowed, beforeRobots, gapViolations, minGapMs, requestExamples } = judgeRequests({
      web: fake.web,
      expect: {},
      gapMs: agentGapMs,
      epsilonMs,
      log,
    });
    for (const line of [...requestExamples.disallowed, ...requestExamples.gaps]) console.error(`  ✗ ${line}`);
    const strange = stage.agents.reduce((sum, agent) => sum + agent.strange().length, 0);
    return {
      ok:
        refused.closedRead === 0 &&
        refused.reasonsGiven === size.closed.length &&
        limited.pagesOver === 0 &&
        limited.pages > 0 &&
        limited.crawlsOver === 0 &&
        shared.sharedErrors === 0 &&
        killed.lost === 0 &&
        killed.repeats <= killed.kills &&
        outside.outside === 0 &&
        outside.inside > 0 &&
        disallowed + beforeRobots + gapViolations + strange === 0,
      tooEasy: shared.interleaved === 0 || killed.kills !== size.kills,
      result: {
        requests: log.length,
        disallowed,
        beforeRobots,
        gapViolations,
        minGapMs,
        strange,
        ...refused,
        ...limited,
        ...shared,
        ...killed,
        ...outside,
        sizes: { maxPages: size.maxPages, gapMs: agentGapMs },
      },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

interface Stage {
  fake: FakeWeb;
  work: string;
  size: Size;
  /** All that were started, for what they saw. */
  agents: StdioAgent[];
}

const rootOf = ({ work }: Stage) => join(work, 'agents');

async function start(stage: Stage, more: readonly string[] = []): Promise<StdioAgent> {
  const limits = ['--max-pages', String(stage.size.maxPages), '--max-crawls', '2'];
  const words = serverWords(stage.fake, rootOf(stage), [...limits, ...more]);
  const agent = await stdioAgent({ words, state: join(stage.work, 'state') });
  stage.agents.push(agent);
  return agent;
}

async function withAgent<T>(stage: Stage, use: (agent: StdioAgent) => Promise<T>): Promise<T> {
  const agent = await start(stage);
  try {
    return await use(agent);
  } finally {
    await agent.close();
  }
}

async function pagesOf({ fake }: Stage, host: string): Promise<LogEntry[]> {
  return (await fake.log()).filter((entry) => entry.host === `${host}.test` && entry.path !== '/robots.txt');
}

/** Hosts that robots.txt closes: nothing but robots.txt is requested, and the agent reads why. */
async function askForClosed(stage: Stage) {
  const { closed } = stage.size;
  let reasonsGiven = 0;
  let closedRead = 0;
  await withAgent(stage, async (agent) => {
    await Promise.all(
      closed.map(async (host) => {
        const { isError, text } = await agent.call('fetch_page', { url: pageOn(stage.fake, host) });
        if (isError && /robots\.txt|crawl-delay/.test(text)) reasonsGiven++;
        closedRead += (await pagesOf(stage, host)).length;
      }),
    );
  });
  return { reasonsGiven, closedRead };
}

/** More pages than allowed, of a host that has more; and a crawl beyond those that may run. */
async function askForTooMuch(stage: Stage) {
  const { maxPages } = stage.size;
  return await withAgent(stage, async (agent) => {
    const crawl = (host: string, wait: number) =>
      agent.call('crawl_site', {
        url: pageOn(stage.fake, host),
        stay: 'host',
        max_pages: 1_000_000,
        wait_s: wait,
      });
    const [one, two, three] = [crawl('www.hub0', 600), crawl('blog.hub0', 600), crawl('friend0', 600)];
    const { isError } = await three;
    await Promise.all([one, two]);
    const counts = await Promise.all(
      ['www.hub0', 'blog.hub0'].map(async (host) => (await pagesOf(stage, host)).filter(isDone).length),
    );
    return {
      pages: Math.min(...counts),
      pagesOver: counts.reduce((sum, count) => sum + Math.max(0, count - maxPages), 0),
      crawlsOver: (isError ? 0 : 1) + (await pagesOf(stage, 'friend0')).length,
    };
  });
}

/** What counts as a page of a crawl: answered, redirects included. */
const isDone = ({ status }: LogEntry) => status >= 200 && status < 400;

/**
 * Two crawls and single pages on one host at once, the pages by two servers with one folder: all take turns, so none
 * waits for all of another.
 */
async function crawlOneHostTwice(stage: Stage) {
  const host = 'www.museum0';
  const url = pageOn(stage.fake, host);
  const page = (by: StdioAgent, n: number) =>
    by.call('fetch_page', { url: pageOn(stage.fake, host, `/index/${n}`) });
  return await withAgent(stage, (one) =>
    withAgent(stage, async (two) => {
      const crawl = (name: string) =>
        one.call('crawl_site', { url, name, stay: 'host', max_pages: 6, wait_s: 600 });
      const answers = await Promise.all([crawl('one'), crawl('two'), page(one, 0), page(two, 1)]);
      for (const { isError, text } of answers) if (isError) console.error(`  ✗ ${text.slice(0, 300)}`);
      const ports = (await pagesOf(stage, host)).map(({ peerPort }) => peerPort);
      return {
        sharedErrors: answers.filter(({ isError }) => isError).length,
        // Each crawl has a connection of its own: a change of it is a change of turns.
        interleaved: ports.filter((port, i) => i > 0 && port !== ports[i - 1]).length,
      };
    }),
  );
}

/** Killed in the middle, started again: the same call brings the rest, and nothing twice but what was under way. */
async function killAndResume(stage: Stage) {
  const { size, fake } = stage;
  const host = 'forum0';
  const query = { url: pageOn(fake, host), stay: 'host', max_pages: size.maxPages, wait_s: 600 };
  let kills = 0;
  for (let seen = 0; kills < size.kills; ) {
    const agent = await start(stage);
    // It is cut off together with the server.
    const call = agent.call('crawl_site', query).catch(() => undefined);
    seen = await untilMore(stage, host, seen);
    process.kill(agent.pid, 'SIGKILL');
    kills++;
    await call;
    await agent.close().catch(() => undefined);
  }
  const { facts } = await withAgent(stage, (agent) => agent.call('crawl_site', query));
  const entries = await pagesOf(stage, host);
  const answered = entries.filter(({ status, cut }) => cut === undefined && status < 500 && status !== 429);
  const paths = new Set(answered.map(({ path }) => path));
  const { done = 0, failed = 0 } = (facts['pages'] ?? {}) as { done?: number; failed?: number };
  return {
    kills,
    state: facts['state'],
    /** Pages that the crawl counts and nobody asked for, or the other way round. */
    lost: Math.abs(done + failed - paths.size),
    repeats: answered.length - paths.size,
  };
}

async function untilMore(stage: Stage, host: string, than: number): Promise<number> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const { length } = await pagesOf(stage, host);
    if (length >= than + 2) return length;
    if (performance.now() > deadline) throw new Error(`the crawl of ${host} makes no progress`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A crawl beside the operator's folder, by a path and by a link that leads to it; and a new one there. */
async function nameOtherFolders(stage: Stage) {
  const root = rootOf(stage);
  const beside = join(stage.work, 'beside.crawl');
  await cp(join(root, 'one.crawl'), beside, { recursive: true });
  symlinkSync(beside, join(root, 'linked.crawl'));
  const names = [
    '../beside',
    '../beside.crawl',
    beside,
    'pages/../../beside',
    'linked',
    './one/../../beside',
  ];
  return await withAgent(stage, async (agent) => {
    const search = (folder: string) => agent.call('search_crawl', { folder, words: 'a* -x1y2' });
    let outside = 0;
    for (const name of names) {
      if (!(await search(name)).isError) outside++;
      const url = pageOn(stage.fake, 'www.museum0');
      if (!(await agent.call('explain_url', { url, folder: name })).isError) outside++;
    }
    await agent.call('crawl_site', { url: pageOn(stage.fake, 'www.hub0'), name: '../made', wait_s: 5 });
    if (existsSync(join(stage.work, 'made.crawl'))) outside++;
    const { facts } = await search('one');
    return { outside, inside: Number(facts['pages'] ?? 0) };
  });
}
