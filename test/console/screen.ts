import type { ApiClient } from '@webfarer/protocol/api';
import type { Page } from 'playwright-core';

/** A screen, how one knows that it shows something, and a click or a key with what must follow from it. */
export interface ConsoleScreen {
  name: string;
  path: string;
  shows: (page: Page) => Promise<unknown>;
  act: (page: Page) => Promise<unknown>;
  /** Figures that the screen shows, and the same from the API. Absent where it shows none that can be counted. */
  figures?: Figures;
  /** Whether it has the mark of the stream; the page for owners has none. */
  isLive: boolean;
}

export interface Figures {
  shown: (page: Page) => Promise<number[]>;
  said: (api: ApiClient) => Promise<number[]>;
}

/** What the screens show. */
export interface Subject {
  crawl: string;
  /** One of its URLs that has an outcome. */
  url: string;
  /** One that is compared with an earlier one. */
  compared: string;
  /** Crawls in the list. */
  crawls: number;
  /** Known from the beginning, where that is known. */
  known: number | undefined;
  workers: number;
  /** What the names of many workers begin with. */
  workerName: string;
}

/** As it is written down: most have the mark. */
export type Described = Omit<ConsoleScreen, 'isLive'> & { isLive?: boolean };
