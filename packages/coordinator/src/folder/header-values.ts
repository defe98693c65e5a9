import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { maskHeaders, unmaskHeaders } from '@webfarer/protocol/job/secrets';
import { writeDurably } from '@webfarer/protocol/node';

/** Beside crawl.json, readable by its owner only: crawl.json is handed around and downloaded, keys are not. */
const fileName = 'header-values.json';

/** Keeps the values of a job's request headers that may be keys; answers the job without them. */
export async function keepHeaderValues(folder: string, input: unknown): Promise<unknown> {
  const { masked, values, isWhole } = maskHeaders(input);
  const file = join(folder, fileName);
  // What this process was not told is not forgotten.
  const all = isWhole ? values : { ...(await valuesIn(folder)), ...values };
  if (Object.keys(all).length === 0) {
    if (existsSync(file)) await rm(file, { force: true });
    return masked;
  }
  const text = `${JSON.stringify(all)}\n`;
  if (text !== (await readFile(file, 'utf8').catch(() => undefined)))
    await writeDurably(file, text, { mode: 0o600 });
  return masked;
}

/** The job with the values that were kept. Another user of the machine, or a copy of crawl.json alone, lacks them. */
export async function withHeaderValues(folder: string, input: unknown): Promise<unknown> {
  return maskHeaders(input).isWhole ? input : unmaskHeaders(input, await valuesIn(folder));
}

async function valuesIn(folder: string): Promise<Record<string, string>> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => '{}');
  return JSON.parse(text) as Record<string, string>;
}
