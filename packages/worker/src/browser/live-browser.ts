import type { BrowserContext, CDPSession, Dialog, Page } from 'playwright-core';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { LiveBrowser, LivePicture, LiveScreen, ViewerInput } from '@webfarer/protocol/api';
import { loadPlaywright } from './launch.ts';
import { personSwitches } from './switches.ts';
import { lookInto } from './look-into.ts';
import type { LoginWindow } from './window-look.ts';

/** A browser without a window, in which a person logs in from elsewhere. */
export type LiveLoginBrowser = LiveBrowser & LoginWindow;

/** At most ten pictures a second. */
const PICTURE_MS = 100;
/** Without a change for so long, the page is at rest. */
const SETTLE_MS = 250;
const STILL_MS = 1_000;
/** A page that does not take input for so long is not waited for. */
const INPUT_MS = 2_000;
/** Windows that pages open; more are closed at once. */
const MOST_PAGES = 8;
const MOST_NOTE_CHARS = 300;
const picture = { format: 'jpeg', quality: 75, maxWidth: 1_920, maxHeight: 1_440, everyNthFrame: 1 } as const;

export async function openLiveBrowser({
  executablePath,
  url,
  clock,
}: {
  executablePath: string;
  url: string;
  clock: Clock;
}): Promise<LiveLoginBrowser> {
  const { chromium } = await loadPlaywright();
  const browser = await chromium
    .launch({
      executablePath,
      // Chromium refuses its sandbox to root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [...personSwitches, '--password-store=basic'],
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
    })
    .catch((error: unknown) => {
      const why = (error as Error).message.split('\n', 1)[0] ?? '';
      throw new WebfarerError('no-browser', `the browser did not start: ${why}`, {
        next: 'webfarer doctor says whether a browser is there. --cookies cookies.txt takes a login from another one.',
      });
    });
  const gone = Promise.withResolvers<void>();
  browser.on('disconnected', () => gone.resolve());
  const context = await browser.newContext({
    viewport: { width: 1_024, height: 720 },
    acceptDownloads: false,
    serviceWorkers: 'allow',
  });
  const views = createViews(context, clock);
  const page = await context.newPage();
  // What is wrong with the address is shown in the page.
  await page.goto(url, { waitUntil: 'commit' }).catch(() => undefined);
  return {
    ...views,
    gone: gone.promise,
    look: () => lookInto(browser, context),
    close: () => browser.close().catch(() => undefined),
  };
}

