import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { makeFolder, writeDurably } from '@webfarer/protocol/node';
import type { CliContext } from '../context/context.ts';
import { shownPath } from '../folder/folders.ts';

/** A profile of this process that is being taken. */
export interface Profile {
  /** Writes what was seen since the last call, and goes on. */
  write(): Promise<string[]>;
  /** Writes the rest and ends. */
  stop(): Promise<void>;
}

export interface ProfileOptions {
  /** Where its files go. */
  folder: string;
  /** The first part of their names. */
  name: string;
}

const sampleMicroseconds = 1_000;

/**
 * Records where the process spends its time until it ends, or until SIGUSR2 asks for what there is so far. Each time two
 * files are written: a CPU profile, which Chrome's developer tools and speedscope open, and figures of the heap.
 */
export async function startProfile(
  context: Pick<CliContext, 'terminal' | 'cwd' | 'clock' | 'onDumpSignal'>,
  { folder, name }: ProfileOptions,
): Promise<Profile> {
  const { clock, terminal, cwd } = context;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: sampleMicroseconds });
  await session.post('Profiler.start');
  await makeFolder(folder);
  let writing: Promise<string[]> = Promise.resolve([]);
  let isOver = false;

  async function writeBoth(): Promise<string[]> {
    const { profile } = await session.post('Profiler.stop');
    if (!isOver) await session.post('Profiler.start');
    const base = join(folder, `${name}-${stamp(clock.now())}`);
    const files = [`${base}.cpuprofile`, `${base}.heap.json`];
    await writeDurably(files[0] ?? '', JSON.stringify(profile));
    await writeDurably(files[1] ?? '', `${JSON.stringify(heapFigures(), null, 2)}\n`);
    for (const file of files) terminal.err(`  profile: ${shownPath(file, cwd)}\n`);
    return files;
  }

  function write(): Promise<string[]> {
    writing = writing.catch(() => []).then(writeBoth);
    return writing;
  }

  const unlisten = context.onDumpSignal(() => void write().catch(() => undefined));
  return {
    write,
    async stop() {
      unlisten();
      isOver = true;
      await write();
      session.disconnect();
    },
  };
}

/** What V8 and the system say about the memory of this process. */
function heapFigures(): Record<string, unknown> {
  return {
    memory: process.memoryUsage(),
    heap: getHeapStatistics(),
    spaces: getHeapSpaceStatistics(),
  };
}

/** `20261117-073000-123`: sorts by time, and is a name on every file system. */
function stamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[-:Z]/g, '').replace('T', '-').replace('.', '-');
}
