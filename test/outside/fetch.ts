import { goProgram, goPrograms } from './go.ts';
import { fetchComposeSchema } from '../deploy/lint.ts';
import { kafkaJars } from '../kafka/jars.ts';
import { pythonFor, pythonSets } from './python.ts';
import { jwarcJar, sarifSchema } from './tools.ts';

/**
 * Fetches the judges in other languages that tests and proofs ask. Tests that lack theirs are skipped, so CI fetches these
 * first (`--tests`) and the rest, for which proofs would have to wait, while the tests run.
 */
const forTests = async () => {
  const programs = (async () => {
    for (const name of goPrograms) await goProgram(name);
  })();
  for (const set of ['archives', 'formats'] as const) await pythonFor(set);
  await Promise.all([sarifSchema(), programs]);
};

await forTests();
if (!process.argv.includes('--tests')) {
  const others = Promise.all([jwarcJar(), kafkaJars(), fetchComposeSchema()]);
  for (const set of pythonSets) await pythonFor(set);
  await others;
}
