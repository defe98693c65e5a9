/**
 * Records the network of `npm run dev` in a terminal, in which a worker, a coordinator and a primary of the store are
 * killed and a worker is frozen, until the web's own log has judged the crawl. `node scripts/recording.ts` writes
 * docs/network.cast (for asciinema) and docs/network.svg; needs tmux and redis-server.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { castOf, filmSvg, type Frame, thinned } from './picture/film.ts';

const size = { columns: 104, rows: 33 };
const lookMs = 150;
const longestMs = 240_000;
const filmSeconds = 34;
const root = resolve(import.meta.dirname, '..');

interface Step {
  /** Pressed once the screen shows this, and a while has passed. */
  when: RegExp;
  afterMs: number;
  keys: string[];
}

const everybody = /2 of 2 coordinators +4 of 4 workers +6 of 6 servers/;
const steps: Step[] = [
  { when: everybody, afterMs: 3_000, keys: ['4'] },
  { when: /worker-2 is back/, afterMs: 2_000, keys: ['1'] },
  { when: /coordinator-1 is back/, afterMs: 2_500, keys: ['7'] },
  { when: /store-1 is back/, afterMs: 2_000, keys: ['f', '5'] },
  { when: /froze worker-3/, afterMs: 5_000, keys: ['f', '5'] },
];
/** With the prompt behind it: by then everything that was started has ended and is tidied up. */
const judged = /requests made again, because.*\n\$/;

async function record(folder: string): Promise<Frame[]> {
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', `recording-${process.pid}`, ...args], { encoding: 'utf8' });
  const start = join(folder, 'start.sh');
  const command = `"${process.execPath}" "${join(root, 'scripts/dev.ts')}"`;
  writeFileSync(start, `PS1='$ '\ncd "${root}"\nnpm() { shift 2; ${command} "$@"; }\nclear\n`);
  const shell = `bash --rcfile "${start}" -i`;
  tmux('new-session', '-d', '-x', `${size.columns}`, '-y', `${size.rows}`, '-e', 'CI=', shell);
  try {
    tmux('send-keys', 'npm run dev', 'Enter');
    return await watch(
      () => tmux('capture-pane', '-p', '-e'),
      (key) => tmux('send-keys', key),
    );
  } finally {
    tmux('kill-server');
  }
}

/** Looks at the screen until the crawl is judged, and presses the keys of the steps in their order. */
async function watch(look: () => string, press: (key: string) => void): Promise<Frame[]> {
  const frames: Frame[] = [];
  const begun = performance.now();
  const left = [...steps];
  let seenAt: number | undefined;
  for (;;) {
    const atMs = performance.now() - begun;
    const screen = look();
    // Before the shell is ready the terminal repeats what is typed.
    const ready = frames.length > 0 || screen.startsWith('$ npm');
    if (ready && screen !== frames.at(-1)?.lines.join('\n')) frames.push({ atMs, lines: screen.split('\n') });
    const plain = screen.replace(/\x1b\[[0-9;]*m/g, '');
    if (judged.test(plain)) break;
    if (atMs > longestMs) throw new Error(`not judged after ${longestMs / 1_000} s:\n${plain}`);
    const [step] = left;
    if (seenAt === undefined && step?.when.test(plain)) seenAt = atMs;
    if (step && seenAt !== undefined && atMs - seenAt >= step.afterMs) {
      for (const key of step.keys) press(key);
      left.shift();
      seenAt = undefined;
    }
    await sleep(lookMs);
  }
  if (left.length > 0) throw new Error(`the crawl was over before ${left.length} of ${steps.length} steps`);
  return frames;
}

/** A pause in which nothing changes is not worth watching. */
function withoutPauses(frames: readonly Frame[], longestPauseMs: number): Frame[] {
  let cut = 0;
  return frames.map((frame, i) => {
    const pause = frame.atMs - (frames[i - 1]?.atMs ?? 0);
    cut += Math.max(0, pause - longestPauseMs);
    return { ...frame, atMs: frame.atMs - cut };
  });
}

const folder = mkdtempSync(join(tmpdir(), 'webfarer-recording-'));
try {
  const frames = await record(folder);
  const title = 'A network of webfarer in one terminal: what is killed comes back, and nothing is lost';
  const files = {
    'network.cast': castOf(thinned(frames, 500), size, title),
    'network.svg': filmSvg(withoutPauses(thinned(frames, 500), 1_500), {
      size,
      seconds: filmSeconds,
      label: title,
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, 'docs', name), text);
    console.log(`docs/${name}  ${Buffer.byteLength(text)} bytes, ${frames.length} frames seen`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
