// watches: packages/coordinator/src/crawl, packages/coordinator/src/frontier, packages/cli/src/commands
// watches: packages/cli/src/folder, packages/cli/src/view, packages/protocol/src/crawl, packages/protocol/src/robots
// misses: wrong answers to why a URL was or was not fetched
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Explanation } from '../../packages/cli/src/crawl/crawl-run.ts';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import type { FolderReader } from '../../packages/cli/src/crawl/local-port.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import {
  argument,
  commandPath,
  labExpects,
  labJob,
  startCrawler,
  until,
  workFolder,
  writeJob,
} from './lab.ts';

const sizes = {
  quick: { web: 'S', ask: 60, requests: 600, typed: 3 },
  full: { web: 'M', ask: 200, requests: 12_000, typed: 20 },
} as const;

/** The rule of this crawl's own that some links break: which URLs it hits is plain to see. */
const excluded = /\/s2\//;

interface Question {
  url: string;
  /** What is right, from the fake web's closed form and what was asked of the server so far. */
  right: (told: Explanation) => boolean;
  about: string;
}

/**
 * Stops a crawl half way and asks about URLs in every state. The truth is the fake web's: how a page
 * answers, which robots line forbids it, whether it was ever asked for.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const work = workFolder('explain');
  const fake = await startFakeWeb({ size: size.web, seed: 6 });
  try {
    const job = join(work.path, 'job.json');
    const folder = join(work.path, 'lab.crawl');
    await writeJob(job, labJob(fake, { scope: { stay: 'web', exclude: [{ regex: excluded.source }] } }));
    const crawler = startCrawler(job, folder);
    await until('half the crawl', async () => (await fake.stats()).requests >= size.requests, 240_000);
    const inFlight = await askInFlight(fake, folder, quick ? 3 : 10);
    crawler.child.kill('SIGINT');
    await crawler.ended;
    const reader = await readFolder(folder);
    const wrong: string[] = [...inFlight.wrong];
    const states: Record<string, number> = { 'in-flight': inFlight.asked };
    const questions = sample(await ask(fake, reader), Number(argument(args, '--count') ?? size.ask));
    for (const [i, { url, right, about }] of questions.entries()) {
      const told = i < size.typed ? typed(url, folder) : await reader.explain(url);
      states[about] = (states[about] ?? 0) + 1;
      if (!right(told)) wrong.push(`${url} (${about}): ${JSON.stringify(told)}`);
    }
    await reader.close();
    for (const line of wrong.slice(0, 20)) console.error(`  ${line}`);
    const asked = questions.length + inFlight.asked;
    return {
      ok: wrong.length === 0 && asked >= size.ask,
      result: { asked, wrong: wrong.length, states, sizes: size },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

/** The command a person types, for some of the questions. */
function typed(url: string, folder: string): Explanation {
  const text = execFileSync(process.execPath, [commandPath, 'explain', url, '--folder', folder, '--json'], {
    encoding: 'utf8',
  });
  return JSON.parse(text.trim().split('\n').at(-1) ?? '{}') as Explanation;
}

/** While the crawl runs: requests that are under way at the server, before and after the question. */
async function askInFlight(
  fake: FakeWeb,
  folder: string,
  wanted: number,
): Promise<{ asked: number; wrong: string[] }> {
  const wrong: string[] = [];
  let asked = 0;
  const reader = await readFolder(folder);
  const open = async () =>
    (await fake.log()).filter((entry) => entry.endNs === 0 && entry.path !== '/robots.txt');
  for (let tries = 0; tries < 200 && asked < wanted; tries++) {
    const [entry] = await open();
    if (!entry) continue;
    const url = `${entry.scheme}://${entry.host}:${entry.scheme === 'http' ? fake.httpPort : fake.httpsPort}${entry.path}`;
    const told = await reader.explain(url);
    if (!(await open()).some((other) => other.startNs === entry.startNs)) continue;
    asked++;
    if (told.state !== 'in-flight') wrong.push(`${url} (in flight): ${JSON.stringify(told)}`);
  }
  await reader.close();
  return { asked, wrong };
}

async function ask(fake: FakeWeb, reader: FolderReader): Promise<Map<string, Question[]>> {
  const groups = new Map<string, Question[]>();
  const add = (question: Question) =>
    groups.set(question.about, [...(groups.get(question.about) ?? []), question]);
  const settled = new Set<string>();
  for await (const { url } of reader.results.records(reader.crawl)) settled.add(url);
  for (const expected of fake.web.expected(labExpects)) {
    const { url, verdict, reason } = expected;
    if (excluded.test(url)) {
      if (groups.get('excluded')?.length !== 100) {
        add({
          url,
          about: 'excluded',
          right: (told) =>
            told.state === 'out-of-scope' &&
            told.code === 'excluded' &&
            (told.rule ?? '').includes(excluded.source),
        });
      }
    } else if (settled.has(url)) {
      const truth = fake.web.truth(url);
      const line = truth.known === true && reason === 'robots' ? truth.robots.line : undefined;
      const right = (told: Explanation) =>
        told.state === verdict &&
        told.code === reason &&
        (line === undefined || (told.rule ?? '').includes(`line ${line} `));
      if ((groups.get(reason)?.length ?? 0) < 100) add({ url, about: reason, right });
    } else if ((groups.get('waiting')?.length ?? 0) < 300) {
      // Found but not asked for yet, or not found yet: the frontier says which, and why it waits.
      add({ url, about: 'waiting', right: (told) => told.state === 'queued' || told.state === 'unknown' });
    }
  }
  for (let n = 0; n < 20; n++) {
    add({
      url: `http://nowhere${n}.test/nothing`,
      about: 'unknown',
      right: (told) => told.state === 'unknown',
    });
    add({
      url: `${fake.web.seeds()[0]}a/a/a/a/${n}`,
      about: 'trap',
      right: (told) => told.state === 'out-of-scope' && told.code === 'trap',
    });
  }
  return groups;
}

/** Evenly from all groups, so that rare states are asked about too. */
function sample(groups: Map<string, Question[]>, wanted: number): Question[] {
  const chosen: Question[] = [];
  for (let round = 0; chosen.length < wanted && round < 1_000; round++) {
    for (const questions of groups.values()) {
      const at = Math.floor(Math.random() * questions.length);
      const [question] = questions.splice(at, 1);
      if (question && chosen.length < wanted) chosen.push(question);
    }
  }
  return chosen;
}
