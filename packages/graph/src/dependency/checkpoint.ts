import { rm } from 'node:fs/promises';
import type { Clock } from '@webfarer/protocol';
import { readArrays, writeArrays } from '../files/array-file.ts';
import type { Checkpoint, Progress } from './compute.ts';
import type { SourceScore } from './scores.ts';

interface About {
  input: string;
  scores: SourceScore[];
  source: number;
  walk: { round: number; left: number; walking: number };
}

/** Progress in a file, written at most every `everyMs`. JSON keeps every bit of a number. */
export function fileCheckpoint(
  file: string,
  { clock, everyMs }: { clock: Clock; everyMs: number },
): Checkpoint & { remove(): Promise<void> } {
  let lastMs = clock.now();
  return {
    async load(input) {
      const found = await readArrays(file);
      const about = found?.about as About | undefined;
      const [here, visits] = (found?.arrays ?? []) as Float64Array[];
      if (about?.input !== input || here === undefined || visits === undefined) return undefined;
      const { scores, source, walk } = about;
      return { scores, source, walk: { ...walk, here, visits } };
    },
    async save(input, { scores, source, walk }: Progress) {
      if (walk === undefined || clock.now() - lastMs < everyMs) return;
      const { here, visits, ...numbers } = walk;
      const about: About = { input, scores, source, walk: numbers };
      await writeArrays(file, { about, arrays: [here, visits] });
      lastMs = clock.now();
    },
    remove: () => rm(file, { force: true }),
  };
}
