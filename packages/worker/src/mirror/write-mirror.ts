import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Job } from '@webfarer/protocol';
import { makeFolder } from '@webfarer/protocol/node';
import { normaliser } from '@webfarer/protocol/url';
import type { CrawlSource } from '../archive/own-captures.ts';
import { storageError } from '../disk/storage-error.ts';
import { redirectedFrom } from './addresses.ts';
import { type Copied, type Rewriting, writeCopies } from './copies.ts';
import { frontPageOf } from './front-page.ts';
import { openMirrorFiles } from './mirror-files.ts';
import { frontPage } from './fill-index.ts';
import { type MirrorIndex, openMirrorIndex, type Sqlite } from './mirror-index.ts';
import { mirrorPlace, refuseForeignFolder } from './mirror-place.ts';
import { rewriteBody, rewritingVersion, rewrittenAs } from './rewrite.ts';

export interface WriteMirrorOptions {
  /** The crawl, then those before it, where the bodies of unchanged pages are. */
  sources: readonly [CrawlSource, ...CrawlSource[]];
  /** Where the mirror goes, absolute; absent: `mirror/` in the crawl folder. */
  to?: string | undefined;
  job: Pick<Job, 'name' | 'normalise'>;
  sqlite: Sqlite;
}

export interface MirrorResult extends Copied {
  /** The folder, absolute where the crawl folder is. */
  to: string;
}

const maxEntrances = 1_000;

/**
 * Writes a folder that opens in a browser without a network: every page and requisite of the crawl under a name that
 * any system takes, references between them relative. It is made of committed records and their captures alone, so it
 * can be made again at any time. Killed on the way, the next call writes what is missing; the folder ends up the same.
 */
export async function writeMirror(options: WriteMirrorOptions): Promise<MirrorResult> {
  const { sources, job } = options;
  const place = mirrorPlace(sources[0].folder, job, options.to);
  const { to } = place;
  await refuseForeignFolder(place);
  try {
    await makeFolder(dirname(place.state));
    const index = openMirrorIndex(place.state, options.sqlite);
    try {
      await index.fill(sources, { asShown: true });
      if (index.isEmpty()) return { to, files: 0, written: 0 };
      const files = await openMirrorFiles(to);
      for (const path of index.leftovers()) {
        await files.remove(path);
        index.forget(path);
      }
      const result = await writeCopies({
        index,
        files,
        archives: sources.map(({ archive }) => archive),
        rewrite: rewritingOf(index, job),
        more: () => [frontOf(index, job.name)],
      });
      await files.close();
      return { to, ...result };
    } finally {
      index.close();
    }
  } catch (error) {
    throw storageError(error, `cannot write the mirror ${to}`);
  }
}

/** References lead to other files of the folder, so what has any depends on where all of them are. */
function rewritingOf(index: MirrorIndex, job: WriteMirrorOptions['job']): Rewriting {
  const normalise = normaliser(job.normalise);
  return {
    dependsOn: (capture) => (rewrittenAs(capture) ? `${rewritingVersion} ${index.generation}` : undefined),
    apply: (capture, body) =>
      rewriteBody(capture, body, redirectedFrom({ path: capture.path, normalise, find: index.find })),
  };
}

function frontOf(index: MirrorIndex, name: string) {
  const body = Buffer.from(frontPageOf(index.entrances(maxEntrances), name));
  return { path: frontPage, source: createHash('sha256').update(body).digest('hex'), body };
}
