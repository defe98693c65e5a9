import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where the others are installed: beside the project's tools, never among its dependencies. */
export const peersFolder = join(import.meta.dirname, '../../.tools/peers');
const versions = { crawlee: '3.18.1', scrapy: '2.19.0' };
const crawl4aiVersion = '0.9.5';

export type Peer = keyof typeof versions;

/** Installs what is missing. Answers the version of each peer that is there; says why one is not. */
export async function installPeers(): Promise<Partial<Record<Peer, string>>> {
  const found: Partial<Record<Peer, string>> = {};
  for (const [name, install] of [
    ['crawlee', installCrawlee],
    ['scrapy', installScrapy],
  ] as const) {
    try {
      found[name] = await install();
    } catch (error) {
      console.error(`  ${name} cannot be installed: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  return found;
}

async function installCrawlee(): Promise<string> {
  const folder = join(peersFolder, 'crawlee');
  const manifest = join(folder, 'node_modules/@crawlee/cheerio/package.json');
  if (!existsSync(manifest)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `@crawlee/cheerio@${versions.crawlee}`,
    ];
    await run('npm', args, { cwd: folder });
  }
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version;
}

async function installScrapy(): Promise<string> {
  const folder = join(peersFolder, 'scrapy');
  const python = scrapyPython();
  const ask = ['-c', 'import scrapy, uvloop; print(scrapy.__version__)'];
  const there = existsSync(python) && (await run(python, ask).catch(() => undefined));
  if (there) return there.stdout.trim();
  await mkdir(peersFolder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', `scrapy==${versions.scrapy}`, 'uvloop']);
  return (await run(python, ask)).stdout.trim();
}

export function scrapyPython(): string {
  return join(peersFolder, 'scrapy/bin/python');
}

/** Crawl4AI is a gigabyte with what it needs, so only those who ask for it by name install it. */
export async function installCrawl4ai(): Promise<string | undefined> {
  if (await hasCrawl4ai()) return crawl4aiVersion;
  try {
    await mkdir(peersFolder, { recursive: true });
    await run('python3', ['-m', 'venv', join(peersFolder, 'crawl4ai')]);
    const wanted = [`crawl4ai==${crawl4aiVersion}`];
    await run(crawl4aiPython(), ['-m', 'pip', 'install', '--quiet', ...wanted], { maxBuffer: 1e8 });
    return crawl4aiVersion;
  } catch (error) {
    console.error(`  crawl4ai cannot be installed: ${(error as Error).message.split('\n')[0]}`);
    return undefined;
  }
}

/** Whether that version is installed whole; asks no network. */
export async function hasCrawl4ai(): Promise<boolean> {
  const python = crawl4aiPython();
  if (!existsSync(python)) return false;
  const ask = ['-c', 'import importlib.metadata as m; print(m.version("crawl4ai"))'];
  const found = await run(python, ask).catch(() => undefined);
  return found?.stdout.trim() === crawl4aiVersion;
}

export function crawl4aiPython(): string {
  return join(peersFolder, 'crawl4ai/bin/python');
}
