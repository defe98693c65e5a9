import type { DatedClock, Job } from '@webfarer/protocol';
import { documentKind } from '../../documents/document-kind.ts';
import { createPage, cutOf } from '../../scrape/page.ts';
import { openAccount } from '../../shares/account.ts';
import type { Cut } from '../../tree/budget.ts';
import { pageBody } from '../page-body.ts';
import type { Capture } from '../saver.ts';

type MarkdownTarget = Extract<Job['save'][number], { kind: 'markdown' }>;

export interface MarkdownSaverOptions extends MarkdownTarget {
  /** The crawl folder; the files go to `markdown/` in it. */
  folder: string;
  /** The crawl's name: how the files of lines are called. */
  crawl: string;
  clock: DatedClock;
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
  /** The end of the page is missing, because it has more of this than is worked on. */
  cut?: Cut;
  /** Why a document of a readable type could not be read; then there is no text. */
  problem?: string;
}

export interface PageText {
  facts: TextFacts;
  text: string;
}

/** The text of a page or file that was fetched whole; undefined for what has none: images, style sheets, errors. */
export async function pageText(capture: Capture, choice: TextChoice): Promise<PageText | undefined> {
  const { entry, digest, page } = capture;
  const shown = shownBy(capture);
  if (!shown) return undefined;
  const facts: TextFacts = { url: entry.url, digest, fetched: new Date(page.startedAtMs).toISOString() };
  try {
    const text = await chosenText(shown, choice);
    const said = await saidBy(shown);
    const cut = cutOf(shown);
    return { facts: { ...facts, ...said, ...(cut && { cut }) }, text };
  } catch (error) {
    // A damaged document is no reason to fail its page: the bytes are what the site serves.
    return { facts: { ...facts, problem: (error as Error).message }, text: '' };
  }
}

type Shown = NonNullable<Capture['shown']>;

/** The page that a handler saw, or a document that was only fetched as a file: then no handler saw it. */
function shownBy(capture: Capture): Shown | undefined {
  const body = pageBody(capture);
  if (!body) return undefined;
  const kind = documentKind(capture.mime, body);
  if (capture.shown) return kind && capture.shown;
  if (kind !== 'pdf' && kind !== 'docx') return undefined;
  const { entry, account = openAccount(), page: fetched, mime } = capture;
  const none = { links: [], title: undefined, language: undefined, picture: undefined };
  return createPage({ entry, account, fetched, mime, body, source: () => body.toString(), ...none });
}

async function chosenText(shown: Shown, { main, content }: TextChoice): Promise<string> {
  const part = main ? (await shown.main())[content] : '';
  // A page without prose has no main content, but what it says is still its text.
  return part !== '' ? part : await shown[content]();
}

async function saidBy(shown: Shown): Promise<Pick<TextFacts, 'title' | 'language' | 'published'>> {
  const { language, published } = shown;
  // Feeds and documents have no title of their own, but mostly begin with one.
  const title = shown.title ?? (await shown.headings())[0]?.text;
  return {
    ...(title === undefined ? {} : { title }),
    ...(language === undefined ? {} : { language }),
    ...(published === undefined ? {} : { published }),
  };
}

/** A file of its own: the facts as YAML, then the text. JSON strings are YAML strings. */
export function withFrontMatter({ facts, text }: PageText): string {
  const order = ['url', 'title', 'language', 'published', 'fetched', 'digest', 'cut', 'problem'] as const;
  const lines = order
    .filter((name) => facts[name] !== undefined)
    .map((name) => `${name}: ${JSON.stringify(facts[name])}`);
  return `---\n${lines.join('\n')}\n---\n\n${text === '' ? '' : `${text}\n`}`;
}
