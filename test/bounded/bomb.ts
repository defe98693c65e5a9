import type { JobInput } from '@webfarer/protocol';

/** A rule of `extract` as a job file has it. */
export type ExtractInput = NonNullable<JobInput['extract']>[number];

/** What a bomb attacks; the quick form of the proof takes the first of each. */
export const kinds = [
  'html',
  'encodings',
  'word',
  'pdf',
  'drawings',
  'feeds',
  'sitemaps',
  'linked-data',
  'robots',
  'cookies',
  'headers',
  'consoles',
  'dialogs',
  'selectors',
  'items',
  'expressions',
  'links',
] as const;
export type Kind = (typeof kinds)[number];

/** A host, a page or a rule of a job that was made to cost much. */
export interface Bomb {
  /** Unique; part of its address. */
  name: string;
  kind: Kind;
  /** Which of the crawls meets it. */
  crawl: string;
  answer: Answer;
  /** Files of its host beside it, by their path. */
  files?: Record<string, Answer>;
  /** What stands behind its address. */
  query?: string;
  /** The seed is a sitemap. */
  isSitemap?: boolean;
  /** What its crawl makes of this page alone. */
  rule?: Omit<ExtractInput, 'pages'>;
  /** Has a host of its own, because of what it does to it. */
  alone?: boolean;
  /** What its record says; of several values any. Every record has a verdict and a reason in any case. */
  says?: Says;
}

export type Says = Partial<Record<'cut' | 'reason' | 'verdict' | 'detail', string | readonly string[]>>;

/** Made when it is asked for: together they would take gigabytes. */
export interface Answer {
  status?: number;
  /** Name and value in turn: one name may stand there often. */
  headers: readonly string[];
  body: () => string | Buffer;
  /** The whole answer as it goes over the wire, in place of the others. */
  raw?: () => string;
}

const most = 9_900_000;

/** Repeats a part, by default to just below what is read of a body. */
export const filled = (part: string, length = most): string => part.repeat(Math.floor(length / part.length));

/** Parts that differ by their number. */
export const numbered = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join('');

export const answerOf = (
  type: string,
  body: () => string | Buffer,
  more: readonly string[] = [],
): Answer => ({
  headers: ['content-type', type, ...more],
  body,
});

export const html = (body: () => string | Buffer, more: readonly string[] = []): Answer =>
  answerOf('text/html', body, more);

export const elements = { cut: 'elements' } as const;
export const text = { cut: 'text' } as const;

/** A maker of bombs of one kind. */
export const maker =
  (kind: Kind, crawl: string, type = 'text/html') =>
  (name: string, body: () => string | Buffer, more: Partial<Bomb> = {}): Bomb => ({
    name: `${kind}-${name}`,
    kind,
    crawl,
    answer: answerOf(type, body),
    ...more,
  });
