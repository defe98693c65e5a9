import type { PublishedEvent } from '@webfarer/coordinator';
import type { CrawlSnapshot } from '@webfarer/protocol';
import type { Note } from './notes.ts';

/** How a running crawl is shown: on a live screen, as plain lines, or as JSON for machines. */
export interface View {
  /** How often `show` wants a snapshot. */
  readonly everyMs: number;
  /** Lines are replaced in place, so passing moments may be shown. */
  readonly redraws: boolean;
  /** A block of lines that stays: the banner, the summary. */
  print(lines: readonly string[]): void;
  event(published: Pick<PublishedEvent, 'line'>): void;
  note(note: Note): void;
  /** A line that stays until it is replaced, or cleared with undefined. */
  sticky(text: string | undefined): void;
  show(snapshot: CrawlSnapshot): void;
  /** Nothing is redrawn after this. Safe to call twice. */
  end(): void;
}