/** Shows the page that was opened last, and hands it what the person does. */
function createViews(context: BrowserContext, clock: Clock): Pick<LiveBrowser, 'show' | 'input'> {
  let screen: LiveScreen | undefined;
  let current: { page: Page; session: CDPSession } | undefined;
  /** Later pictures take the place of one that was not sent yet. */
  let latest: LivePicture | undefined;
  let wake: (() => void) | undefined;
  /** A still was taken since the last change. */
  let isSettled = false;
  /** Until then a picture may be due to the still. */
  let ownUntilMs = 0;
  let size = { width: 1_024, height: 720 };
  /** Changes of the page that is shown, one after the other. */
  let turning: Promise<void> = Promise.resolve();

  function turnTo(page: Page): void {
    turning = turning.then(() => turn(page)).catch(() => undefined);
  }

  async function turn(page: Page): Promise<void> {
    if (page.isClosed() || current?.page === page) return;
    await leave();
    const session = await context.newCDPSession(page);
    current = { page, session };
    session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
      const { deviceWidth: width, deviceHeight: height } = metadata;
      latest = { jpeg: data, width, height };
      // At once: Chromium drops what changes while it waits for this, also the last change.
      void session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      // A still itself makes the page draw once more.
      if (clock.now() > ownUntilMs) stir();
      else wake?.();
    });
    await page.setViewportSize(size);
    if (screen) await session.send('Page.startScreencast', picture);
    await tell();
  }

  async function leave(): Promise<void> {
    const before = current;
    current = undefined;
    await before?.session.detach().catch(() => undefined);
  }

  /** A picture of the page as it is now, also where nothing moves. */
  async function begin(): Promise<void> {
    if (!current) return;
    await current.session.send('Page.stopScreencast').catch(() => undefined);
    await current.session.send('Page.startScreencast', picture);
    await tell();
  }

  async function tell(): Promise<void> {
    const { page } = current ?? {};
    if (!screen || !page) return;
    const title = await soon(page.title(), '');
    screen.page({ url: page.url(), title: title.slice(0, MOST_NOTE_CHARS) });
  }

  async function soon<T>(work: Promise<T>, late: T): Promise<T> {
    const over = new AbortController();
    const tooLate = clock.sleep(INPUT_MS, over.signal).then(
      () => late,
      () => late,
    );
    return await Promise.race([work.catch(() => late), tooLate]).finally(() => over.abort());
  }

  /** Something may have changed: it is looked at once more when all is quiet. */
  function stir(): void {
    isSettled = false;
    wake?.();
  }

  /** Waits for the next picture. Chromium leaves out the last of several quick changes, so a still follows them. */
  async function nextPicture(): Promise<LivePicture | undefined> {
    const over = new AbortController();
    const woken = new Promise<'woken'>((resolve) => (wake = () => resolve('woken')));
    const quiet = isSettled
      ? []
      : [
          clock.sleep(SETTLE_MS, over.signal).then(
            () => 'quiet' as const,
            () => 'woken' as const,
          ),
        ];
    const why = await Promise.race([woken, ...quiet]).finally(() => over.abort());
    if (why === 'woken' || !current) return undefined;
    isSettled = true;
    ownUntilMs = Number.POSITIVE_INFINITY;
    const { format, quality } = picture;
    const still = current.session.send('Page.captureScreenshot', { format, quality });
    const taken = await soon<{ data: string } | undefined>(still, undefined);
    ownUntilMs = clock.now() + STILL_MS;
    return taken && { jpeg: taken.data, ...size };
  }

  async function deliverTo(own: LiveScreen): Promise<void> {
    let shown = '';
    while (screen === own) {
      const sent = latest;
      latest = undefined;
      const next = sent ?? (await nextPicture());
      if (!next || next.jpeg === shown || screen !== own) continue;
      shown = next.jpeg;
      await Promise.all([own.picture(next), clock.sleep(PICTURE_MS)]);
    }
  }

  function answerDialog(dialog: Dialog): void {
    const text = dialog.message().slice(0, MOST_NOTE_CHARS);
    const isLeaving = dialog.type() === 'beforeunload';
    if (!isLeaving) screen?.note(`The page asks, and was answered with Cancel: ${text}`);
    void (isLeaving ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  }

  context.on('page', (page) => {
    if (context.pages().length > MOST_PAGES) return void page.close().catch(() => undefined);
    page.on('dialog', answerDialog);
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && current?.page === page) void tell();
    });
    page.on('load', () => void (current?.page === page && tell()));
    page.once('close', () => {
      const last = context.pages().at(-1);
      if (current?.page === page) current = undefined;
      if (last) turnTo(last);
    });
    turnTo(page);
  });

  return {
    show(next) {
      screen = next;
      wake?.();
      turning = turning.then(begin).catch(() => undefined);
      void deliverTo(next);
      return () => {
        if (screen !== next) return;
        screen = undefined;
        wake?.();
        void current?.session.send('Page.stopScreencast').catch(() => undefined);
      };
    },
    async input(input) {
      await turning;
      if (!current) return;
      if (input.type === 'size') size = { width: input.width, height: input.height };
      await soon(dispatch(current.page, current.session, input), undefined);
      stir();
    },
  };
}

async function dispatch(page: Page, session: CDPSession, input: ViewerInput): Promise<void> {
  switch (input.type) {
    case 'mouse': {
      const { action, x, y, button, clicks: clickCount, modifiers } = input;
      const type = ({ move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const)[action];
      await session.send('Input.dispatchMouseEvent', { type, x, y, button, clickCount, modifiers });
      return;
    }
    case 'wheel': {
      const { x, y, dx: deltaX, dy: deltaY, modifiers } = input;
      await session.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX, deltaY, modifiers });
      return;
    }
    case 'key': {
      const { action, key, code, keyCode, text, repeat: autoRepeat, modifiers } = input;
      const type = action === 'up' ? 'keyUp' : text === '' ? 'rawKeyDown' : 'keyDown';
      const typed = action === 'up' || text === '' ? {} : { text, unmodifiedText: text };
      const about = { key, code, windowsVirtualKeyCode: keyCode, autoRepeat, modifiers };
      await session.send('Input.dispatchKeyEvent', { type, ...about, ...typed });
      return;
    }
    case 'text':
      await session.send('Input.insertText', { text: input.text });
      return;
    case 'size':
      await page.setViewportSize({ width: input.width, height: input.height });
      return;
    case 'go': {
      const how = { waitUntil: 'commit' } as const;
      if (input.to === 'back') await page.goBack(how);
      else if (input.to === 'forward') await page.goForward(how);
      else await page.reload(how);
    }
  }
}
