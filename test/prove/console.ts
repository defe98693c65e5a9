// ci: long
// watches: packages/console, packages/coordinator/src/console, packages/coordinator/src/api
// watches: packages/coordinator/src/stream, packages/protocol/src/api
// misses: screens that break, run foreign script, are unreadable, or show other figures than the API
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { placeConsole } from '../../scripts/console/build-console.ts';
import type { ClusterOptions, ClusterWalked } from '../console/cluster-walk.ts';
import type { Large, LargeOptions } from '../console/large-walk.ts';
import type { StringsOptions, StringsShown } from '../console/strings-walk.ts';
import { type Look, screensLookedAt, type WalkOptions, type Walked } from '../console/walk.ts';
import { allowedMs } from '../install/first-page.ts';
import { inOwnNetwork } from '../install/own-network.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

const all: readonly Look[] = ([1440, 1024, 390] as const).flatMap((width) => [
  { width, scheme: 'light' },
  { width, scheme: 'dark' },
]);
const few: readonly Look[] = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];
const limits = {
  firstLoadBytes: 300_000,
  allBytes: 600_000,
  startClicks: 3,
  slowClicks: 4,
  waitClicks: 1,
  compareClicks: 4,
  whySkippedClicks: 3,
  retryClicks: 4,
  stopAllClicks: 2,
};
/** The cost of viewers is that of `bench api`, where there are 200 of them. */
const largeLimits = { screenMs: 2_000, memoryMiB: 300, costOfCore: 0.3 };
/** The longest host has 100 pages in the small web and 250 in the other: the crawl cannot be over before the person is through. */
const clusterSize = {
  quick: { web: 'S', gapMs: 10_000, workers: 2 },
  full: { web: 'M', gapMs: 5_000, workers: 2 },
} as const;
const largeSize = { known: 1_000_000, workers: 1_000, crawls: 10_000, minutes: 10 };

