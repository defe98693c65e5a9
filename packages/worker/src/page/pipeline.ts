import type {
  CoordinatorLink,
  Edge,
  Entry,
  FailedReason,
  NotSaved,
  OutcomeReason,
  PageRecord,
  RenderWhy,
  Settlement,
  Url,
} from '@webfarer/protocol';
import { packEdges } from '@webfarer/protocol/link';
import { linkUse, targetOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context/context.ts';
import { asShown } from './as-shown.ts';
import { redirected, urlOf } from './asked.ts';
import { type Challenge, challengeOf } from './challenge.ts';
import type { Document } from './document.ts';
import { type Decoded, decodeBody } from '../bytes/decode.ts';
import { detectMime, parseContentType } from '../extract/mime.ts';
import { requisiteParts } from '../extract/requisite-parts.ts';
import { notedSignals } from '../extract/signals.ts';
import { readSitemap, type SitemapLink } from '../extract/sitemap.ts';
import { type FetchedPage, header, type Rendition } from '../fetch/fetch.ts';
import { encodingsOf, locationOf } from '../bytes/headers.ts';
import { hookDone } from './own-code.ts';
import { outcome, recordOf } from './records.ts';
import { asBefore, changeOf, earlierCapture, edgesBefore, offerAgain } from './recrawl.ts';
import { mimeOf, readsAsPage } from './request.ts';
import { saveCapture, saveResources } from './pipeline-save.ts';
import { addFacts, describe, obeyHeaders, renderedFacts } from './seen-facts.ts';
import { createGatherer, type Gatherer } from './gather.ts';
import type { ScrapeAnswer } from './run-scraper.ts';
import { type DecodedAnswer, handlePage, readPage } from './handle-page.ts';
import { createPace, type Pace } from '../scrape/follow-in-turns.ts';
import { ItemProblem } from '../scrape/item-problem.ts';
import { cutOf } from '../scrape/page.ts';
import type { Page } from '../scrape/scraper.ts';
import type { KeptFacts } from '../context/stored-answers.ts';
import { asStage } from '../shares/handling.ts';
import { mainThread } from '../shares/main-thread.ts';
import type { WriteGate } from '../disk/storage-gate.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Turnstile } from '../turnstile/turnstile.ts';
import { type AnswerMeaning, meaningOf } from './verdict.ts';

/** What a page needs of the session that fetched it. */
export interface PageParts {
  link: CoordinatorLink;
  storage: WriteGate;
  /** Pages of megabytes are read one at a time; all others go past them. */
  largePages: Turnstile;
  tracing: Tracing;
}

export interface SettleOptions {
  context: CrawlContext;
  entry: Entry;
  page: FetchedPage;
  parts: PageParts;
  /** Set when this was the last try of a page that only answered with this trouble. */
  failed?: FailedReason;
  /** What stays as it is in the record of a stored answer that is handled once more. */
  kept?: KeptFacts;
  /** Why it was or was not shown in a browser, where that was decided for this page. */
  renderedWhy?: RenderWhy | undefined;
}

/** A challenge is never longer than this. */
const challengeBytes = 65_536;

/** To read pages of megabytes takes time and memory: one at a time, and all others go past them. */
const largeBytes = 1_048_576;

const noAttributes = () => ({});
const bytesOf = (text: string): Buffer => Buffer.from(text);

/** What is learnt of a page on the way to its outcome. */
interface Work {
  mime: string;
  body: Buffer;
  gather: Gatherer;
  /** Of all links of the page. */
  pace: Pace;
  abort: AbortController;
  edges: Edge[];
  seen: Partial<PageRecord>;
  keep: boolean;
  /** As the handler saw it. */
  shown?: Page;
  renditions?: Rendition[];
}

/** From bytes to an outcome: decode, read links, run the scraper, save. All of it commits together. */
export async function settlePage(options: SettleOptions): Promise<Settlement> {
  const { context, entry, page } = options;
  const turn = mainThread.turn(context.account);
  if (turn) await turn;
  const encoding = encodingsOf(page);
  const isRead = entry.kind === 'sitemap' || /html|xml/.test(mimeOf(page));
  if (page.body.length > largeBytes && (isRead || encoding !== undefined))
    return await options.parts.largePages.run(() => settle(options));
  if (encoding === undefined || page.unread) return await settle(options);
  // Few bytes may stand for very many: how many is seen before it is decided where they are worked on.
  const maxBytes = Math.min(largeBytes, context.job.fetch.maxDecodedBytes);
  const start = await decodeBody(page.body, encoding, { maxBytes });
  if (!start.ok || start.body.length < largeBytes) return await settle(options, start);
  start.free?.();
  return await options.parts.largePages.run(() => settle(options));
}

/** The challenge that an answer is, before anything else is done with it. */
export async function findChallenge(page: FetchedPage): Promise<Challenge | undefined> {
  const decoded = await decodeBody(page.body, encodingsOf(page), { maxBytes: challengeBytes });
  try {
    return challengeOf(page, () => (decoded.ok ? decoded.body.toString('utf8', 0, challengeBytes) : ''));
  } finally {
    if (decoded.ok) decoded.free?.();
  }
}

/** `known`: the body with its encodings undone, where that was done already. */
async function settle(options: SettleOptions, known?: Decoded): Promise<Settlement> {
  const { context, entry, page } = options;
  const mime = mimeOf(page);
  const seen = describe(page, mime);
  const meaning = meaningOf(page.status, locationOf(page) !== undefined);
  if (page.unread && entry.kind !== 'check')
    return ended(options, 'refused', 'type', mime || 'no content type', seen);

  const limits = { maxBytes: context.job.fetch.maxDecodedBytes };
  const decoded = known ?? (await decodeBody(page.body, encodingsOf(page), limits));
  if (!decoded.ok && meaning.kind === 'content') {
    return ended(options, 'failed', 'bad-encoding', decoded.detail, seen);
  }
  if (decoded.ok && decoded.truncated) seen.truncated ??= decoded.truncated;
  const abort = new AbortController();
  const gather = createGatherer(context, entry, abort);
  const body = decoded.ok ? decoded.body : page.body;
  const detected = decoded.ok && body.length > 0 ? detectMime(mime, body) : mime;
  if (detected !== mime) seen.mimeDetected = detected;
  const work: Work = { mime, body, gather, pace: createPace(), abort, edges: [], seen, keep: true };
  try {
    return await workOn(options, work, meaning);
  } catch (error) {
    // Of the links that are worked on here; a handler answers for its own.
    if (!(error instanceof ItemProblem)) throw error;
    return ended(options, 'failed', 'item-invalid', error.message, seen);
  } finally {
    if (decoded.ok) decoded.free?.();
  }
}

async function workOn(options: SettleOptions, work: Work, meaning: AnswerMeaning): Promise<Settlement> {
  const { context, entry, page } = options;
  const { mime, seen } = work;
  // Followed as a page, but of a type that only requisites are fetched for: it is kept as one.
  const kind =
    entry.kind === 'page' && meaning.kind === 'content' && !readsAsPage(context, entry, mime)
      ? 'requisite'
      : entry.kind;

  const isScraped = meaning.kind === 'content' && kind === 'page';
  // What is read as a page says more than its headers do.
  if (!isScraped) work.keep = obeyHeaders(context, page, seen);
  const challenge = isScraped ? undefined : unscrapedChallenge(page, work);
  if (challenge) return challenged(options, challenge, seen);

  if (meaning.kind === 'redirect') followRedirect(options, work);
  else if (meaning.kind === 'content' && entry.kind === 'sitemap')
    await mainThread.run(asStage(options, 'read'), () => followSitemap(options, work));
  else if (meaning.kind === 'content' && kind === 'requisite')
    await mainThread.run(asStage(options, 'read'), () => followParts(options, work));
  else if (isScraped) {
    const trouble = await options.parts.tracing.run('webfarer.extract', noAttributes, () =>
      scrape(options, work),
    );
    if (trouble && 'by' in trouble) return challenged(options, trouble, seen);
    // Kept all the same: once the code is right, it can be run on this answer.
    if (trouble) {
      const kept = await save(options, work, notSavedWhy(context, work, true));
      return ended(options, 'failed', trouble.reason, trouble.detail, { ...seen, ...kept });
    }
  } else if (isUnchanged(meaning)) await repeat(options, work);
  if (meaning.kind === 'content') Object.assign(seen, changeOf(entry, seen.digest));

  // A page that did not change is judged by the type that it had.
  const isPage = kind === 'page' && (meaning.kind === 'content' || isUnchanged(meaning));
  const kept = entry.kind === 'check' ? {} : await save(options, work, notSavedWhy(context, work, isPage));
  const { edges, gather } = work;
  const { offers, items, dropped, droppedItems, waited } = gather;
  if (waited.length > 0) await hookDone('onSkipped', waited, context);
  const cut = work.shown && cutOf(work.shown);
  if (cut) seen.cut = cut;
  if (droppedItems.size > 0) seen.droppedItems = Object.fromEntries(droppedItems);
  const more = { ...seen, links: edges.length, items: items.length, ...kept };
  const verdict = options.failed ? 'failed' : 'done';
  const reason = options.failed ?? (meaning.kind === 'redirect' ? 'redirect' : meaning.reason);
  const record = recordOf(entry, { verdict, reason, times: page, charged: true, more });
  // As bytes they are smaller, and hold no longer on to the text of the page.
  const links =
    edges.length === 0 ? [] : { length: edges.length, packed: packEdges(entry.url, edges, bytesOf) };
  return outcome(record, { offers, items, dropped, edges: links });
}

const isUnchanged = (meaning: AnswerMeaning): boolean =>
  meaning.kind === 'final' && meaning.reason === 'not-modified';

/** Why no saver is given an answer. What only a handler that asked for it by name was shown is kept: it may want to see it again. */
function notSavedWhy(
  { types }: CrawlContext,
  { keep, mime, seen: { mime: type = mime } }: Work,
  isPage: boolean,
): NotSaved | undefined {
  if (!keep) return 'noarchive';
  return isPage && !types.saves(type) && types.reads(type) ? 'type' : undefined;
}

function ended(
  { entry, page }: SettleOptions,
  verdict: 'failed' | 'refused',
  reason: OutcomeReason,
  detail: string,
  more: Partial<PageRecord>,
): Settlement {
  return outcome(recordOf(entry, { verdict, reason, detail, times: page, charged: true, more }));
}

/** Reads the page and runs the scraper on it. Answers only when that decides the URL's fate. */
async function scrape(
  options: SettleOptions,
  work: Work,
): Promise<Extract<ScrapeAnswer, { ok: false }> | Challenge | undefined> {
  const { context, entry, page } = options;
  const { body, mime, abort } = work;
  const answer = shownAs(page, { mime, body });
  const read = await mainThread.run(asStage(options, 'read'), () => readPage(context, { entry, ...answer }));
  const { document } = read;
  const { rendered } = page;
  if (rendered && answer.exchange !== page)
    work.renditions = [{ kind: 'dom', mime: 'text/html', bytes: answer.body }, ...rendered.pictures];
  if (read.isCut) work.seen.truncated = 'length';
  addFacts(work.seen, document, rendered !== undefined);
  Object.assign(work.seen, renderedFacts(page, options.renderedWhy));
  const challenge = isHtmlPage(work) && challengeOf(page, document.text, document);
  if (challenge) return challenge;
  work.keep = !document.signals.noarchive;
  work.shown = read.page;
  work.edges.push(...document.edges);
  const shown = { entry, page: read.page, gather: work.gather };
  const stage = asStage(options, 'handler');
  const handleIt = () => handlePage(context, shown, abort);
  const handle = () =>
    context.ownCode ? mainThread.runOwn(stage, handleIt) : mainThread.run(stage, handleIt);
  const { gather, scraped } = await options.parts.tracing.run('webfarer.scrape', noAttributes, handle);
  work.gather = gather;
  if (!scraped.ok) return scraped;
  await mainThread.run(asStage(options, 'read'), () => takeLinks(options, work, document));
  gather.items.splice(0, gather.items.length, ...scraped.items);
  return undefined;
}

/** What the page leads to beside what the scraper followed. */
async function takeLinks(options: SettleOptions, work: Work, document: Document): Promise<void> {
  const { context, entry, page } = options;
  const { gather } = work;
  for (const href of document.unusable) gather.unusable(href);
  await offerRequisites(options, work, document);
  await collectFiles(context, document.links, work, entry);
  if (page.rendered?.movedTo !== undefined) followMove(page.rendered.movedTo, options, work);
  for (const to of gather.followed) work.edges.push({ to, rel: 'followed' });
}

/** Of what is not read as a page: an error, or what came in place of a style sheet or a sitemap. */
function unscrapedChallenge(page: FetchedPage, work: Work): Challenge | undefined {
  const isLooked = page.status >= 400 || (isHtmlPage(work) && work.body.length <= challengeBytes);
  const source = () => work.body.toString('utf8', 0, challengeBytes);
  return challengeOf(page, source, isLooked ? undefined : { visible: work.body.length, links: [] });
}

const isHtmlPage = ({ mime, seen }: Work): boolean => /html/.test(seen.mimeDetected ?? mime);

/** Never content: nothing of it is read, offered or kept. */
function challenged(options: SettleOptions, { by, sign }: Challenge, seen: Partial<PageRecord>): Settlement {
  return ended(options, 'refused', 'challenge', `${by} (${sign})`, seen);
}

/** What a browser made of the page, unless that is another page by now. */
function shownAs(
  page: FetchedPage,
  { mime, body }: Pick<Work, 'mime' | 'body'>,
): Omit<DecodedAnswer, 'entry'> {
  const { rendered } = page;
  if (!rendered || rendered.movedTo !== undefined) return { exchange: page, mime, body };
  const exchange = asShown(page, rendered.html);
  const { picture } = rendered;
  return { exchange, mime: 'text/html', body: exchange.body, picture };
}

/** A page that sends its reader on by a script is a redirect: the other page is a URL of its own. */
function followMove(movedTo: string, { context, entry }: SettleOptions, { gather, edges }: Work): void {
  const to = context.normalise(movedTo, entry.url);
  if (to === undefined || to === entry.url) return;
  edges.push({ to, rel: 'redirect' });
  gather.offer(to, { kind: 'page', depth: entry.depth, hops: entry.hops + 1 });
}

/** What files are taken from a page; undefined: any, by the scope alone. */
function taker(
  { job, types }: CrawlContext,
  { url: page }: Entry,
): ((requisite: Url) => boolean) | undefined {
  if (job.scope.requisites || job.files === undefined) return undefined;
  const takesHere = types.collectsFrom(page);
  return (requisite) => takesHere && types.collects(requisite);
}

/** Links to files that the job collects, also where they lead out of its scope. */
async function collectFiles(
  { types }: CrawlContext,
  links: readonly { url: Url; nofollow: boolean }[],
  { gather, pace }: Work,
  { url: page, depth }: Entry,
): Promise<void> {
  if (!types.collectsFrom(page)) return;
  const files = links.filter(({ url, nofollow }) => !nofollow && types.collects(url));
  await pace.each(files, (some) => {
    for (const { url } of some) gather.collect(url, depth);
  });
}

/**
 * After the scraper: what it follows itself is a page, also where the page shows it. In the queue they come first. Where only
 * files are collected, only such.
 */
async function offerRequisites(
  { context, entry }: SettleOptions,
  { gather, pace }: Work,
  { requisites }: Pick<Document, 'requisites'>,
): Promise<void> {
  if (requisites.length === 0) return;
  const followed = gather.offers.splice(0);
  const takes = taker(context, entry);
  await pace.each(requisites, (some) => {
    for (const url of some)
      if (takes?.(url) ?? true) gather.offer(url, { kind: 'requisite', depth: entry.depth });
      else gather.drop(url, { code: 'requisite', rule: 'scope.requisites: false' });
  });
  gather.offers.push(...followed);
}

/** Nothing has changed since the previous crawl: what it found here is found again. */
async function repeat({ context, entry, parts }: SettleOptions, work: Work): Promise<void> {
  if (!entry.before?.content) return;
  const { followsAll = false } = context;
  const question = { crawl: context.crawl, url: entry.url, queuedAs: !followsAll };
  const previous = await parts.link.previous(question);
  if (!previous) return;
  Object.assign(work.seen, asBefore(previous, work.seen));
  // A 304 does not say again that the page is not to be kept.
  work.keep &&= !notedSignals(previous.record.signals ?? [], context.agentToken).noarchive;
  work.edges.push(...edgesBefore(previous));
  work.gather.items.push(...previous.items);
  const { links } = previous;
  const takes = taker(context, entry);
  const again = links.filter(({ to, rel }) => linkUse(rel) !== 'requisite' || (takes?.(to) ?? true));
  await work.pace.each(again, (some) => offerAgain(some, { entry, gather: work.gather, followsAll }));
  const places = links.map(({ to: url, nofollow = false }) => ({ url, nofollow }));
  await collectFiles(context, places, work, entry);
}

/** The target is a URL of its own: decided, queued and recorded like any other, at the same depth. */
function followRedirect({ context, entry, page }: SettleOptions, { gather, seen, edges }: Work): void {
  const location = locationOf(page) ?? '';
  const from = targetOf(entry.url);
  const to = context.normalise(location, from);
  if (to === undefined) return gather.unusable(location);
  const request = redirected(entry.request, { status: page.status, from, to });
  const name = urlOf(to, request);
  seen.redirectTo = name;
  edges.push({ to: name, rel: 'redirect' });
  const label = entry.label === undefined ? {} : { label: entry.label };
  const how = { depth: entry.depth, hops: entry.hops + 1, request, ...label };
  if (!isChecked(context, entry)) return gather.offer(to, { ...how, kind: entry.kind });
  // A link that is checked may lead back into the site, and a page of the site out of it.
  gather.offer(to, { ...how, kind: 'page', outside: 'check' });
}

/** Whether what lies outside is asked for with HEAD, to see that it is there. */
function isChecked({ job: { scraper } }: CrawlContext, { kind }: Entry): boolean {
  return kind === 'check' || (kind === 'page' && scraper.kind === 'site' && scraper.check);
}

/** In batches, so that a sitemap of 50,000 URLs does not hold up the other hosts. */
async function followSitemap(
  { context, entry }: SettleOptions,
  { gather, body, edges, pace }: Work,
): Promise<void> {
  const { depth } = entry;
  const follow = ({ url, kind }: SitemapLink): void => {
    const to = context.normalise(url, entry.url);
    if (to === undefined) return gather.unusable(url);
    edges.push({ to, rel: 'sitemap' });
    if (kind === 'sitemap' && !context.sitemaps.mayRead(to))
      return gather.drop(to, { code: 'host-budget', rule: 'sitemaps' });
    gather.offer(to, { kind, depth: kind === 'sitemap' ? depth : depth + 1 });
  };
  for await (const batch of readSitemap(body))
    await pace.each(batch, (some) => {
      for (const link of some) follow(link);
    });
}

/**
 * A style sheet asks for images, fonts and further sheets. They are as deep as the page; what limits a
 * chain of sheets that import each other without end is what limits a chain of redirects.
 */
async function followParts(
  { context, entry, page }: SettleOptions,
  { gather, body, edges, mime, pace }: Work,
): Promise<void> {
  if (!context.job.scope.requisites) return;
  const { charset: label } = parseContentType(header(page, 'content-type'));
  const { depth, hops } = entry;
  await pace.each(await requisiteParts(body, { url: entry.url, mime, label }), (some) => {
    for (const { href, rel } of some) {
      const to = context.normalise(href, entry.url);
      if (to === undefined) continue;
      edges.push({ to, rel });
      gather.offer(to, { kind: 'requisite', depth, hops: hops + 1 });
    }
  });
}

/** What goes to the savers, and what the record says of it. */
async function save(options: SettleOptions, work: Work, notSaved: NotSaved | undefined): Promise<KeptFacts> {
  if (options.kept) return options.kept;
  if (notSaved !== undefined) return options.context.savers.length === 0 ? {} : { notSaved };
  return await options.parts.tracing.run('webfarer.save', noAttributes, () => saveAll(options, work));
}

async function saveAll(
  { context, entry, page, parts: { storage } }: SettleOptions,
  { mime, body, seen, edges, shown, renditions }: Work,
): Promise<KeptFacts> {
  const facts = { links: edges.length, ...(seen.signals && { signals: seen.signals }) };
  const capture = {
    entry,
    account: context.account,
    page,
    mime,
    decoded: body,
    digest: seen.digest ?? '',
    facts,
    ...(shown && { shown }),
    ...(renditions && { renditions }),
    ...earlierCapture(entry),
  };
  const saved = await saveCapture(capture, { context, storage });
  const places = saved.length > 0 ? { saved } : {};
  if (page.others.length === 0) return places;
  const resources = await saveResources(page.others, { context, entry, storage });
  return { ...places, ...(resources.length > 0 && { resources }) };
}
