import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../fuzz/random.ts';
import { until } from '../prove/lab.ts';
import type { RedisNode } from '../redis/servers.ts';
import { isPrimary } from './store-part.ts';
import type { Part, System } from './system.ts';

/** A crawl that is about to end may have nothing left to put there, and then says nothing. */
const namedMs = 20_000;
/** How long it stays so after it was named. A person takes longer; the crawl must wait as long as it takes. */
const fixedMs = { least: 1_500, more: 3_000 };

/** One primary of the store may use no more memory than it does, until somebody gives it more. */
export async function fillStore({ store, parts }: System, random: Random): Promise<string | undefined> {
  if (!store) return undefined;
  const primaries: RedisNode[] = [];
  for (const node of store.nodes) if (await isPrimary(node)) primaries.push(node);
  const victim = random.pick(primaries);
  const coordinators = parts('coordinator');
  const isNamed = naming(coordinators, /maxmemory/g);
  await victim.ask('CONFIG', 'SET', 'maxmemory', '1mb');
  try {
    if (!(await within(namedMs, isNamed))) return undefined;
    await pause(fixedMs.least + random.below(fixedMs.more));
  } finally {
    await victim.ask('CONFIG', 'SET', 'maxmemory', '0');
  }
  return `no memory left on ${victim.port}, and named by ${named(coordinators)}`;
}

/** The disk of one worker or coordinator is full, until somebody makes room. */
export async function fillDisk({ disks, parts }: System, random: Random): Promise<string | undefined> {
  const { name, path } = random.pick([...disks]);
  const part = [...parts('coordinator'), ...parts('worker')].find((one) => one.name === name);
  if (part?.alive !== true) return undefined;
  const isNamed = naming([part], /disk has [^\n]* left|left on this disk|ENOSPC|no space left/gi);
  const filler = join(path, 'filler');
  // Noticed in time, or met as a write that fails.
  const leave = random.chance(0.5) ? 20_000_000 : 0;
  await fill(filler, leave);
  try {
    if (!(await within(namedMs, isNamed))) return undefined;
    await pause(fixedMs.least + random.below(fixedMs.more));
  } finally {
    await rm(filler, { force: true });
  }
  return `${leave / 1e6} MB left on the disk of ${name}, which named it`;
}

/** Whether any of them has said more of something than when this was called. */
function naming(parts: readonly Part[], words: RegExp): () => boolean {
  const count = (): number => parts.reduce((sum, part) => sum + [...part.output().matchAll(words)].length, 0);
  const before = count();
  return () => count() > before;
}

const named = (parts: readonly Part[]): string =>
  parts
    .filter((part) => /maxmemory/.test(part.output()))
    .map(({ name }) => name)
    .join(' and ');

async function within(ms: number, holds: () => boolean): Promise<boolean> {
  return await until('it to be named', () => Promise.resolve(holds()), ms).then(
    () => true,
    () => false,
  );
}

/** Writes until only `leave` bytes are free; 0 means until the disk refuses. */
export async function fill(file: string, leave: number): Promise<void> {
  const handle = await open(file, 'w');
  try {
    const block = Buffer.alloc(262_144, 1);
    for (;;) {
      const { bavail, bsize } = await statfs(file);
      const room = bavail * bsize - leave;
      if (room <= 0) break;
      await handle.write(block.subarray(0, Math.min(block.length, room)));
    }
    await handle.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await handle.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