/**
 * A person uses the console in Debian's Chromium, on a coordinator with a worker that crawls made-up sites in a network of its
 * own: logs in, searches, reads figures (compared with the API), starts a crawl from a bare address, pauses it, changes its pace,
 * stops it, changes a scope as its preview said, stops everything, and looks on while the coordinator is gone and comes back. Texts that would run as code are put into names, tags,
 * URLs, searches and addresses. Judged: scripts that ran, layouts that broke, what axe finds serious in light and dark, violations
 * of the content security policy, requests to other origins, errors, clicks, where the token is found, and the bytes of the first load.
 * `--pictures FOLDER` keeps every screen in three sizes, light and dark.
 *
 * `--only strings`, part of the full form, shows a crawl of a site that puts all strings of a corpus and 200 made here into addresses,
 * titles, text, headers, robots.txt and items.
 *
 * `--only cluster`, part of the full form, opens every screen while workers crawl a fake web for three coordinators on a Redis
 * cluster behind nginx. One of them is killed while each screen is open in a tab that is connected to it. Judged: figures against the API of
 * a coordinator that is left, whether the mark says stale and then live, and the crawl by the log of the web.
 *
 * The full form then looks at the console at its size: three coordinators on a Redis cluster behind nginx, a crawl of a million URLs,
 * a thousand workers and ten thousand crawls. Judged: the time of each screen by what the machine has to spare, holes while
 * scrolling, the memory of the browser, what a viewer costs the coordinators, and what is missed when one of them is killed.
 * `--only walk|hostile|strings|cluster|large`, `--known N --workers N --crawls N --minutes N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--only');
  const { folder: consoleFolder } = await placeConsole();
  const pictures = argument(args, '--pictures');
  const found: ProofResult[] = [];
  if (only === undefined || only === 'walk' || only === 'hostile')
    found.push(await proveWalk({ quick, consoleFolder, only, pictures }));
  if (only === 'strings' || (!quick && only === undefined))
    found.push(await proveStrings(consoleFolder, quick));
  if (only === 'cluster' || (!quick && only === undefined)) found.push(await proveCluster(quick));
  if (only === 'large' || (!quick && only === undefined)) found.push(await proveLarge(args, pictures));
  return {
    ok: found.every(({ ok }) => ok),
    result: Object.assign({}, ...found.map(({ result }) => result), {
      failures: found.flatMap(({ result }) => result['failures'] as string[]),
    }) as ProofResult['result'],
  };
}

async function proveWalk(options: {
  quick: boolean;
  consoleFolder: string;
  only: string | undefined;
  pictures: string | undefined;
}): Promise<ProofResult> {
  const { quick, consoleFolder, only, pictures } = options;
  const work = workFolder('console');
  try {
    const folder = join(work.path, 'data');
    mkdirSync(folder);
    const isShort = only === 'hostile';
    const looks = isShort ? [] : quick ? few : all;
    const walking: WalkOptions = {
      folder,
      consoleFolder,
      looks,
      isShort,
      ...(pictures === undefined ? {} : { pictures }),
    };
    const program = join(import.meta.dirname, '../console/walk.ts');
    const walked = await inOwnNetwork<Walked>({ program, args: walking, folder: work.path });
    const allBytes = bytesBelow(consoleFolder);
    const failures = failuresOf(walked, {
      allBytes,
      looks: looks.length * screensLookedAt,
      isShort,
    });
    return { ok: failures.length === 0, result: { ...walked, allBytes, failures, sizes: limits } };
  } finally {
    work.remove();
  }
}

/** In their quick form some of the strings have a page of their own; all of them are in the lists. */
async function proveStrings(consoleFolder: string, quick: boolean): Promise<ProofResult> {
  const work = workFolder('console-strings');
  try {
    const folder = join(work.path, 'data');
    mkdirSync(folder);
    const args: StringsOptions = { folder, consoleFolder, step: quick ? 40 : 1 };
    const program = join(import.meta.dirname, '../console/strings-walk.ts');
    const shown = await inOwnNetwork<StringsShown>({ program, args, folder: work.path });
    const failures = [
      ...shown.scriptsRun.map((where) => `ran: ${where}`),
      ...shown.layoutsBroken.map((where) => `broke: ${where}`),
      ...shown.foreignRequests.map((url) => `asked elsewhere: ${url}`),
      ...shown.violations.map((what) => `violated its policy: ${what}`),
      ...shown.errors.map((what) => `error: ${what}`),
    ];
    if (shown.strings < 200) failures.push(`only ${shown.strings} strings were shown`);
    return { ok: failures.length === 0, result: { strings: shown, failures: failures.slice(0, 40) } };
  } finally {
    work.remove();
  }
}

/** In its quick form the web is the small one: 2,000 URLs in place of 50,000. */
async function proveCluster(quick: boolean): Promise<ProofResult> {
  const work = workFolder('console-cluster');
  try {
    const args: ClusterOptions = {
      under: join(work.path, 'network'),
      ...clusterSize[quick ? 'quick' : 'full'],
    };
    const program = join(import.meta.dirname, '../console/cluster-walk.ts');
    const { wrong: failures, ...cluster } = await inOwnNetwork<ClusterWalked>({
      program,
      args,
      folder: work.path,
    });
    return { ok: failures.length === 0, result: { cluster, failures } };
  } finally {
    work.remove();
  }
}

async function proveLarge(args: string[], pictures: string | undefined): Promise<ProofResult> {
  const work = workFolder('console-large');
  const size = Object.fromEntries(
    Object.entries(largeSize).map(([name, usual]) => [name, Number(argument(args, `--${name}`) ?? usual)]),
  ) as typeof largeSize;
  try {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
    const options: LargeOptions = {
      ...size,
      under: work.path,
      rounds: 3,
      liveMs: size.minutes * 60_000,
      costMs: 10_000,
      ...(pictures === undefined ? {} : { pictures }),
    };
    const program = join(import.meta.dirname, '../console/large-walk.ts');
    const large = await inOwnNetwork<Large>({ program, args: options, folder: work.path });
    const failures = largeFailures(large);
    return {
      ok: failures.length === 0,
      result: { large: { ...large, size, limits: largeLimits }, failures },
    };
  } finally {
    work.remove();
  }
}

