import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';

/** Crawls of different tests have hosts of the same names: each file of tests has a host ledger of its own. */
const folder = join(tmpdir(), `webfarer-test-state-${randomUUID()}`);
process.env.WEBFARER_STATE = folder;
afterAll(() => rmSync(folder, { recursive: true, force: true }));
