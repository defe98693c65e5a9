import type { Entry } from '@webfarer/protocol';
import { targetOf } from '@webfarer/protocol/url';
import type { HandlingContext } from '../context/context.ts';
import { decodeLargeText } from '../extract/charset.ts';
import type { Exchange, PictureReader } from '../fetch/fetch.ts';
import { createPage } from '../scrape/page.ts';
import type { Page } from '../scrape/scraper.ts';
import { type Document, readDocumentInTurns } from './document.ts';
import { createGatherer, type Gatherer } from './gather.ts';
import { runScraper, type ScrapeAnswer } from './run-scraper.ts';

/** An answer with content, its body decoded. */
export interface DecodedAnswer {
  entry: Entry;
  exchange: Exchange;
  mime: string;
  /** Content encodings undone. */
  body: Buffer;
  picture?: PictureReader | undefined;
}

export interface ReadPage {
  document: Document;
  page: Page;
  /** The document was read up to the limit for bodies; only its source has the rest. */
  isCut: boolean;
}

/** Reads an answer into the page that user code sees: the same for one just fetched, a stored one and one in a test. */
export async function readPage(
  context: HandlingContext,
  { entry, exchange, mime, body, picture }: DecodedAnswer,
): Promise<ReadPage> {
  // A page that came packed is read no further than one that came plain.
  const { maxBodyBytes } = context.job.fetch;
  const isCut = body.length > maxBodyBytes;
  const document = await readDocumentInTurns({
    url: targetOf(entry.url),
    headers: exchange.headers,
    body: isCut ? body.subarray(0, maxBodyBytes) : body,
    normalise: context.normalise,
    agentToken: context.agentToken,
    styles: context.job.scope.requisites,
  });
  const whole = isCut ? await decodeLargeText(body, document.charset ?? 'utf-8') : undefined;
  const { links, title, language } = document;
  const { account } = context;
  const page = createPage({
    entry,
    account,
    fetched: exchange,
    mime,
    body,
    source: whole === undefined ? document.text : () => whole,
    links,
    title,
    language,
    picture,
  });
  return { document, page, isCut };
}

export interface HandledPage {
  gather: Gatherer;
  scraped: ScrapeAnswer;
}

/** A page for user code. */
export interface ShownPage {
  entry: Entry;
  page: Page;
  /** Takes what the code asks for the first time it runs; by default a new one. */
  gather?: Gatherer;
}

/** Runs user code on a page, once. */
export async function handleOnce(
  context: HandlingContext,
  shown: ShownPage,
  abort: AbortController,
): Promise<HandledPage> {
  const { entry, page } = shown;
  const gather = shown.gather ?? createGatherer(context, entry, abort);
  return { gather, scraped: await runScraper(context, page, gather, abort) };
}

/** Some errors pass: code that threw is run once more on the answer at hand. A bug is no reason to ask the site again. */
export async function handlePage(
  context: HandlingContext,
  shown: ShownPage,
  abort: AbortController,
): Promise<HandledPage> {
  const first = await handleOnce(context, shown, abort);
  if (first.scraped.ok || first.scraped.reason !== 'handler') return first;
  const { entry, page } = shown;
  return await handleOnce(context, { entry, page }, abort);
}
