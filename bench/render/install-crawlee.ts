import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { peersFolder } from '../broad/peers.ts';

export const crawleeFolder = join(peersFolder, 'crawlee-playwright');
const packages = ['@crawlee/playwright@3.18.1', 'playwright'];

export function hasCrawlee(): boolean {
  return existsSync(join(crawleeFolder, 'node_modules/@crawlee/playwright/package.json'));
}

/** Without its browsers: it uses the one that we use. False: it cannot be installed here. */
export async function installCrawlee(): Promise<boolean> {
  if (hasCrawlee()) return true;
  try {
    await mkdir(crawleeFolder, { recursive: true });
    await writeFile(join(crawleeFolder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
    await promisify(execFile)('npm', args, { cwd: crawleeFolder });
    return hasCrawlee();
  } catch (error) {
    console.error(`  crawlee cannot be installed: ${(error as Error).message.split('\n')[0]}`);
    return false;
  }
}
