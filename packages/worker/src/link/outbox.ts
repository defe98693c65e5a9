import { open } from 'node:fs/promises';
import { WebfarerError } from '@webfarer/protocol';
import type { SentReports } from '@webfarer/protocol/link';

/** Reports that a coordinator has not acknowledged, in the order they were made. */
export interface Outbox {
  /** Resolves when it is on disk; waits while there is no room. */
  add(sent: SentReports, atMs: number): Promise<void>;
  first(): Kept | undefined;
  all(): readonly Kept[];
  /** The first was acknowledged. */
  shift(): Promise<void>;
  readonly size: number;
  /** Whoever still waits for room is told that there is none. */
  close(): Promise<void>;
}

export interface Kept {
  sent: SentReports;
  /** When it was made, by the clock of this process; absent: by another process, so nobody knows how long ago. */
  atMs?: number;
}

/** One line a frame; `done` lines say how many of the first are acknowledged. Emptied when nothing is left. */
type Line = { sent: SentReports } | { done: number };

const MOST_BYTES = 64 * 1_048_576;

export async function openOutbox(path: string, mostBytes = MOST_BYTES): Promise<Outbox> {
  const file = await open(path, 'a+', 0o600).catch(storageTrouble);
  const { kept, bytes: length } = readLines(await file.readFile());
  let bytes = length;
  let closed = false;
  let room = Promise.withResolvers<void>();
  let writing: Promise<unknown> = Promise.resolve();
  // What a crash left half written would spoil the next line.
  await file.truncate(length).catch(storageTrouble);

  /** One at a time; a failed one is no reason not to try the next. */
  function inTurn<T>(write: () => Promise<T>): Promise<T> {
    const done = writing.then(write);
    writing = done.catch(() => undefined);
    return done;
  }

  async function append(line: Line): Promise<void> {
    const text = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      await file.appendFile(text);
      await file.datasync();
    } catch (error) {
      await file.truncate(bytes).catch(() => undefined);
      storageTrouble(error);
    }
    bytes += text.length;
  }

  return {
    async add(sent, atMs) {
      // Nothing is refused for its size alone: one that is larger than all the room comes when it is empty.
      while (bytes > mostBytes && !closed) await room.promise;
      if (closed)
        throw new WebfarerError('link-lost', 'the outbox is full and no coordinator accepts its reports');
      await inTurn(async () => {
        await append({ sent });
        kept.push({ sent, atMs });
      });
    },
    first: () => kept[0],
    all: () => kept,
    shift: () =>
      inTurn(async () => {
        kept.shift();
        if (kept.length > 0) return await append({ done: 1 });
        await file.truncate(0).catch(storageTrouble);
        bytes = 0;
        room.resolve();
        room = Promise.withResolvers<void>();
      }),
    get size() {
      return kept.length;
    },
    async close() {
      closed = true;
      room.resolve();
      await writing;
      await file.close();
    },
  };
}

function readLines(data: Buffer): { kept: Kept[]; bytes: number } {
  const kept: Kept[] = [];
  let at = 0;
  for (;;) {
    const end = data.indexOf(0x0a, at);
    const line = end < 0 ? undefined : parseLine(data.toString('utf8', at, end));
    if (!line) return { kept, bytes: at };
    if ('done' in line) kept.splice(0, line.done);
    else kept.push({ sent: line.sent });
    at = end + 1;
  }
}

function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

function storageTrouble(error: unknown): never {
  const message = `the outbox cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  throw new WebfarerError('storage', message, {
    next: 'Free some disk space, or give the worker another folder.',
    cause: error,
  });
}

/** For a worker that ends with its coordinator: a report that cannot be delivered has failed. */
export function noOutbox(): Outbox {
  return {
    add: () => Promise.reject(new WebfarerError('link-lost', 'the coordinator of this process is gone')),
    first: () => undefined,
    all: () => [],
    shift: () => Promise.resolve(),
    size: 0,
    close: () => Promise.resolve(),
  };
}
