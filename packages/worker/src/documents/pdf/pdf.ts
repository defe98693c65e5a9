import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock, WebfarerError } from '@webfarer/protocol';
import type { Tree, TreeNode } from '../../tree/nodes.ts';
import { element, treeOfNodes } from '../../tree/build.ts';
import type { PdfBlock } from './layout.ts';
import { createTurnstile } from '../../turnstile/turnstile.ts';

export interface PdfTask {
  bytes: Uint8Array;
  maxLetters: number;
}

export type PdfAnswer =
  | { kind: 'read'; blocks: PdfBlock[] }
  /** The package that reads PDFs is not installed. */
  | { kind: 'missing' }
  | { kind: 'damaged'; reason: string };

export interface PdfLimits {
  timeoutMs: number;
  /** Beside the file itself. */
  maxBytes: number;
}

const limitsOfAll: PdfLimits = { timeoutMs: 60_000, maxBytes: 512 * 1024 * 1024 };
const maxLetters = 10_000_000;
/** With less a thread cannot start, and its end would be that of the whole process. */
const minHeapMegabytes = 64;
/** Memory outside the heap has no limit of its own, so it is watched. */
const lookEveryMs = 50;

/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `pdf-thread${extname(import.meta.filename)}`);

/** Of all pages of this process: each thread may take much memory. */
const turns = createTurnstile(2);

/** The text of a PDF: headings, paragraphs and items, as their places and sizes tell. */
export async function pdfTree(bytes: Buffer, limits: PdfLimits = limitsOfAll): Promise<Tree> {
  const answer = await turns.run(() => readAside({ bytes: new Uint8Array(bytes), maxLetters }, limits));
  if (answer.kind === 'missing')
    throw new WebfarerError('usage', 'Reading PDFs needs the package unpdf, which is not installed.', {
      next: 'Install it beside webfarer:  npm install unpdf  (2.6 MB).',
    });
  if (answer.kind === 'damaged') throw new Error(`the PDF cannot be read: ${answer.reason}`);
  return treeOfNodes(nodesOf(answer.blocks));
}

/** In a thread that is ended when it takes too long or too much: a hostile file costs no more than that. */
async function readAside(task: PdfTask, { timeoutMs, maxBytes }: PdfLimits): Promise<PdfAnswer> {
  const maxMegabytes = Math.max(minHeapMegabytes, Math.ceil(maxBytes / 1024 / 1024));
  const thread = new Worker(entry, {
    workerData: task,
    transferList: [task.bytes.buffer as ArrayBuffer],
    // What the reader prints is about the file; nobody asked for it here.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  const over = new AbortController();
  try {
    return await Promise.race([
      new Promise<PdfAnswer>((resolve) => {
        thread.once('message', resolve);
        thread.once('error', ({ message }: Error) => resolve({ kind: 'damaged', reason: message }));
        thread.once('exit', () => resolve({ kind: 'damaged', reason: 'its reader ended' }));
      }),
      watched(thread, { timeoutMs, maxBytes }, over.signal),
    ]);
  } finally {
    over.abort();
    await thread.terminate();
  }
}

async function watched(thread: Worker, limits: PdfLimits, signal: AbortSignal): Promise<PdfAnswer> {
  const clock = systemClock();
  const startedMs = clock.now();
  const looks = { pending: false, bytes: 0 };
  while (!signal.aborted && clock.now() - startedMs < limits.timeoutMs) {
    if (!looks.pending) void look(thread, looks);
    if (looks.bytes > limits.maxBytes)
      return { kind: 'damaged', reason: `it takes more than ${limits.maxBytes} bytes of memory` };
    await clock.sleep(lookEveryMs, signal).catch(() => {});
  }
  return { kind: 'damaged', reason: `it takes longer than ${limits.timeoutMs} ms` };
}

/** The thread answers in the middle of what it does. One that has not started yet, or has ended, refuses. */
async function look(thread: Worker, looks: { pending: boolean; bytes: number }): Promise<void> {
  looks.pending = true;
  try {
    const { used_heap_size: heap, external_memory: outside } = await thread.getHeapStatistics();
    looks.bytes = heap + outside;
  } catch {
    // The next look is answered, or none is needed any more.
  } finally {
    looks.pending = false;
  }
}

function nodesOf(blocks: readonly PdfBlock[]): TreeNode[] {
  const nodes: TreeNode[] = [];
  let items: TreeNode[] = [];
  const endList = () => {
    if (items.length > 0) nodes.push(element('ul', {}, items));
    items = [];
  };
  for (const { level, isItem, text } of blocks) {
    if (isItem) items.push(element('li', {}, [text]));
    else {
      endList();
      nodes.push(element(level === undefined ? 'p' : `h${level}`, {}, [text]));
    }
  }
  endList();
  return nodes;
}
