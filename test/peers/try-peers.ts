import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  crawl4aiPython,
  hasCrawl4ai,
  installPeers,
  peersFolder,
  scrapyPython,
} from '../../bench/broad/peers.ts';
import type { Lab, Site } from '../recipes/lab-web.ts';
import { jsonLines, type Recipe } from '../recipes/recipe.ts';

const run = promisify(execFile);
/** What the programs need beside their framework. */
const extras = { pip: ['markdownify', 'readability-lxml'], npm: ['turndown'] };

type Peer = 'scrapy' | 'crawlee' | 'crawl4ai';

/** A job that was run, and what is in what it wrote that proves it. */
interface Tried {
  recipe: string;
  host: string;
  seed: string;
  /** Undefined: as it should be. */
  judge(folder: string, output: string, peer: Peer): string | undefined;
}

const tried: Tried[] = [
  {
    recipe: 'markdown',
    host: 'example.org',
    seed: '/docs/',
    judge(folder) {
      const texts = readdirSync(folder)
        .filter((name) => name.endsWith('.md'))
        .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll(/\s+/g, ' '));
      const wanted = ['step by step, on every system', 'run the program once', 'line by line'];
      const lost = wanted.filter((text) => !texts.some((one) => one.includes(text)));
      return texts.length === 3 && lost.length === 0
        ? undefined
        : `${texts.length} files, lost: ${lost.join()}`;
    },
  },
  {
    recipe: 'shop-json-ld',
    host: 'shop.example',
    seed: '/',
    judge(folder) {
      const items = jsonLines<{ name: string; price: number }>(
        readFileSync(join(folder, 'items.jsonl'), 'utf8'),
      );
      const found = items.map(({ name, price }) => `${name} ${price}`).toSorted();
      return found.join() === 'File "fine" 4.25,Hammer 12.5,Saw, 40 cm 9' ? undefined : found.join();
    },
  },
  {
    recipe: 'broken-links',
    host: 'example.org',
    seed: '/',
    judge(_folder, output, peer) {
      // Crawl4AI drops fragments before a program sees them.
      const wanted = ['/old-guide', ...(peer === 'crawl4ai' ? [] : ['/docs/#instal'])];
      const lost = wanted.filter((target) => !output.includes(target));
      // Crawlers log to the same place; one line has the target and both pages.
      const isWhole = [...output.matchAll(/old-guide.*$/gm)].some(([line]) => line.split(' ').length === 3);
      return lost.length === 0 && isWhole ? undefined : `lost ${lost.join()}: ${output.slice(-800)}`;
    },
  },
];

/** Runs the programs of the others against the same sites, at an address of this machine; answers what each got wrong. */
export async function tryPeers(
  recipes: readonly Recipe[],
  lab: Lab,
  folder: string,
): Promise<Record<string, string>> {
  const there = Object.keys(await installPeers()) as Peer[];
  if (await hasCrawl4ai()) there.push('crawl4ai');
  await installExtras();
  const results: Record<string, string> = {};
  for (const { recipe, host, seed, judge } of tried) {
    const site = recipes.find(({ name }) => name === recipe)?.hosts[host];
    if (site === undefined) continue;
    for (const peer of there) {
      const name = `${peer} ${recipe}`;
      const own = join(folder, `${peer}-${recipe}`);
      mkdirSync(own, { recursive: true });
      const problem = await tryOne({ peer, recipe, site, seed, lab, folder: own, judge }).catch(String);
      results[name] = problem ?? 'as it should be';
      console.error(`  ${name}: ${results[name]}`);
    }
  }
  return results;
}

interface One extends Pick<Tried, 'recipe' | 'seed' | 'judge'> {
  peer: Peer;
  site: Site;
  lab: Lab;
  folder: string;
}

async function tryOne({ peer, recipe, site, seed, lab, folder, judge }: One): Promise<string | undefined> {
  const hosts: Record<string, Site> = {};
  const web = await lab.startWeb(hosts);
  // Asked directly, it answers by its address.
  hosts[web.proxy.slice('http://'.length)] = site;
  try {
    const to = recipe === 'markdown' ? folder : join(folder, 'items.jsonl');
    const words = [`${web.proxy}${seed}`, ...(recipe === 'broken-links' ? [] : [to])];
    const [command, file] = programOf(peer, recipe);
    const env = { ...process.env, HOME: folder, CRAWLEE_STORAGE_DIR: join(folder, 'storage') };
    const done = await run(command, [file, ...words], {
      cwd: folder,
      env,
      timeout: 300_000,
      maxBuffer: 1e8,
    }).catch((error: { code: number; stdout: string; stderr: string }) => {
      if (recipe === 'broken-links' && error.code === 4) return error;
      throw new Error(error.stderr.slice(-1500));
    });
    return judge(folder, done.stdout, peer);
  } finally {
    await web.stop();
  }
}

function programOf(peer: Peer, recipe: string): [string, string] {
  if (peer === 'crawlee') return [process.execPath, join(peersFolder, 'crawlee', `${recipe}.mjs`)];
  const python = peer === 'scrapy' ? scrapyPython() : crawl4aiPython();
  return [python, join(import.meta.dirname, peer, `${recipe}.py`)];
}

/** Node finds packages beside a program, so the programs for Crawlee are copied to where it is installed. */
async function installExtras(): Promise<void> {
  const crawlee = join(peersFolder, 'crawlee');
  await run(scrapyPython(), ['-m', 'pip', 'install', '--quiet', ...extras.pip], { maxBuffer: 1e8 });
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...extras.npm], {
    cwd: crawlee,
  });
  await run('cp', [
    ...tried.map(({ recipe }) => join(import.meta.dirname, 'crawlee', `${recipe}.mjs`)),
    crawlee,
  ]);
}
