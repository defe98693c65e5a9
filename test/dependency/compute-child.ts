import { writeFile } from 'node:fs/promises';
import { systemClock } from '@webfarer/protocol';
import { readArrays } from '../../packages/graph/src/files/array-file.ts';
import { fileCheckpoint } from '../../packages/graph/src/dependency/checkpoint.ts';
import { computeJob } from '../../packages/graph/src/dependency/compute.ts';
import { cpuShare } from '../../packages/graph/src/dependency/cpu-share.ts';
import { graphFrom } from '../../packages/graph/src/dependency/job-content.ts';

/**
 * The compute phase as a process of its own, to be killed or measured: `JOB CHECKPOINT RESULT [SHARE SECONDS]`. With a
 * share it computes the job again and again for so long.
 */
const [jobFile = '', checkpointFile = '', resultFile = '', share, seconds] = process.argv.slice(2);
const content = await readArrays(jobFile);
if (content === undefined) throw new Error(`${jobFile} is no job`);
const graph = graphFrom(content);
const clock = systemClock();
process.stdout.write('ready\n');
if (share === undefined) {
  const checkpoint = fileCheckpoint(checkpointFile, { clock, everyMs: 5 });
  const watched = {
    ...checkpoint,
    async load(input: string) {
      const progress = await checkpoint.load(input);
      if (progress) process.stdout.write('resumed\n');
      return progress;
    },
  };
  const scores = await computeJob(graph, { threshold: 0, checkpoint: watched });
  await writeFile(resultFile, JSON.stringify(scores));
} else {
  const rest = cpuShare(Number(share), clock);
  const end = clock.now() + Number(seconds) * 1_000;
  while (clock.now() < end) {
    await computeJob(graph, {
      threshold: 0.001,
      rest: () => {
        if (clock.now() >= end) process.exit(0);
        return rest();
      },
    });
  }
}
