import type { CrawlSnapshot } from '@webfarer/protocol';
import { numberTable } from '@webfarer/protocol/numbers';
import { waitingFor } from './wording.ts';
import { bytes, count, rate, stopwatch } from '../terminal/format.ts';
import { goalWords, leftWords } from './goal.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { painter } from '../terminal/text.ts';
import type { View } from './view.ts';

export interface PlainViewOptions {
  quiet?: boolean;
  /** `limits.pages`. */
  pageLimit?: number | undefined;
}

/** Off a terminal: one plain line every ten seconds, and notes as they come. */
export function createPlainView(terminal: Terminal, options: PlainViewOptions = {}): View {
  const paint = painter(terminal.colour);
  const line = (text: string) => terminal.out(`${text}\n`);
  let sticky: string | undefined;
  return {
    everyMs: 10_000,
    redraws: false,
    event: () => {},
    print: (lines) => lines.forEach(line),
    note: (note) => line(`  ${paint(note.style, note.text)}`),
    sticky(text) {
      if (text !== undefined && text !== sticky) line(`  ${text}`);
      sticky = text;
    },
    show(snapshot) {
      if (!options.quiet) line(plainLine(snapshot, options.pageLimit));
    },
    end: () => {},
  };
}

/** All that matters in one line, in an order that stays. */
export function plainLine(snapshot: CrawlSnapshot, pageLimit?: number): string {
  const { balance: b } = snapshot;
  const waiting = waitingFor(snapshot);
  const parts = [
    `${stopwatch(snapshot.elapsedMs)}  ${count(b.done)} done of ${goalWords(b, pageLimit)}`,
    `failed ${count(b.failed)}`,
    `refused ${count(b.refused)}`,
    `${numberTable.queued.words.en} ${count(b.queued)}`,
    `${numberTable.leased.words.en} ${count(b.leased)}`,
    `${numberTable.inFlight.words.en} ${count(snapshot.inFlight)}`,
    `${rate(snapshot.pagesPerSecond)} pages/s`,
    `${bytes(snapshot.bytes)} in`,
  ];
  const left = leftWords(snapshot);
  if (left !== undefined) parts.push(left);
  if (waiting !== undefined) parts.push(`waiting: ${waiting}`);
  return `  ${parts.join('   ')}`;
}