function largeFailures(large: Large): string[] {
  const { screens, scroll, memory, costOfCore, wrong, yardstickMs } = large;
  const screenMs = allowedMs(largeLimits.screenMs, [yardstickMs]);
  const failures = [...wrong];
  for (const [name, { contentMs, actMs }] of Object.entries(screens))
    for (const [what, ms] of Object.entries({ 'shows something': contentMs, 'reacts to a click': actMs }))
      if (ms > screenMs) failures.push(`${name} ${what} after ${ms} ms, not at most ${Math.round(screenMs)}`);
  if (scroll.holes > 0) failures.push(`${scroll.holes} holes were seen while scrolling`);
  if (large.stopAll.left > 0) failures.push(`${large.stopAll.left} crawls run after all were stopped`);
  if (!scroll.reachedEnd) failures.push('the end of the list is not reached');
  for (const [what, mib] of Object.entries({ heap: memory.heapMiB, renderer: memory.rendererMiB }))
    if (mib > largeLimits.memoryMiB)
      failures.push(
        `the ${what} has ${mib} MiB after ${memory.minutes} minutes, not at most ${largeLimits.memoryMiB}`,
      );
  for (const [name, cost] of Object.entries(costOfCore))
    if (cost > largeLimits.costOfCore)
      failures.push(`a viewer of ${name} costs ${cost} of a core, not at most ${largeLimits.costOfCore}`);
  return failures;
}

function failuresOf(
  walked: Walked,
  { allBytes, looks, isShort }: { allBytes: number; looks: number; isShort: boolean },
): string[] {
  const { foreignRequests, violations, errors, serious, layoutsBroken, tokenIn, wrong } = walked;
  const failures = [
    ...foreignRequests.map((url) => `asked elsewhere: ${url}`),
    ...violations.map((what) => `violated its policy: ${what}`),
    ...errors.map((what) => `error: ${what}`),
    ...serious.map((what) => `axe: ${what}`),
    ...layoutsBroken.map((where) => `too wide: ${where}`),
    ...tokenIn.map((where) => `the token is in ${where}`),
    ...wrong,
  ];
  if (walked.scriptsRun > 0) failures.push(`${walked.scriptsRun} hostile texts ran`);
  if (walked.hostileShown < 100) failures.push(`only ${walked.hostileShown} hostile texts were shown`);
  if (walked.looked !== looks) failures.push(`${walked.looked} screens were looked at, not ${looks}`);
  if (walked.previewRequests > 0) failures.push('the preview asked the site for something');
  const tasks = {
    startClicks: 'start a crawl',
    whySkippedClicks: 'find why a URL was skipped',
    retryClicks: 'retry all 5xx',
    stopAllClicks: 'stop everything',
  } as const;
  for (const task of ['startClicks', 'whySkippedClicks', 'retryClicks', 'stopAllClicks'] as const)
    if (!isShort && walked[task] !== limits[task])
      failures.push(`${walked[task]} clicks ${tasks[task]}, not ${limits[task]}`);
  if (walked.slowClicks > limits.slowClicks)
    failures.push(`${walked.slowClicks} clicks slow a host, not at most ${limits.slowClicks}`);
  if (walked.waitClicks > limits.waitClicks)
    failures.push(`${walked.waitClicks} clicks show what is slow, not ${limits.waitClicks}`);
  if (walked.compareClicks > limits.compareClicks)
    failures.push(`${walked.compareClicks} clicks compare two crawls, not at most ${limits.compareClicks}`);
  if (walked.firstLoadBytes > limits.firstLoadBytes)
    failures.push(`the first load has ${walked.firstLoadBytes} bytes, not at most ${limits.firstLoadBytes}`);
  if (allBytes > limits.allBytes)
    failures.push(`the console has ${allBytes} bytes, not at most ${limits.allBytes}`);
  return failures;
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
