import type { CrawlDetail } from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { shownState, stateTable } from '@webfarer/protocol/numbers';
import type { CliContext } from '../../context/context.ts';
import { bytes, plural, stopwatch } from '../../terminal/format.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { clean, painter } from '../../terminal/text.ts';
import { balanceLines, errorWords, reasonCountLines } from '../../view/summary.ts';
import { asking, findCrawl, reach, type RemoteOptions } from './remote.ts';

/** Shows one crawl of a coordinator. */
export async function showCrawlStatus(
  context: CliContext,
  named: string,
  options: RemoteOptions,
): Promise<void> {
  const { terminal } = context;
  const at = await reach(context, options);
  const crawl = await asking(context, at, findCrawl(context, at, named));
  if (options.json) return terminal.out(jsonLine(crawl));
  const size = { columns: usableColumns(terminal), colour: terminal.colour };
  for (const line of crawlLines(crawl, at.url, size)) terminal.out(`${line}\n`);
}

function crawlLines(
  { name, state, progress, failure }: CrawlDetail,
  url: string,
  { columns, colour }: { columns: number; colour: boolean },
): string[] {
  const paint = painter(colour);
  const shown = stateTable[shownState({ ...progress, state })].words.en;
  const lines = [`  ${paint('strong', clean(name))}   ${shown}   ${paint('quiet', `at ${url}`)}`];
  if (failure) lines.push(`  ${clean(failure.message)}`);
  if (failure?.next !== undefined) lines.push(`  ${clean(failure.next)}`);
  if (!progress)
    return [
      ...lines,
      '  Its counts are not known here: another coordinator works on it, or its folder is elsewhere.',
    ];
  const ran = progress.elapsedMs === undefined ? [] : [`ran ${stopwatch(progress.elapsedMs)}`];
  const facts = [...ran, `${bytes(progress.bytes)} in`, plural(progress.items, 'item')];
  lines.push(
    ...balanceLines(progress.balance, columns, paint),
    ...errorWords(progress).map((words) => `  ${words}`),
    `  ${facts.join('   ')}`,
    ...reasonCountLines(progress),
  );
  if (progress.endedBy !== undefined) lines.push(`  ${clean(progress.endedBy)}`);
  const held = progress.pause ?? progress.stall;
  if (held) lines.push(`  waiting: ${clean(held.text)}`);
  return lines;
}
