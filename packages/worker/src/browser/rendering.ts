import type { Url } from '@webfarer/protocol';
import type { BrowserAnswer, BrowserRequest } from '../egress/browser-proxy.ts';
import type { PictureKind, Rendition } from '../fetch/fetch.ts';
import type { BrowserPage } from '../scrape/in-browser.ts';
import type { ReadyStep } from './steps/step.ts';

/** Shows pages as a browser shows them. */
export interface Renderer {
  /** A page will be shown soon: what takes time begins now. */
  warm(): void;
  /** For as long as a host is held. */
  open(loader: PageLoader): RenderSession;
  /** What shows pages, in words that may be printed. Throws where a browser elsewhere cannot be used. */
  ready(): Promise<string>;
  close(): Promise<void>;
}

/** The pages of one host: cookies and storage are theirs alone. */
export interface RenderSession {
  /** Never throws for what a page does: every way it can end is a value. */
  render(request: RenderRequest): Promise<RenderAnswer>;
  close(): Promise<void>;
}

/** Where everything comes from that a page asks for. */
export interface PageLoader {
  userAgent: string;
  /** What scripts find of earlier visits; undefined: nothing. */
  state: BrowserState | undefined;
  /** Undefined: the page sees a connection that breaks. Never rejects. */
  load(request: BrowserRequest): Promise<BrowserAnswer | undefined>;
  /** A page tried what cannot be let through. */
  refused(url: string, what: 'websocket' | 'tunnel'): void;
}

export interface BrowserState {
  cookies: {
    name: string;
    value: string;
    domain: string;
    path: string;
    expires: number;
    httpOnly: boolean;
    secure: boolean;
    sameSite: 'Lax';
  }[];
  origins: { origin: string; localStorage: { name: string; value: string }[] }[];
}

export interface RenderRequest {
  url: Url;
  /** What the page's own URL was answered: the browser is shown it and does not ask again. */
  main: BrowserAnswer;
  /** For the whole visit, from the first byte to the text of the page. */
  timeoutMs: number;
  /** The page is ready when it has asked for nothing for so long. */
  quietMs: number;
  /** What is made of it beside its text. */
  pictures: readonly PictureKind[];
  /** What is done on the page when it has come to rest, before it is read. */
  steps: readonly ReadyStep[];
  /** What code of the user does after them; undefined: nothing. */
  act: PageAct | undefined;
  signal: AbortSignal;
  /** Its time begins: pages wait for their turn, and one whose browser died is shown a second time. */
  begins(): void;
}

/** Answers what went wrong; undefined: nothing. Never rejects. */
export type PageAct = (page: BrowserPage, signal: AbortSignal) => Promise<string | undefined>;

export type RenderAnswer =
  | {
      ok: true;
      /** The document as it stood at the end, and what stood in its frames. */
      html: string;
      /** The document alone. */
      own: string;
      /** Where the page sent its reader, if that was to another page; `html` is then that page's. */
      movedTo: string | undefined;
      /** It never came to rest within its time. */
      restless: boolean;
      /** First lines of what went wrong in the page. */
      errors: string[];
      pictures: Rendition[];
      /** Pictures that could not be made, and why. */
      missing: { kind: PictureKind; why: string }[];
    }
  | { ok: false; reason: 'render-timeout' | 'render-crash' | 'step-failed'; detail: string };
