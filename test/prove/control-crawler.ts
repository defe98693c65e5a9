import { userAgentFor } from '@webfarer/protocol/job';
import { openLocal } from '../../packages/cli/src/local/local-crawl.ts';
import { readJobFile } from '../../packages/cli/src/commands/run.ts';
import { version } from '../../packages/cli/src/machine/version.ts';

/**
 * The negative control of the kill proof: a crawl whose store commits outcomes before the links of their
 * pages, and which may die in between, at its first commit. `node control-crawler.ts JOB FOLDER die|finish`.
 */
const [file = '', folder = '', fate = 'finish'] = process.argv.slice(2);
const { job, input, path } = await readJobFile(file, process.cwd());
const { run } = await openLocal({
  job,
  input,
  jobPath: path,
  folder,
  userAgent: userAgentFor(job, version),
  store: {
    unsafeOutcomesFirst: true,
    failpoint: (name) => {
      if (name === 'outcomes-committed' && fate === 'die') process.kill(process.pid, 'SIGKILL');
    },
  },
});
await run;
