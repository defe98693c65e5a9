import type { KeptResults } from '@webfarer/coordinator/redis';
import type { CliContext } from '../context/context.ts';
import type { FolderReader } from '../crawl/local-port.ts';
import { painter } from '../terminal/text.ts';

/** `--segments`, for commands that read results. */
export const segmentsOption = [
  '--segments <dir>',
  'also look here for results that another process wrote (several times)',
] as const;

/** What is left out, because other processes of a shared crawl wrote it to folders that cannot be reached from here. */
export async function absentLines(reader: Pick<FolderReader, 'kept'>): Promise<string[]> {
  const { absent = [] } = (await reader.kept()) ?? {};
  if (absent.length === 0) return [];
  const { absentWords, bringSegments } = await import('@webfarer/coordinator/redis');
  return [...absentWords(absent).map((words) => `! left out: ${words}`), bringSegments];
}

/** To stderr: what is printed may go to a file. */
export async function noteAbsent({ terminal }: CliContext, reader: FolderReader): Promise<void> {
  const paint = painter(terminal.colour);
  for (const line of await absentLines(reader)) terminal.err(`  ${paint('warn', line)}\n`);
}

/** How many results are not available here. */
export function absentCount(kept: Pick<KeptResults, 'absent'> | undefined): number {
  return (kept?.absent ?? []).reduce((sum, { records }) => sum + records, 0);
}
