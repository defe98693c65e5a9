import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from '@webfarer/coordinator';
import { createOneTimeLinks, linkLifetimeMs } from '@webfarer/coordinator/server';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { OpenedCrawl, OpenOptions } from '../crawl/local-port.ts';
import { type CoordinatorService, openCoordinatorService } from './coordinator-service.ts';

export interface LocalConsoleOptions {
  clock: DatedClock;
  /** Where its worker looks for modules that a job names. */
  baseFolder: string;
  /** 0: a free one. */
  port: number;
  /** Where the built files of the web console are; absent: as installed. */
  consoleFolder?: string | undefined;
}

/** The console of one crawl, for the person at this machine: a coordinator in the crawl's folder that nobody else can use. */
export interface LocalConsole {
  /** Opens the crawl, and the port behind which it is seen. */
  open(options: OpenOptions): Promise<OpenedCrawl>;
  /** A link that logs one browser in; those before it are void. */
  link(): string;
  /**
   * A page that leads to such a link, for programs that open browsers: their arguments are seen by all users of the machine, and
   * the page only by its owner. It is removed once it was used, and when it is too old.
   */
  linkPage(): Promise<string>;
  stop(how?: { now?: boolean }): Promise<void>;
}

const pageName = 'console-link.html';
const loopback = '127.0.0.1';

export function createLocalConsole(options: LocalConsoleOptions): LocalConsole {
  const { clock } = options;
  const links = createOneTimeLinks(clock);
  const over = new AbortController();
  let service: CoordinatorService | undefined;
  let crawl: { name: string; folder: string } | undefined;
  links.onRedeemed(() => void removePage());

  function opened() {
    if (!service || !crawl) throw new WebfarerError('internal', 'the console is not open yet');
    return { service, crawl };
  }

  function link(): string {
    const { service: at, crawl: of } = opened();
    return `${at.url}/crawls/${encodeURIComponent(of.name)}#code=${links.issue()}`;
  }

  async function removePage(): Promise<void> {
    if (crawl) await rm(join(crawl.folder, pageName), { force: true });
  }

  return {
    async open(asked) {
      const { folder, metrics, tracing, log } = asked;
      const existed = existsSync(folder);
      try {
        service = await openCoordinatorService({
          folder,
          listen: { host: loopback, port: options.port },
          advertise: undefined,
          withWorker: true,
          baseFolder: options.baseFolder,
          clock,
          links,
          standing: true,
          tracing,
          log,
          ...(metrics ? { metrics } : {}),
          ...(options.consoleFolder === undefined ? {} : { consoleFolder: options.consoleFolder }),
        });
        const found = await service.open(asked);
        crawl = { name: asked.job.name, folder };
        return found;
      } catch (error) {
        await service?.stop({ now: true });
        // A crawl that could not begin leaves no folder behind.
        if (!existed && !(await readManifest(folder).catch(() => undefined)))
          await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
    link,
    async linkPage() {
      const path = join(opened().crawl.folder, pageName);
      await removePage();
      const to = link();
      const html = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${to}"><title>Webfarer</title>\n`;
      await writeFile(path, html, { mode: 0o600, flag: 'wx' });
      void clock.sleep(linkLifetimeMs, over.signal).then(removePage, () => undefined);
      return path;
    },
    async stop(how) {
      over.abort();
      await removePage();
      await service?.stop(how);
    },
  };
}
