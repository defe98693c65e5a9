import { userAgentFor } from '@webfarer/protocol/job';
import { openLocal } from '../../packages/cli/src/local/local-crawl.ts';
import { readJobFile } from '../../packages/cli/src/commands/run.ts';
import { version } from '../../packages/cli/src/machine/version.ts';

/**
 * A crawl in a store that writes its results to files and may kill itself on the way:
 * `node drain-crawler.ts JOB FOLDER FATE [unsafe]`. FATE is `finish`, or a step and how often it goes well:
 * `claimed:3`. With `unsafe`, the negative control, results leave the store before they are on the disk.
 */
const [file = '', folder = '', fate = 'finish', safety] = process.argv.slice(2);
const [fatal = '', times = ''] = fate.split(':');
let left = Number(times);
const { job, input, path } = await readJobFile(file, process.cwd());
const { run } = await openLocal({
  job,
  input,
  jobPath: path,
  folder,
  userAgent: userAgentFor(job, version),
  drain: {
    claimMs: 2_000,
    unsafeKeepFirst: safety === 'unsafe',
    failpoint(step) {
      if (step === fatal && --left < 0) process.kill(process.pid, 'SIGKILL');
    },
  },
});
await run;
