import type { BrowserContext, Page } from 'playwright-core';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import { type BrowserProxy, type ProxyPass, startBrowserProxy } from '../egress/browser-proxy.ts';
import { makeCertificate } from './certificate.ts';
import { type BrowserElsewhere, type BrowserPlace, proxyUrl } from './browser-place.ts';
import { connector } from './connect.ts';
import { quietConsole } from './event-budget.ts';
import { launchBrowser, type OpenBrowser } from './launch.ts';
import { killLarge, type MemoryBounds } from './process-memory.ts';
import { showPass } from './proxy-pass.ts';
import type { PageLoader, RenderAnswer, Renderer, RenderRequest, RenderSession } from './rendering.ts';
import { openTab, type Tab } from './tab.ts';
import { createTurnstile } from '../turnstile/turnstile.ts';
import { visit } from './visit.ts';

export interface RendererOptions {
  clock: Clock;
  /** Chromium, or what behaves like it. */
  place: BrowserPlace;
  /** Pages at once. */
  mostPages: number;
  /** Pages after which a browser is replaced: what it leaks is gone with it. */
  pagesPerBrowser: number;
  /** Of memory, for a browser of our own: a page that takes more is ended. */
  memory: MemoryBounds;
}

/** Of what a page sends, in bytes. */
const maxRequestBytes = 1_048_576;
const launchTimeoutMs = 30_000;
/** For a browser elsewhere to reach the proxy. */
const reachMs = 10_000;
/** Beyond the time of a page, for opening and closing it. */
const answerMs = 20_000;
/** How often it is looked how much memory pages take. A page can fill a gigabyte in half a second. */
const lookMs = 200;
/** A page that does not close within this is stuck, and so is its browser. */
const closeMs = 2_000;

/** One browser at work. */
interface Running extends OpenBrowser {
  /** Begun in it. */
  pages: number;
  /** Under way in it. */
  busy: number;
  retired: boolean;
}

/** What a session has in a browser; another one where that was replaced. */
interface Corner {
  running: Running;
  context: BrowserContext;
  pass: ProxyPass;
  /** The browser has shown its pass to the proxy, and sends it with everything from then on. */
  isKnown: boolean;
  /** Where the last page was shown, for the next one. */
  tab: Tab | undefined;
}

