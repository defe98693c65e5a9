import { readFolder } from '@webfarer/coordinator';
import type { PageRecord } from '@webfarer/protocol';

/** What a crawl folder holds in the end: every record, the balance, and how many URLs had which reason. */
export async function folderRecords(folder: string) {
  const reader = await readFolder(folder);
  try {
    const records: PageRecord[] = [];
    for await (const record of reader.results.records(reader.crawl)) records.push(record);
    const [balance, { byReason }] = [await reader.balance(), await reader.totals()];
    return { records, balance, byReason };
  } finally {
    await reader.close();
  }
}
