import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PageRecord } from '@webfarer/protocol';
import { readWarc } from '@webfarer/worker/archive';
import type { CatalogEntry } from '../../packages/worker/src/archive/objects/layout.ts';

/** What is wrong with the archive of a crawl in object storage, by the bytes on the disk of the S3 server. */
export interface ObjectFindings {
  objects: number;
  captures: number;
  /** Records of pages that say where their body is. */
  records: number;
  /** Records whose place holds no capture of their URL with their digest. */
  lost: number;
  /** WARC records that are in more than one place. */
  duplicates: number;
  /** Chunks and uploads that nobody completes. */
  orphans: number;
  /** Objects, entries of the catalog and indexes that do not fit each other. */
  wrong: string[];
}

export interface ObjectJudgement {
  /** The crawl's part of the bucket, as a folder. */
  folder: string;
  records: AsyncIterable<PageRecord>;
}

interface Capture {
  url: string | undefined;
  digest: string | undefined;
}

export async function judgeObjects({ folder, records }: ObjectJudgement): Promise<ObjectFindings> {
  const found: ObjectFindings = {
    objects: 0,
    captures: 0,
    records: 0,
    lost: 0,
    duplicates: 0,
    orphans: 0,
    wrong: [],
  };
  const places = new Map<string, Capture>();
  const ids = new Set<string>();
  const names = filesIn(join(folder, 'archive'));
  for (const name of names) {
    found.objects++;
    const path = join(folder, 'archive', name);
    const entry = entryOf(folder, name);
    const fault = entry ? faultOf(entry, path) : 'it is not in the catalog';
    if (fault !== undefined || !entry) {
      found.wrong.push(`${name}: ${fault}`);
      continue;
    }
    let lines = 0;
    for await (const record of readWarc(path)) {
      const id = record.field('warc-record-id') ?? '';
      if (ids.has(id)) found.duplicates++;
      ids.add(id);
      if (record.type !== 'response' && record.type !== 'revisit') continue;
      lines++;
      places.set(`${basename(entry.file)}@${record.offset}`, {
        url: record.field('warc-target-uri'),
        digest: record.field('warc-payload-digest'),
      });
    }
    found.captures += lines;
    const index = readFileSync(join(folder, 'index', `${name}.cdxj`), 'utf8')
      .split('\n')
      .filter(Boolean);
    if (index.length !== lines || index.length !== entry.captures)
      found.wrong.push(`${name}: ${lines} captures, ${index.length} lines, ${entry.captures} in the catalog`);
  }
  const extra = [...filesIn(join(folder, 'catalog')), ...filesIn(join(folder, 'index'))].filter(
    (name) => !names.includes(name.replace(/\.(?:json|cdxj|hosts)$/, '')),
  );
  found.wrong.push(...extra.map((name) => `${name}: there is no such object`));
  found.orphans = filesIn(join(folder, 'chunks')).length;
  for await (const { url, digest, saved = [] } of records) {
    for (const { saver, file, offset, shared } of saved) {
      if (saver !== 'warc') continue;
      found.records++;
      const there = places.get(`${basename(file)}@${offset}`);
      if (
        !shared ||
        there?.url !== url.replace(/#.*/, '') ||
        (digest !== undefined && there.digest !== digest)
      )
        found.lost++;
    }
  }
  return found;
}

export function areExact({ records, lost, duplicates, orphans, wrong }: ObjectFindings): boolean {
  return records > 0 && lost + duplicates + orphans + wrong.length === 0;
}

function entryOf(folder: string, name: string): CatalogEntry | undefined {
  const file = join(folder, 'catalog', `${name}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CatalogEntry) : undefined;
}

function faultOf({ bytes, sha256 }: CatalogEntry, path: string): string | undefined {
  const content = readFileSync(path);
  if (content.length !== bytes) return `it has ${content.length} bytes, the catalog says ${bytes}`;
  if (createHash('sha256').update(content).digest('hex') !== sha256) return 'its checksum is wrong';
  return undefined;
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