export function createRenderer(options: RendererOptions): Renderer {
  const { clock, place } = options;
  const slots = createTurnstile(options.mostPages);
  const certificate = makeCertificate(clock.now());
  const all = new Set<Running>();
  let current: Promise<Running> | undefined;
  const ours = place.kind === 'program' ? { host: '127.0.0.1', port: 0 } : place.proxy;
  let listening: Promise<BrowserProxy> | undefined;
  const closing = new AbortController();
  const connection = connector(clock, { timeoutMs: launchTimeoutMs, signal: closing.signal });

  /** One for all sessions, which it knows by their passes. */
  async function proxy(): Promise<BrowserProxy> {
    const { key, cert } = certificate;
    listening ??= startBrowserProxy({ key, cert, maxRequestBytes, listen: ours }).catch((error: unknown) => {
      listening = undefined;
      const { code = '' } = error as NodeJS.ErrnoException;
      throw new WebfarerError(
        'no-browser',
        `the browser's proxy cannot listen at ${proxyUrl(ours)}: ${code}`,
        {
          next: 'Give an address of this machine and a free port in WEBFARER_BROWSER_PROXY; each worker needs its own.',
        },
      );
    });
    return await listening;
  }

  async function start(): Promise<Running> {
    const { keyDigest } = certificate;
    const launched =
      place.kind === 'program'
        ? await launchBrowser({ executablePath: place.path, keyDigest, timeoutMs: launchTimeoutMs })
        : await connection(place);
    const running: Running = { ...launched, pages: 0, busy: 0, retired: false };
    all.add(running);
    launched.browser.on('disconnected', () => retire(running));
    void watchMemory(running, options, () => all.has(running));
    return running;
  }

  /** Ends it as soon as nobody is at work in it. */
  function retire(running: Running): void {
    running.retired = true;
    if (running.busy > 0 && running.browser.isConnected()) return;
    if (!all.delete(running)) return;
    void running.browser.close().catch(() => undefined);
    running.kill();
  }

  /** Whatever is shown in it: other pages are shown again elsewhere. */
  function end(running: Running): void {
    running.retired = true;
    running.kill();
  }

  /** A browser to begin a page in. */
  async function take(): Promise<Running> {
    for (;;) {
      current ??= start();
      const mine = current;
      try {
        const running = await mine;
        if (!running.retired && running.pages < options.pagesPerBrowser) {
          running.pages += 1;
          running.busy += 1;
          return running;
        }
        retire(running);
      } catch (error) {
        if (current === mine) current = undefined;
        throw error;
      }
      if (current === mine) current = undefined;
    }
  }

  /** One that nobody else begins a page in: what ends it is the fault of this page. */
  async function takeAlone(): Promise<Running> {
    if (place.kind !== 'program') return await take();
    const running = await start();
    Object.assign(running, { pages: 1, busy: 1, retired: true });
    return running;
  }

  function give(running: Running): void {
    running.busy -= 1;
    if (running.retired) retire(running);
  }

  async function settle(running: Running, loader: PageLoader): Promise<Corner> {
    const { port, admit } = await proxy();
    const { load: answer, refused } = loader;
    const context = await running.browser.newContext({
      proxy: { server: proxyUrl({ ...ours, port }), bypass: '<-loopback>' },
      // A browser elsewhere was not told our key. All TLS ends at our proxy, which verifies the site.
      ignoreHTTPSErrors: place.kind === 'elsewhere',
      userAgent: loader.userAgent,
      serviceWorkers: 'block',
      acceptDownloads: false,
      ...(loader.state ? { storageState: loader.state } : {}),
    });
    await context.addInitScript(quietConsole);
    return { running, context, pass: admit({ answer, refused }), isKnown: false, tab: undefined };
  }

  function open(loader: PageLoader): RenderSession {
    let corner: Corner | undefined;
    const oneByOne = createTurnstile(1);
    /** The page that is shown; others of the host wait. */
    let shown: { url: string; main: RenderRequest['main'] } | undefined;
    const shows: PageLoader = {
      ...loader,
      load(request) {
        if (shown?.url !== request.url || request.method !== 'GET') return loader.load(request);
        const { main } = shown;
        shown = undefined;
        return Promise.resolve(main);
      },
    };

    async function leave(): Promise<void> {
      const left = corner;
      corner = undefined;
      if (!left) return;
      const closed = left.context.close().catch(() => undefined);
      if ((await within(clock, closed, closeMs)) === late) left.running.kill();
      left.pass.revoke();
    }

    async function tryOnce(request: RenderRequest, running: Running): Promise<RenderAnswer> {
      if (corner?.running !== running) {
        await leave();
        corner = await settle(running, shows);
      }
      shown = { url: withoutFragment(request.url), main: request.main };
      request.begins();
      const mine = corner;
      const tab = mine.tab ?? (await openTab(mine.context));
      mine.tab = undefined;
      let answer: RenderAnswer | undefined;
      try {
        if (!mine.isKnown) await showPass(tab.page, mine.pass);
        mine.isKnown = true;
        await tab.wake();
        answer = await visit(tab.page, request, { clock, flooded: () => end(running) });
        const rested = tab.rest(request, answer).catch(() => false);
        if ((await within(clock, rested, closeMs)) === true) mine.tab = tab;
        return answer;
      } finally {
        if (mine.tab === undefined) await close(tab.page, running);
        // Code of the user that was not done may still be at work there, beside the pages that follow.
        if (request.act && !answer?.ok) await leave();
      }
    }

    async function close(page: Page, running: Running): Promise<void> {
      const closed = page.close({ runBeforeUnload: false }).catch(() => undefined);
      if ((await within(clock, closed, closeMs)) === late) running.kill();
    }

    /** A browser that answers nothing any more is ended, and with it everything that waits for it. */
    async function answered<T>(running: Running, { timeoutMs }: RenderRequest, work: Promise<T>): Promise<T> {
      const got = await within(clock, work, timeoutMs + answerMs);
      if (got !== late) return got;
      running.kill();
      work.catch(() => undefined);
      throw new Error('the browser does not answer');
    }

    async function showPage(request: RenderRequest): Promise<RenderAnswer> {
      for (let attempt = 0; ; attempt++) {
        let running: Running | undefined;
        try {
          running = await (attempt === 0 ? take() : takeAlone());
          return await answered(running, request, tryOnce(request, running));
        } catch (error) {
          const detail = (error as Error).message.split('\n', 1)[0] ?? '';
          // Another page may have brought the browser down: it is shown again in a browser of its own.
          if (attempt > 0 || request.signal.aborted) return { ok: false, reason: 'render-crash', detail };
          await leave();
        } finally {
          if (running) give(running);
        }
      }
    }

    return {
      render: (request) => oneByOne.run(() => slots.run(() => showPage(request))),
      close: leave,
    };
  }

  /** Connects, and has the browser reach the proxy. */
  async function tryPlace({ name }: BrowserElsewhere): Promise<string> {
    const running = await take();
    try {
      const { context, pass } = await settle(running, nobody);
      const shown = context.newPage().then((page) => showPass(page, pass));
      const reached = await within(
        clock,
        shown.then(
          () => true,
          () => false,
        ),
        reachMs,
      );
      pass.revoke();
      await within(
        clock,
        context.close().catch(() => undefined),
        closeMs,
      );
      if (reached === true) return `Chromium ${running.browser.version()} at ${name}`;
      const { port } = await proxy();
      throw new WebfarerError(
        'no-browser',
        `the browser at ${name} does not reach the proxy of this worker at ${proxyUrl({ ...ours, port })}`,
        {
          next: 'If it runs on another machine, set WEBFARER_BROWSER_PROXY=ADDRESS:PORT to an address that it reaches.',
        },
      );
    } finally {
      give(running);
    }
  }

  return {
    warm() {
      current ??= start();
      // Whoever shows the first page is told.
      current.catch(() => undefined);
    },
    open,
    ready: () => (place.kind === 'program' ? Promise.resolve(place.path) : tryPlace(place)),
    async close() {
      closing.abort();
      await current?.catch(() => undefined);
      for (const running of all) {
        await within(
          clock,
          running.browser.close().catch(() => undefined),
          closeMs,
        );
        running.kill();
      }
      await (await listening)?.close();
    },
  };
}

/** The limits of the browser itself are for objects of scripts, not for buffers and documents. */
async function watchMemory(
  running: Running,
  { memory, clock }: Pick<RendererOptions, 'memory' | 'clock'>,
  isOpen: () => boolean,
): Promise<void> {
  const { pid } = running;
  while (pid !== undefined && isOpen()) {
    if (running.busy > 0) killLarge(pid, memory);
    await clock.sleep(lookMs);
  }
}

/** Loads nothing. */
const nobody: PageLoader = {
  userAgent: '',
  state: undefined,
  load: () => Promise.resolve(undefined),
  refused: () => undefined,
};

const late: unique symbol = Symbol('late');

async function within<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T | typeof late> {
  const done = new AbortController();
  const isLate = (): typeof late => late;
  const timer = clock.sleep(ms, done.signal).then(isLate, isLate);
  try {
    return await Promise.race<T | typeof late>([work, timer]);
  } finally {
    done.abort();
  }
}

function withoutFragment(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at);
}
