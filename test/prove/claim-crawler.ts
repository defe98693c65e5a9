import { userAgentFor } from '@webfarer/protocol/job';
import { openLocal } from '../../packages/cli/src/local/local-crawl.ts';
import { readJobFile } from '../../packages/cli/src/commands/run.ts';
import { hostLedgerPath } from '../../packages/cli/src/machine/state-folder.ts';
import { version } from '../../packages/cli/src/machine/version.ts';

/**
 * A crawl that is killed between a claim in the host ledger and the grant it is for, at the claim of this number.
 * `node claim-crawler.ts JOB FOLDER NUMBER`.
 */
const [file = '', folder = '', claims = '1'] = process.argv.slice(2);
let left = Number(claims);
const { job, input, path } = await readJobFile(file, process.cwd());
const { run } = await openLocal({
  job,
  input,
  jobPath: path,
  folder,
  userAgent: userAgentFor(job, version),
  ledger: hostLedgerPath(),
  store: {
    failpoint: (name) => {
      if (name === 'claimed' && --left === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
});
await run;
