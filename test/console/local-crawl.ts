import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@webfarer/protocol';
import type { Browser } from 'playwright-core';
import { fakeWorld } from '../../packages/cli/src/fake-crawl.fixture.ts';
import { localCrawls } from '../../packages/cli/src/local/local-crawl.ts';
import { runCli } from '../../packages/cli/src/program.ts';
import { expectWithin } from './expect-within.ts';
import { openVisitor, type Visitor } from './visitor.ts';

export interface LocalWalk {
  /** From the typed command to the screen that says finished. */
  localMs: number;
  wrong: string[];
  noticed: Visitor['noticed'];
}

export interface LocalWalkOptions {
  folder: string;
  consoleFolder: string;
  pictures: string | undefined;
}

const site = 'press.example';
const command = ['crawl', site, '--gap', '150ms', '--ui'];

/** A person types `webfarer crawl SITE --ui`, opens the link and looks on until the crawl is finished. */
export async function watchLocalCrawl(browser: Browser, options: LocalWalkOptions): Promise<LocalWalk> {
  const home = join(options.folder, 'local');
  mkdirSync(home);
  const world = fakeWorld(home, {}, command);
  const keys = new Set<(key: string) => void>();
  const began = performance.now();
  const exit = runCli(command, {
    ...world.context,
    local: localCrawls,
    clock: systemClock(),
    consoleFolder: options.consoleFolder,
    onKey(handler) {
      keys.add(handler);
      return () => void keys.delete(handler);
    },
  });
  const link = await printed(world.out, /http:\/\/127\.0\.0\.1:\d+\/crawls\/\S+/);
  const origin = link.replace(/\/crawls\/.*/, '');
  const visitor = await openVisitor(browser, { url: origin, expected: (text) => text.includes('401') });
  const { page } = visitor;
  await page.goto(link);
  const wrong = await expectWithin(
    page.getByRole('heading', { level: 1, name: site }).waitFor(),
    'the link does not lead to the crawl',
  );
  if (page.url().includes('code')) wrong.push(`the code stays in the address: ${page.url()}`);
  await page.locator('.legend dd').first().filter({ hasText: /\d\d/ }).waitFor();
  if (options.pictures !== undefined)
    await page.screenshot({ path: join(options.pictures, 'local-1440-light.png') });
  const finished = page.locator('.crawl-head .state', { hasText: 'finished' });
  wrong.push(...(await expectWithin(finished.waitFor(), 'the crawl is not seen to finish')));
  const localMs = Math.round(performance.now() - began);
  await printed(world.out, /The console stays open/);
  wrong.push(...(await sameCounts(visitor, join(home, `${site}.crawl`))));
  wrong.push(...(await refusedTwice(browser, link)));
  for (const press of keys) press('q');
  const code = await exit;
  if (code !== 0) wrong.push(`the command ends with ${code}: ${world.err()}`);
  return { localMs, wrong, noticed: visitor.noticed };
}

/** What the command prints, once it has. */
async function printed(out: () => string, wanted: RegExp): Promise<string> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const [found] = wanted.exec(out()) ?? [];
    if (found !== undefined) return found;
    await sleep(50);
  }
  throw new Error(`the command does not print ${wanted.source}:\n${out()}`);
}

/** The folder says what the screen says. */
async function sameCounts({ page }: Visitor, folder: string): Promise<string[]> {
  const { session } = JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8')) as {
    session: { balance: Record<string, number> };
  };
  const { balance } = session;
  const right = ['done', 'failed', 'refused', 'leased', 'queued', 'known']
    .map((name) => balance[name])
    .join();
  const shown = (await page.locator('.legend dd').allTextContents()).join();
  return shown === right ? [] : [`the local crawl shows ${shown}, and its folder has ${right}`];
}

/** Another browser, with the same link. */
async function refusedTwice(browser: Browser, link: string): Promise<string[]> {
  const other = await openVisitor(browser, { url: link.replace(/\/crawls\/.*/, ''), expected: () => true });
  await other.page.goto(link);
  const wrong = await expectWithin(
    other.page.getByText('This link was used already').waitFor(),
    'a link logs a second browser in',
  );
  await other.close();
  return wrong;
}
