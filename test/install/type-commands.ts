import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { type SiteRequest, startExampleSite } from './example-site.ts';
import { type Starts, yardstick } from './first-page.ts';
import { publicAddress } from './own-network.ts';
import { type Ran, type Shell, type } from './shell.ts';

/** What this program is told, as JSON in its first argument. */
export interface Typing {
  shell: Shell;
  lines: string[];
  /** Pages of the site besides its lists. */
  leaves: number;
  /** Requests after which Ctrl-C is pressed on the first line. */
  interruptAfter: number;
  /** How often a crawl is begun to see how soon it asks for its first page. */
  starts: number;
  folder: string;
  /** A folder that is there while one of the programs beside this one measures. */
  turn: string;
}

export interface Typed extends Starts {
  ran: Ran[];
  /** What the site was asked for by each line. */
  asked: SiteRequest[][];
}

/** Run in a network of its own: serves example.org there, types the lines, prints what came of it. */
async function typeAll({
  shell,
  lines,
  leaves,
  interruptAfter,
  starts,
  folder,
  turn,
}: Typing): Promise<Typed> {
  const site = await startExampleSite({ folder, leaves, address: publicAddress });
  const person: Shell = { ...shell, env: { ...shell.env, NODE_EXTRA_CA_CERTS: site.caFile } };
  const typed: Typed = { ran: [], asked: [], firstPageMs: [], yardstickMs: [] };
  for (const [n, line] of lines.entries()) {
    const before = site.requests.length;
    const enough = (): boolean => site.requests.length - before >= interruptAfter;
    typed.ran.push(await type(person, line, n === 0 ? enough : undefined));
    typed.asked.push(site.requests.slice(before));
  }
  for (let n = 0; n < starts; n++) {
    await inTurn(turn, async () => {
      typed.yardstickMs.push(await timeOf(person, yardstick));
      typed.firstPageMs.push(await firstPage(emptyFolder(person, n), site.requests));
    });
  }
  await site.stop();
  return typed;
}

/** One program at a time: they would measure each other. */
async function inTurn(turn: string, measure: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      mkdirSync(turn);
      break;
    } catch {
      await later(50);
    }
  }
  try {
    await measure();
  } finally {
    rmdirSync(turn);
  }
}

/** A folder below, where the command is found and no crawl is, of a person who has not crawled this site yet. */
function emptyFolder({ folder, env }: Shell, n: number): Shell {
  const inner = join(folder, `start-${n}`);
  mkdirSync(inner);
  return { folder: inner, env: { ...env, XDG_STATE_HOME: `${inner}.state` } };
}

async function timeOf(shell: Shell, line: string): Promise<number> {
  const began = performance.now();
  await type(shell, line);
  return performance.now() - began;
}

async function firstPage(shell: Shell, requests: readonly SiteRequest[]): Promise<number> {
  const before = requests.length;
  const page = (): SiteRequest | undefined =>
    requests.slice(before).find(({ what }) => !what.endsWith('/robots.txt'));
  const began = performance.now();
  await type(shell, 'npx webfarer crawl example.org', () => page() !== undefined);
  return (page()?.atMs ?? Number.MAX_SAFE_INTEGER) - began;
}

if (import.meta.main) {
  const typed = await typeAll(JSON.parse(process.argv[2] ?? '') as Typing);
  process.stdout.write(JSON.stringify(typed));
}
