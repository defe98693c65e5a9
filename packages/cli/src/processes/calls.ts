import type { CoordinatorLink, CrawlId, HostWait, Job, Pause, ReportAnswer, Url } from '@webfarer/protocol';
import type { SentError } from './wire.ts';

/** What a worker process may ask of the process that started it: the coordinator's link, and what is shared. */
export interface ParentCalls
  extends Pick<CoordinatorLink, 'lease' | 'leaseHost' | 'robots' | 'previous' | 'renew'> {
  /** As `packReports` made them. */
  report(packed: Uint8Array): Promise<ReportAnswer[]>;
  /** The register of file names is one for all processes. */
  claimName(wish: { file: string; wanted: string; url: string }): Promise<string>;
  syncNames(file: string): Promise<void>;
  /** Comes before the report of the page that set them, so before anybody else is given the host. */
  cookiesSet(set: CookiesSet[]): void;
  pauseChanged(pause: Pause | undefined): void;
  /** A fault of ours: the crawl ends. */
  failed(error: SentError): void;
}

/** What the parent may ask of a worker process. */
export interface ChildCalls {
  /** Comes first. Answers what the savers of this process have written already. */
  open(task: WorkerTask): Promise<Written>;
  start(): void | Promise<void>;
  release(): void | Promise<void>;
  /** Something may be due that was not when this process last asked. */
  moreDue(): void | Promise<void>;
  cookiesSet(set: CookiesSet[]): void | Promise<void>;
  look(): WorkerLook | Promise<WorkerLook>;
  /** Finishes or drops what is in flight; when it answers, everything is durable and closed. */
  stop(how: { now: boolean }): Promise<Written>;
}

/** Everything a worker process must know, as plain data. */
export interface WorkerTask {
  /** Which one it is, counted from 1. */
  process: number;
  crawl: CrawlId;
  job: Job;
  seeds: Url[];
  userAgent: string;
  baseFolder: string;
  folder: string;
  /** This folder among several that share the crawl. */
  member: string | undefined;
  version: string;
  urlsPerHost: number;
  /** Certificate authorities to trust as well, PEM. */
  ca: string | undefined;
  /** The jar as it is, absent where cookies are not kept. */
  cookies: string | undefined;
}

export interface CookiesSet {
  url: string;
  lines: readonly string[];
}

export interface Written {
  files: number;
  bytes: number;
}

export interface WorkerLook {
  inFlight: number;
  waiting: HostWait[];
  written: Written;
}
