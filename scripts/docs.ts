import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { apiPage } from './docs/api-page.ts';
import { ciPage } from './docs/ci-page.ts';
import { commandsPage } from './docs/commands-page.ts';
import { eventsPage } from './docs/events-page.ts';
import { faultsPage } from './docs/faults-page.ts';
import { jobFilePage } from './docs/job-file-page.ts';
import { metricsPage } from './docs/metrics-page.ts';
import { numbersPage } from './docs/numbers-page.ts';
import { openApiPage } from './docs/openapi-page.ts';
import { reasonsPage } from './docs/reasons-page.ts';
import { referencePage } from './docs/reference-page.ts';
import { recipesPage } from './docs/recipes-page.ts';

/** Writes the pages that are made from code. `--check` writes nothing and fails where a page is out of date. */
const root = resolve(import.meta.dirname, '..');
const pages: Record<string, () => string | Promise<string>> = {
  'docs/api.md': apiPage,
  'docs/ci.md': () => ciPage(),
  'docs/commands.md': commandsPage,
  'docs/events.md': eventsPage,
  'docs/faults.md': () => faultsPage(),
  'docs/job-file.md': jobFilePage,
  'docs/metrics.md': metricsPage,
  'docs/numbers.md': numbersPage,
  'docs/openapi.json': openApiPage,
  'docs/reasons.md': reasonsPage,
  'docs/reference.md': referencePage,
  'docs/recipes/README.md': recipesPage,
};

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const check = process.argv.includes('--check');
for (const [name, make] of Object.entries(pages)) {
  const path = join(root, name);
  const text = await make();
  if (current(path) === text) continue;
  if (check) {
    console.log(`${name} is out of date; run node scripts/docs.ts`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${name}`);
}
