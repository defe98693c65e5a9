import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { judge } from '../judge/judge.ts';
import { labExpects, labGapMs } from './lab.ts';

/** Judges what a crawl folder holds against the log of the fake web it was made from, behind what was cleared from it before. */
export async function judgeFolder(
  fake: FakeWeb,
  folder: string,
  expect: ExpectOptions = labExpects,
  cleared: readonly LogEntry[] = [],
) {
  const reader = await readFolder(folder);
  try {
    return await judge({
      web: fake.web,
      expect,
      log: [...cleared, ...(await fake.log())],
      records: reader.results.records(reader.crawl),
      gapMs: labGapMs,
      hostPages: fake.web.hostBudget(),
      balance: await reader.balance(),
    });
  } finally {
    await reader.close();
  }
}
