import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Catalog } from './catalog.ts';
import { catalogSuite } from './catalog.suite.ts';
import { openSqliteCatalog } from './sqlite-catalog.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-catalog-'));
const catalogs: Catalog[] = [];
let files = 0;

afterAll(async () => {
  for (const catalog of catalogs) await catalog.close();
  rmSync(folder, { recursive: true });
});

catalogSuite({
  name: 'SQLite',
  many: 2_500,
  async open(processes) {
    const path = join(folder, `${files++}.db`);
    const opened = Array.from({ length: processes }, () => openSqliteCatalog(path));
    catalogs.push(...opened);
    return opened;
  },
});
