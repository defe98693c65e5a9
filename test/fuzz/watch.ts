import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cells, type ThreadNews, type ThreadTask } from './thread.ts';

export interface Finding {
  target: string;
  seed: number;
  at: number;
  kind: 'crash' | 'hang' | 'slow';
  text: string;
  /** Base64 of the smallest input that still does it; absent where the thread did not live to look. */
  minimal?: string;
}

export interface TargetRun {
  target: string;
  inputs: number;
  findings: Finding[];
  worstMs: number;
  worstAt: number;
}

export interface WatchOptions extends Omit<ThreadTask, 'shared' | 'from' | 'to'> {
  /** Inputs, counted from 0. */
  count: number;
  /** The first input; 0 by default. */
  from?: number;
  /** Longer without a sign of life, and the thread is ended. */
  hangMs: number;
}

const thread = join(import.meta.dirname, 'thread.ts');
const maxFindings = 20;
/** How long a thread may take to begin. */
const openMs = 60_000;

/** Runs one target in a thread of its own; a thread that dies or hangs is replaced by the next. */
export async function watchTarget(options: WatchOptions): Promise<TargetRun> {
  const { target, seed, count, from = 0 } = options;
  const shared = new SharedArrayBuffer(cells.count * 4);
  const cell = new Int32Array(shared);
  const findings: Finding[] = [];
  let next = from;
  while (next < from + count && findings.length < maxFindings) {
    const ended = await runThread({ ...options, from: next, to: from + count, shared }, findings);
    next = ended === 'done' ? from + count : Atomics.load(cell, cells.at) + 1;
  }
  return {
    target,
    inputs: next - from,
    findings: findings.map((finding) => ({ ...finding, target, seed })),
    worstMs: Math.round(Atomics.load(cell, cells.worstUs) / 10) / 100,
    worstAt: Atomics.load(cell, cells.worstAt),
  };
}

type Thread = ThreadTask & Pick<WatchOptions, 'hangMs'>;

function runThread({ hangMs, ...task }: Thread, findings: Finding[]): Promise<'done' | 'died'> {
  const { target, seed } = task;
  const cell = new Int32Array(task.shared);
  Atomics.store(cell, cells.at, task.from);
  Atomics.store(cell, cells.beats, 0);
  const worker = new Worker(thread, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: 1_024 } });
  const note = (kind: Finding['kind'], at: number, text: string, minimal?: string): void => {
    findings.push({ target, seed, at, kind, text, ...(minimal === undefined ? {} : { minimal }) });
  };
  return new Promise((resolve) => {
    let over = false;
    let beats = -1;
    let beatAt = performance.now();
    const end = (how: 'done' | 'died'): void => {
      if (over) return;
      over = true;
      clearInterval(timer);
      void worker.terminate().then(() => resolve(how));
    };
    const timer = setInterval(() => {
      const now = Atomics.load(cell, cells.beats);
      if (now !== beats) {
        beats = now;
        beatAt = performance.now();
      } else if (performance.now() - beatAt > (now === 0 ? openMs : hangMs)) {
        note('hang', Atomics.load(cell, cells.at), `no end within ${hangMs} ms`);
        end('died');
      }
    }, 20);
    worker.on('message', (news: ThreadNews) => {
      if (over) return;
      if (news.kind === 'done') end('done');
      else if (news.kind === 'slow') note('slow', news.at, `${news.ms} ms`, news.input);
      else note('crash', news.at, news.error, news.minimal);
      if (findings.length >= maxFindings) end('died');
    });
    worker.on('error', (error) => {
      if (over) return;
      note(
        'crash',
        Atomics.load(cell, cells.at),
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
      end('died');
    });
  });
}
