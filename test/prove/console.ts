import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtConsole } from '../../scripts/console/build-console.ts';
import type { Look, WalkOptions, Walked } from '../console/walk.ts';
import { inOwnNetwork } from '../install/own-network.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { workFolder } from './lab.ts';

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
  whySkippedClicks: 3,
  retryClicks: 4,
};

/**
 * A person uses the console in Debian's Chromium, on a coordinator with a worker that crawls made-up sites in a network of its
 * own: logs in, searches, reads figures (compared with the API), starts a crawl from a bare address, pauses it, changes its pace,
 * stops it, and looks on while the coordinator is gone and comes back. Texts that would run as code are put into names, tags,
 * URLs, searches and addresses. Judged: scripts that ran, layouts that broke, what axe finds serious in light and dark, violations
 * of the content security policy, requests to other origins, errors, clicks, where the token is found, and the bytes of the first load.
 * `--pictures FOLDER` keeps every screen in three sizes, light and dark.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('console');
  try {
    const { folder: consoleFolder } = await builtConsole();
    const at = args.indexOf('--pictures');
    const pictures = at < 0 ? undefined : args[at + 1];
    const folder = join(work.path, 'data');
    mkdirSync(folder);
    const looks = quick ? few : all;
    const walking: WalkOptions = {
      folder,
      consoleFolder,
      looks,
      ...(pictures === undefined ? {} : { pictures }),
    };
    const program = join(import.meta.dirname, '../console/walk.ts');
    const walked = await inOwnNetwork<Walked>({ program, args: walking, folder: work.path });
    const allBytes = bytesBelow(consoleFolder);
    const failures = failuresOf(walked, { allBytes, looks: looks.length * 9 });
    return { ok: failures.length === 0, result: { ...walked, allBytes, failures, sizes: limits } };
  } finally {
    work.remove();
  }
}

function failuresOf(walked: Walked, { allBytes, looks }: { allBytes: number; looks: number }): string[] {
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
  } as const;
  for (const task of ['startClicks', 'whySkippedClicks', 'retryClicks'] as const)
    if (walked[task] !== limits[task])
      failures.push(`${walked[task]} clicks ${tasks[task]}, not ${limits[task]}`);
  if (walked.slowClicks > limits.slowClicks)
    failures.push(`${walked.slowClicks} clicks slow a host, not at most ${limits.slowClicks}`);
  if (walked.waitClicks > limits.waitClicks)
    failures.push(`${walked.waitClicks} clicks show what is slow, not ${limits.waitClicks}`);
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
