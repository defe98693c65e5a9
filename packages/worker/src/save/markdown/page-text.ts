import type { Clock, Job } from '@webfarer/protocol';
import { readsText } from '../../documents/document-tree.ts';
import { pageBody } from '../page-body.ts';
import type { Capture } from '../saver.ts';

type MarkdownTarget = Extract<Job['save'][number], { kind: 'markdown' }>;

export interface MarkdownSaverOptions extends MarkdownTarget {
  /** The crawl folder; the files go to `markdown/` in it. */
  folder: string;
  /** The crawl's name: how the files of lines are called. */
  crawl: string;
  clock: Clock;
  /** Which of several processes this is, counted from 1. */
  process?: number;
}

export type TextChoice = Pick<MarkdownTarget, 'main' | 'content'>;

/** What is kept of a page beside its text, in this order. */
export interface TextFacts {
  url: string;
  /** `sha1:BASE32` of the payload, as in the record of the page. */
  digest: string;
  title?: string;
  language?: string;
  /** When the page says that it was published. */
  published?: string;
  /** ISO 8601. */
  fetched: string;
  /** Why a document of a readable type could not be read; then there is no text. */
  problem?: string;
}

export interface PageText {
  facts: TextFacts;
  text: string;
}

/** The text of a page that was fetched whole; undefined for what has none: images, requisites, errors. */
export async function pageText(capture: Capture, choice: TextChoice): Promise<PageText | undefined> {
  const { shown, entry, digest, page } = capture;
  if (!shown || !pageBody(capture) || !readsText(capture.mime)) return undefined;
  const facts: TextFacts = { url: entry.url, digest, fetched: new Date(page.startedAtMs).toISOString() };
  try {
    const text = await chosenText(shown, choice);
    return { facts: { ...facts, ...saidBy(shown) }, text };
  } catch (error) {
    // A damaged document is no reason to fail its page: the bytes are what the site serves.
    return { facts: { ...facts, problem: (error as Error).message }, text: '' };
  }
}

type Shown = NonNullable<Capture['shown']>;

async function chosenText(shown: Shown, { main, content }: TextChoice): Promise<string> {
  const part = main ? (await shown.main())[content] : '';
  // A page without prose has no main content, but what it says is still its text.
  return part !== '' ? part : await shown[content]();
}

function saidBy({ title, language, published }: Shown): Pick<TextFacts, 'title' | 'language' | 'published'> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(language === undefined ? {} : { language }),
    ...(published === undefined ? {} : { published }),
  };
}

/** A file of its own: the facts as YAML, then the text. JSON strings are YAML strings. */
export function withFrontMatter({ facts, text }: PageText): string {
  const order = ['url', 'title', 'language', 'published', 'fetched', 'digest', 'problem'] as const;
  const lines = order
    .filter((name) => facts[name] !== undefined)
    .map((name) => `${name}: ${JSON.stringify(facts[name])}`);
  return `---\n${lines.join('\n')}\n---\n\n${text === '' ? '' : `${text}\n`}`;
}
