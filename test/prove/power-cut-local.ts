// watches: packages/coordinator/src/sqlite, packages/coordinator/src/frontier/sqlite, packages/coordinator/src/results
// watches: packages/worker/src/save, packages/worker/src/archive, packages/cli/src/crawling
// misses: reported results that were not on the disk when the power failed
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { copyWith } from '../faults/changed-source.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { settledUrls } from './folder-contents.ts';
import { checkIndexLines } from './index-lines.ts';
import { judgeFolder } from './judge-folder.ts';
import { argument, briskJob, smallJob, startCrawler, until, workFolder, writeJob } from './lab.ts';
import { makeDisk } from './loop-disk.ts';

// ci: rated, because it mounts disks and judges a crawl at its own pace.

const diskMB = 160;
/** How a disk may be mounted: the more a file system delays, the more a missing fsync costs. */
const mounts = [
  'loop',
  'loop,noauto_da_alloc',
  'loop,data=writeback,noauto_da_alloc',
  'loop,commit=60,noauto_da_alloc',
  'loop,data=journal',
  'loop,nodelalloc',
];

/** Without the sync of each commit: what the crawl reports may then be in memory only. */
const withoutSync = [
  {
    file: 'packages/coordinator/src/frontier/sqlite/schema.ts',
    from: 'PRAGMA synchronous = FULL',
    to: 'PRAGMA synchronous = OFF',
  },
  {
    file: 'packages/coordinator/src/frontier/sqlite/rows/about.ts',
    from: 'PRAGMA synchronous = FULL',
    to: 'PRAGMA synchronous = OFF',
  },
];

/**
 * The power fails at a random moment of a crawl in a folder: the folder must hold every result that the crawl had
 * reported on stdout, the same command must finish it, and every line of its index must point at its capture. With
 * SQLite's `synchronous` off, reported results must be missing: otherwise the trial shows nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const cuts = Number(argument(args, '--count') ?? (quick ? 2 : 30));
  const controls = quick ? 3 : 10;
  const work = workFolder('power-cut-local');
  const fake = await startFakeWeb({ size: 'S', seed: 2 });
  try {
    const lab = await labOf(fake, { folder: work.path, quick });
    const total = { reported: 0, lost: 0, unusable: 0, indexLines: 0, wrongIndexLines: 0, ok: true };
    for (let n = 0; n < cuts; n++) {
      const cut = await cutOnce(lab, { mount: mounts[n % mounts.length] ?? 'loop', resume: true });
      console.error(JSON.stringify({ cut: n + 1, ...cut }));
      total.reported += cut.reported;
      total.lost += cut.lost;
      total.unusable += cut.usable ? 0 : 1;
      total.indexLines += cut.indexLines;
      total.wrongIndexLines += cut.wrongIndexLines;
      total.ok &&= cut.ok;
    }
    const control = copyWith(withoutSync, join(work.path, 'control'));
    let lostInControl = 0;
    for (let n = 0; n < controls && lostInControl === 0; n++) {
      const cut = await cutOnce(lab, { mount: 'loop,noauto_da_alloc', resume: false, command: control });
      lostInControl += cut.lost;
    }
    const { ok, ...figures } = total;
    return {
      ok,
      tooEasy: lostInControl === 0 || total.reported === 0 || total.indexLines === 0,
      result: { cuts, ...figures, lostInControl, mounts, sizes: { cuts, controls } },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

interface Lab {
  fake: FakeWeb;
  job: string;
  folder: string;
  expect: ExpectOptions;
  /** How long after its first result a crawl is cut at most. */
  longestMs: number;
}

async function labOf(fake: FakeWeb, { folder, quick }: { folder: string; quick: boolean }): Promise<Lab> {
  const { job, expect } = quick ? smallJob(fake) : briskJob(fake);
  const file = join(folder, 'job.json');
  await writeJob(file, { ...job, limits: { ...job.limits, minFree: '1MB' } });
  return { fake, job: file, folder, expect, longestMs: quick ? 1_000 : 4_000 };
}

interface Cut {
  mount: string;
  /** Results that the crawl had printed when the power failed. */
  reported: number;
  /** Of those, results that the folder does not hold afterwards, and URLs that the resumed crawl never recorded. */
  lost: number;
  usable: boolean;
  indexLines: number;
  wrongIndexLines: number;
  ok: boolean;
}

let serial = 0;

async function cutOnce(
  { fake, job, folder, expect, longestMs }: Lab,
  { mount, resume, command }: { mount: string; resume: boolean; command?: string },
): Promise<Cut> {
  const work = join(folder, `cut-${serial++}`);
  await fake.reset();
  const disk = makeDisk(work, diskMB, mount);
  const after = join(work, 'after.crawl');
  const reported = new Set<string>();
  try {
    const crawler = startCrawler(job, join(disk.path, 'lab.crawl'), {
      args: ['--json'],
      ...(command === undefined ? {} : { command }),
      line: (line) => noteRecord(line, reported),
    });
    try {
      await randomMoment(() => reported.size > 0, { early: resume && serial % 4 === 0, longestMs });
      crawler.child.kill('SIGSTOP');
      await until('the crawl stands', () => isStopped(crawler.child.pid ?? 0), 5_000);
      const spoilt = disk.afterPowerCut();
      try {
        const left = join(spoilt.path, 'lab.crawl');
        if (existsSync(left)) cpSync(left, after, { recursive: true });
      } finally {
        spoilt.unmount();
      }
    } finally {
      crawler.child.kill('SIGKILL');
      await crawler.ended;
    }
  } finally {
    disk.unmount();
  }
  // Lines that were printed before the power failed are all read by now: the pipe has ended.
  const { urls } = await settledUrls(after);
  const lost = [...reported].filter((url) => !urls.has(url)).length;
  const cut = { mount, reported: reported.size, lost, indexLines: 0, wrongIndexLines: 0 };
  if (!resume) return { ...cut, usable: true, ok: true };
  const again = startCrawler(job, after);
  const code = await again.ended;
  if (code !== 0) {
    console.error(`  ✗ the folder cannot be resumed (${code}):\n${again.output()}`);
    return { ...cut, usable: false, ok: false };
  }
  const judgement = await judgeFolder(fake, after, expect);
  const index = checkIndexLines(after);
  for (const line of index.wrong.slice(0, 5)) console.error(`  ✗ ${line}`);
  // What was in flight, or committed after the last line was read, may be fetched again.
  const good = holds(judgement, { repeats: Number.POSITIVE_INFINITY });
  if (!good) console.error(JSON.stringify(judgement));
  return {
    ...cut,
    lost: lost + judgement.lost,
    usable: true,
    indexLines: index.lines,
    wrongIndexLines: index.wrong.length,
    ok: good && lost === 0 && index.wrong.length === 0,
  };
}

function noteRecord(line: string, reported: Set<string>): void {
  if (!line.startsWith('{')) return;
  const event = JSON.parse(line) as { type: string; record?: { url: string } };
  if (event.type === 'record' && event.record) reported.add(event.record.url);
}

/** One cut in four hits a crawl that is still opening its folder; the others hit one at work. */
async function randomMoment(
  atWork: () => boolean,
  { early, longestMs }: { early: boolean; longestMs: number },
): Promise<void> {
  if (early) return await later(200 + Math.random() * 1_000);
  await until('the first result', atWork, 60_000);
  await later(300 + Math.random() * longestMs);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isStopped(pid: number): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
