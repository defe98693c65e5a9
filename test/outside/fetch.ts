import { pythonFor, pythonSets } from './python.ts';

/** Fetches the judges in Python that proofs ask, so that no proof has to wait for them. */
for (const set of pythonSets) await pythonFor(set);
