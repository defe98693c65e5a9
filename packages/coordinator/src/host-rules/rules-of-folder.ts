import { basename, dirname } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { crawlsName } from '../folder/data-folder.ts';
import type { FolderFrontier } from '../folder/open-frontier.ts';
import { folderRegistry } from '../registry/folder-registry.ts';
import type { Registry, RegistryDoc, RegistryKind } from '../registry/registry.ts';
import { type HostRules, settableRules, tablesOf } from './host-rules.ts';

/**
 * The rules that hold for the crawl of a folder, as its coordinator has them now: in the store of the crawl, or in the data
 * folder that the crawl is kept in. A crawl by itself has none.
 */
export async function rulesOfFolder(
  folder: string,
  { registry: shared }: Pick<FolderFrontier, 'registry'>,
): Promise<HostRules> {
  const rules = settableRules();
  const registry = shared ?? folderRegistry(dataFolderOf(folder), systemClock());
  try {
    rules.set(
      tablesOf({ rules: await docsOf(registry, 'host-rule'), optOuts: await docsOf(registry, 'opt-out') }),
    );
  } finally {
    if (!shared) await registry.close();
  }
  return rules;
}

/** A coordinator keeps its crawls below its data folder, and one that was started with a job keeps that in the folder itself. */
function dataFolderOf(folder: string): string {
  const parent = dirname(folder);
  return basename(parent) === crawlsName ? dirname(parent) : folder;
}

const pageSize = 1_000;

async function docsOf(registry: Pick<Registry, 'list'>, kind: RegistryKind): Promise<RegistryDoc[]> {
  const found: RegistryDoc[] = [];
  let after: string | undefined = '';
  while (after !== undefined) {
    const { docs, next } = await registry.list(kind, { after, limit: pageSize });
    found.push(...docs);
    after = next;
  }
  return found;
}
