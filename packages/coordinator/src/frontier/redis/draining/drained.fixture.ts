import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisFrontier } from '../redis-frontier.ts';
import type { BacklogOptions } from './backlog.ts';

/** A folder for segments, and the options of a frontier that drains every single result to it. */
export function drainedTo(owner = 'm1'): { folder: string; backlog: BacklogOptions; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-drained-'));
  return {
    folder,
    backlog: { results: 1, drain: { owner, folder, machine: 'here' } },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Drains after every step that may record results, and only then. */
export function alwaysDrained(frontier: RedisFrontier): RedisFrontier {
  const drained = async <T>(work: Promise<T>): Promise<T> => {
    const answer = await work;
    await frontier.drain();
    return answer;
  };
  return {
    ...frontier,
    report: (reports) => drained(frontier.report(reports)),
    sweep: () => drained(frontier.sweep()),
  };
}
