export { base32, sha1Digest } from './bytes/digest.ts';
export {
  mendSavers,
  type OpenSaversOptions,
  openSavers,
  type SaverContext,
} from './save/savers/open-savers.ts';
export { openObjectStore } from './objects/object-place.ts';
export { storedFiles } from './archive/objects/stored-files.ts';
export { checkObjectsRemovable, markObjectsDeleted, purgeObjects } from './save/objects/delete-objects.ts';
export { tidyObjects, type UpkeepReport } from './save/objects/upkeep.ts';
export type { Capture, Saver } from './save/saver.ts';
export {
  type ArchiveErasing,
  eraseArchive,
  eraseInFile,
  filesNamedAfter,
  removeFiles,
} from './erase/erase-archive.ts';
export type { Erased, EraseOptions } from './erase/erase-warc.ts';
export { keepShared, type MovedCapture } from './erase/keep-shared.ts';
export { eraseOutgoing } from './erase/erase-outgoing.ts';
export { eraseObjects, type ObjectErasing } from './erase/objects/erase-objects.ts';
export { whenFilesComplete } from './erase/objects/when-complete.ts';
export { keepInObjects } from './erase/objects/keep-in-objects.ts';
export type { ObjectStore } from './objects/object-store.ts';
export { storageError } from './disk/storage-error.ts';
export { openWarcIntake, type WarcIntake } from './save/warc/warc-intake.ts';
export type { CaptureSpool } from './save/warc/warc-saver.ts';
export type { CrawlContext, HandlingContext, WorkableCrawl } from './context/context.ts';
export { consentOf, type WorkerConsent } from './crawls/consent.ts';
export {
  directoryDocument,
  directoryFields,
  type DirectorySigning,
  directoryType,
} from './identity/key-directory.ts';
export {
  createRequestSigner,
  type RequestSigner,
  type RequestSignerOptions,
} from './identity/request-signer.ts';
export { newPrivateKey, type PublicJwk, type SigningKey, signingKey } from './identity/signing-key.ts';
export { signerFor } from './crawls/crawl-signer.ts';
export { cookiesName, type KeptCookies, openCookies, readCookieFile } from './crawls/cookie-file.ts';
export { createContext, createHandling, type Hooks, saverOptions } from './crawls/crawl-context.ts';
export { type CookieJar, createCookieJar } from './fetch/cookies.ts';
export { type CookiesTxt, type FileCookie, parseCookiesTxt } from './fetch/cookies-txt.ts';
export type {
  Exchange,
  Fetch,
  FetchAnswer,
  FetchedPage,
  FetchFailure,
  FetchRequest,
  FetchSession,
  ResponseHead,
} from './fetch/fetch.ts';
export { type DocumentKind, documentKind } from './documents/document-kind.ts';
export type { JsonLdNode } from './facts/json-ld.ts';
export type { MicrodataItem, MicrodataValue } from './facts/microdata.ts';
export type { OpenGraph, OpenGraphMedia } from './facts/open-graph.ts';
export type { PageFacts } from './facts/page-facts.ts';
export { keepPeers, type KnownPeers, noPeers } from './link/known-peers.ts';
export { createKnownOffers, type KnownOffers } from './link/known-offers.ts';
export {
  createLinkClient,
  type LinkClient,
  type LinkClientOptions,
  type LinkState,
} from './link/link-client.ts';
export { type Dial, dialWebSocket, parentStream } from './link/socket.ts';
export { createSpool, type Spool } from './link/spool.ts';
export { checkerOf, type ItemVerdict, isSchema, type StandardSchema } from './scrape/item-schema.ts';
export { type LoadedScraper, loadScraper } from './scrape/load-scraper.ts';
export {
  type BrowserHandler,
  type BrowserPage,
  type BrowserRoutes,
  type BrowserVisit,
  checkedInBrowser,
  requireRender,
} from './scrape/in-browser.ts';
export { type Routes, router } from './scrape/router.ts';
export {
  drop,
  type DroppedItem,
  type FollowOptions,
  type Heading,
  type ItemAnswer,
  type ItemHook,
  type Links,
  type MainText,
  type Page,
  type PageLink,
  type PageTable,
  type ResponseHook,
  type Scraper,
  type Tools,
} from './scrape/scraper.ts';
export { namesPassword } from './forms/words.ts';
export { isElsewhere } from './browser/browser-place.ts';
export { findBrowser } from './browser/find-browser.ts';
export { type LiveLoginBrowser, openLiveBrowser } from './browser/live-browser.ts';
export { type MachineBrowser, openMachineBrowser } from './browser/open-machine-browser.ts';
export { openLoginWindow } from './browser/login-window.ts';
export type { LoginWindow, WindowLook } from './browser/window-look.ts';
export type { Account, Accounts, AccountSource, OriginStorage, StoredAccount } from './site-login/account.ts';
export { showsLoginForm } from './forms/find-forms.ts';
export { openSiteLogins } from './site-login/site-logins.ts';
export { createSign, type LoginSign } from './site-login/login-sign.ts';
export { typePolicy } from './context/type-rules.ts';
export {
  type BrowserSettings,
  openWorker,
  type OpenWorker,
  type OpenWorkerLook,
  type OpenWorkerOptions,
} from './open-worker.ts';
export type { ConnectWorker, InProcessLink, InProcessWorker, LinkChoice } from './worker-link.ts';
export { createWorker, type Worker, type WorkerOptions } from './worker.ts';
export { type AddressTurns, createAddressTurns } from './egress/turns.ts';
export {
  createEgress,
  type Egress,
  type EgressOptions,
  type PostAnswer,
  type PostRequest,
} from './egress/egress.ts';
export { createNetworkWatch, type NetworkWatch, type NetworkWatchOptions } from './egress/network-watch.ts';
export {
  readRobots,
  type RobotsAnswer,
  type RobotsRequest,
} from './fetch/robots.ts';
export { createRobotsFiles, type RobotsFiles } from './fetch/robots-files.ts';
export { type PageAnchors, readAnchors, readPlaces } from './extract/anchors.ts';
export { charsetOf, decodeText } from './extract/charset.ts';
export { encodingsOf, locationOf } from './bytes/headers.ts';
export { type Decoded, decodeBody, type DecodeLimits } from './bytes/decode.ts';
export { type ExtractedPage, extractLinks, type ExtractOptions, type RawLink } from './extract/links.ts';
export { type ContentType, isHtml, isXml, parseContentType, sniffMime } from './extract/mime.ts';
export { readSignals, type Signals } from './extract/signals.ts';
export { readSitemap, type SitemapLink } from './extract/sitemap.ts';
export { type Document, type DocumentOptions, readDocument, readDocumentInTurns } from './page/document.ts';
export { type CssLink, readCss, readStyleSheet } from './extract/css.ts';
export { handleOnce, handlePage, type HandledPage } from './page/handle-page.ts';
export { readsAsPage } from './page/request.ts';
export {
  htmlAt,
  notShown,
  readStored,
  splitHttp,
  type Stored,
  type StoredFacts,
} from './stored/stored-exchange.ts';
export { entryOf, type StoredPage, storedPage } from './stored/stored-page.ts';
export type {
  CaptureStore,
  KeyCommand,
  OpenCaptureStore,
  StoreReply,
} from './archive/redis/capture-store.ts';
export { reportWorker } from './metrics/report-worker.ts';
export { openTracing } from './tracing/open-tracing.ts';
export type { Tracing } from './tracing/tracing.ts';
export { guardLoop, takeLastEnd } from './shares/loop-guard.ts';
