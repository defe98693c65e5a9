import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { commandPath } from './lab.ts';
import type { ShopSite } from './shop-site.ts';

const scraper = join(import.meta.dirname, 'shop-scraper.ts');

export interface ReplayRow {
  pages: number;
  items: number;
  /** Items that the crawl has and the replay has not, or the other way round. */
  unequal: number;
  /** By the shop's own log. */
  requests: number;
  /** The same comparison for a handler that leaves out the first product. */
  unequalInControl: number;
}

/** Runs the scraper of the crawl again over its archive: the same items, and no request. */
export async function replayShop(shop: ShopSite, folder: string): Promise<ReplayRow> {
  const asked = shop.log.length;
  const found = await itemsOf(folder);
  const control = `${folder}.forgetful.ts`;
  const rule = `if (page.label !== 'product' || page.url !== ${JSON.stringify(shop.products[0])}) own(page, tools);`;
  await writeFile(control, handlerWith(rule));
  const [own, other] = await Promise.all([
    replayed({ handler: scraper, folder, out: `${folder}.replay` }),
    replayed({ handler: control, folder, out: `${folder}.control` }),
  ]);
  return {
    pages: own.pages,
    items: own.items.length,
    unequal: differences(found, own.items),
    requests: shop.log.length - asked,
    unequalInControl: differences(found, other.items),
  };
}

export function isEqual({ items, unequal, requests, unequalInControl }: ReplayRow): boolean {
  return items > 0 && unequal + requests === 0 && unequalInControl > 0;
}

/** In the order of the archives. */
export interface MemoryRow {
  pages: number[];
  /** Highest resident size of the process. */
  peakMiB: number[];
  /** The same for a handler that keeps what it reads of every page. */
  peakMiBInControl: number[];
  requests: number;
}

/** Replays archives of a few and of many pages: what it takes of memory must not grow with them. */
export async function replayMemory(
  shops: readonly ShopSite[],
  folders: readonly string[],
): Promise<MemoryRow> {
  const asked = () => shops.reduce((sum, { log }) => sum + log.length, 0);
  const before = asked();
  const row: MemoryRow = { pages: [], peakMiB: [], peakMiBInControl: [], requests: 0 };
  for (const folder of folders) {
    const { pages, peakMiB } = await replayed({ handler: scraper, folder, out: `${folder}.replay` });
    const control = `${folder}.keeps.ts`;
    // Copies: nothing that the crawler frees can free them.
    await writeFile(
      control,
      handlerWith('(globalThis.kept ??= []).push(Buffer.from(page.body)); own(page, tools);'),
    );
    const kept = await replayed({ handler: control, folder, out: `${folder}.control` });
    row.pages.push(pages);
    row.peakMiB.push(peakMiB);
    row.peakMiBInControl.push(kept.peakMiB);
  }
  row.requests = asked() - before;
  return row;
}

/** `bodiesMiB`: what the bodies of all pages take, which stay out of memory. */
export function isBounded({ peakMiB, peakMiBInControl, requests }: MemoryRow, bodiesMiB: number): boolean {
  const [few = 0, all = 0] = peakMiB;
  const [, kept = 0] = peakMiBInControl;
  return requests === 0 && all - few < bodiesMiB / 2 && kept - all > bodiesMiB / 2;
}

function handlerWith(rule: string): string {
  return `import { onPage as own } from ${JSON.stringify(scraper)};\nexport function onPage(page, tools) { ${rule} }\n`;
}

async function replayed({ handler, folder, out }: { handler: string; folder: string; out: string }) {
  const child = spawn(process.execPath, [commandPath, 'replay', handler, folder, '--out', out, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr, peakMiB] = ['', '', 0];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const watch = setInterval(() => (peakMiB = Math.max(peakMiB, peakOf(child.pid as number))), 20);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`the replay ended with ${code}: ${stderr.slice(-2_000)}`);
  const { pages } = JSON.parse(stdout) as { pages: number };
  const text = await readFile(join(out, 'items.jsonl'), 'utf8');
  return { pages, peakMiB, items: text.split('\n').filter((line) => line !== '') };
}

/** The kernel's own figure; 0 once the process is gone. */
function peakOf(pid: number): number {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib) / 1_024);
  } catch {
    return 0;
  }
}

async function itemsOf(folder: string): Promise<string[]> {
  const reader = await readFolder(folder);
  const items: string[] = [];
  try {
    for await (const { item } of reader.results.items(reader.crawl)) items.push(JSON.stringify(item));
  } finally {
    await reader.close();
  }
  return items;
}

/** What is in one of them only, however often. */
function differences(a: readonly string[], b: readonly string[]): number {
  const count = new Map<string, number>();
  for (const one of a) count.set(one, (count.get(one) ?? 0) + 1);
  for (const one of b) count.set(one, (count.get(one) ?? 0) - 1);
  return [...count.values()].reduce((sum, n) => sum + Math.abs(n), 0);
}
