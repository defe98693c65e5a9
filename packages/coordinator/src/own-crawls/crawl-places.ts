import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markedName, safeName } from '@webfarer/protocol/crawl';
import { manifestName } from '../folder/manifest.ts';

/** Where the folders of crawls are, by their names. */
export interface CrawlPlaces {
  /** Where names make the same folder, the first has it, and the others have one with a mark. */
  folderOf(name: string): string;
  /** Its folder is gone: another name may have it. */
  forget(name: string): void;
}

export function createCrawlPlaces(below: string): CrawlPlaces {
  /** By name, where the folder is there. */
  const known = new Map<string, string>();

  function keep(name: string, folder: string): string {
    known.set(name, folder);
    return folder;
  }

  return {
    folderOf(name) {
      const found = known.get(name);
      if (found !== undefined) return found;
      const marked = join(below, markedName(name));
      if (existsSync(marked)) return keep(name, marked);
      const plain = join(below, safeName(name));
      const owner = nameIn(plain);
      if (owner === undefined) return plain;
      return owner === name ? keep(name, plain) : marked;
    },
    forget: (name) => void known.delete(name),
  };
}

/** Of the crawl that a folder holds; undefined: none, or it cannot be read. */
function nameIn(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
