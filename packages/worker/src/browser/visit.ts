import type { ConsoleMessage, Page, Request } from 'playwright-core';
import type { Clock } from '@webfarer/protocol';
import { createEventBudget } from './event-budget.ts';
import { takePictures } from './pictures.ts';
import { readPage } from './read-page.ts';
import type { PageAct, RenderAnswer, RenderRequest } from './rendering.ts';
import { settleMs } from './steps/actions.ts';
import { runSteps } from './steps/run-steps.ts';

const mostErrors = 20;
const mostErrorLength = 300;
/** How often it is looked whether a page has come to rest. */
const lookMs = 50;

export interface VisitParts {
  clock: Clock;
  /** The page tells so much of itself that nothing else gets through: its browser is to be ended at once. */
  flooded(): void;
}

/** Opens a page, waits until it has come to rest, and reads it as it stands. Throws where the browser is gone. */
export async function visit(
  page: Page,
  request: RenderRequest,
  { clock, flooded }: VisitParts,
): Promise<RenderAnswer> {
  const { timeoutMs, quietMs, steps, act, signal } = request;
  const startedAtMs = clock.now();
  const leftMs = (): number => startedAtMs + timeoutMs - clock.now();
  const watch = watchPage(page, clock, flooded);
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal.addEventListener('abort', stop, { once: true });
  const deadline = clock.sleep(timeoutMs, over.signal).then(
    () => 'late' as const,
    () => 'late' as const,
  );
  try {
    return await shown();
  } catch (error) {
    // Its browser was ended because of it.
    if (watch.flood() === undefined) throw error;
    return crash();
  } finally {
    signal.removeEventListener('abort', stop);
    over.abort();
    watch.stop();
  }

  async function shown(): Promise<RenderAnswer> {
    const opened = await Promise.race([open(page, request, watch.crashed), deadline]);
    if (opened === 'crash') return crash();
    const acted = steps.length > 0 || act ? await Promise.race([actOn(), watch.crashed]) : undefined;
    if (acted === 'crash') return crash();
    if (acted !== undefined) return { ok: false, reason: 'step-failed', detail: acted };
    const restless = opened === 'late' || !(await comesToRest(timeoutMs));
    // A page that computes without end does not answer.
    const read = await Promise.race([readPage(page, clock), watch.crashed, lateAfter(clock, readMs)]);
    if (read === 'crash') return crash();
    if (read === undefined)
      return { ok: false, reason: 'render-timeout', detail: `it could not be read within ${timeoutMs} ms` };
    const movedTo = watch.movedTo();
    if (isErrorPage(page.url()) && movedTo === undefined)
      return {
        ok: false,
        reason: 'render-crash',
        detail: 'the browser shows its own error page in its place',
      };
    const wanted = movedTo === undefined ? request.pictures : [];
    const { pictures, missing } = await takePictures(page, wanted, clock);
    return { ok: true, ...read, movedTo, restless, errors: watch.errors, pictures, missing };
  }

  function crash(): RenderAnswer {
    return { ok: false, reason: 'render-crash', detail: watch.flood() ?? 'the page crashed' };
  }

  /** Within this time, as far as the page has it. */
  async function comesToRest(mostMs: number): Promise<boolean> {
    const endsAtMs = clock.now() + mostMs;
    // A page whose browser is gone is closed, and has requests that never end.
    while (leftMs() > 0 && clock.now() < endsAtMs && !signal.aborted && !page.isClosed()) {
      if (watch.quietForMs() >= quietMs && (await hasNothingToDo(endsAtMs))) return true;
      await clock.sleep(lookMs);
    }
    return false;
  }

  /** On a busy machine a page asks for nothing because it waits for a processor: it is asked whether it is idle. */
  async function hasNothingToDo(endsAtMs: number): Promise<boolean> {
    const idle = page.evaluate(idleScript).then(
      () => watch.quietForMs() >= quietMs,
      // It moved to another page, or it is gone, which is told when it is read.
      () => page.isClosed(),
    );
    const no = (): boolean => false;
    const late = clock.sleep(Math.max(0, endsAtMs - clock.now()), over.signal).then(no, no);
    return await Promise.race([idle, watch.crashed.then(() => true), deadline.then(no), late]);
  }

  /** What went wrong; undefined: everything was done. */
  async function actOn(): Promise<string | undefined> {
    await comesToRest(beforeStepsMs);
    return (await doSteps()) ?? (act && (await runAct(act)));
  }

  /** What went wrong with a step; undefined: all were done. */
  async function doSteps(): Promise<string | undefined> {
    const scene = { page, clock, leftMs, left: watch.left, settle };
    const run = runSteps(scene, steps);
    run.done.catch(() => undefined);
    const done = await Promise.race([run.done, deadline]);
    return done === 'late' ? `${run.current()}: the page's time was up` : done;
  }

  /** Code of the user. Whatever it does to its page costs that page and nothing else. */
  async function runAct(run: PageAct): Promise<string | undefined> {
    // It went elsewhere, by a step or by itself: that is a redirect, and what is here now is another page.
    if (watch.left()) return undefined;
    if (leftMs() <= 0) return `${actName}: the page's time was up`;
    page.setDefaultTimeout(callMs);
    const problem = await Promise.race([run(page, over.signal), deadline]);
    if (problem === 'late') return `${actName}: the page's time was up`;
    if (page.isClosed()) {
      if (!page.context().browser()?.isConnected()) throw new Error('the browser is gone');
      return `${actName}: ${problem ?? 'it closed the page'}`;
    }
    for (const other of page.context().pages()) if (other !== page) await closed(other);
    if (problem !== undefined) return `${actName}: ${problem}`;
    await settle(settleMs);
    const left = watch.left();
    // It has no address that could be asked for, so it can be no page of its own.
    return left && left.method !== 'GET' ? `${actName} led to ${left.url} by ${left.method}` : undefined;
  }

  async function settle(mostMs: number): Promise<boolean> {
    watch.touch();
    return await comesToRest(mostMs);
  }
}

/** What user code is called in the records of pages. */
const actName = 'inBrowser';
/** For each call on the page that says nothing else, as for a step. */
const callMs = 10_000;

async function closed(page: Page): Promise<void> {
  await page.close({ runBeforeUnload: false }).catch(() => undefined);
}

/** A page that never rests is acted on all the same. */
const beforeStepsMs = 5_000;

/** Runs in the page. */
const idleScript = 'new Promise((done) => requestIdleCallback(() => done(), { timeout: 1_000 }))';

/** For reading the text of a page that has had its time. */
const readMs = 5_000;

async function lateAfter(clock: Clock, ms: number): Promise<undefined> {
  await clock.sleep(ms);
}

async function open(
  page: Page,
  { url }: RenderRequest,
  crashed: Promise<'crash'>,
): Promise<'open' | 'crash'> {
  // Bounded by the visit, and what went wrong on the way is seen in what there is to read.
  const opened = page.goto(url, { waitUntil: 'load', timeout: 0 }).then(
    () => 'open' as const,
    (error: unknown) => {
      if (page.isClosed()) throw error;
      return 'open' as const;
    },
  );
  return await Promise.race([opened, crashed]);
}

export interface PageWatch {
  /** Or was ended, which `flood` explains. */
  crashed: Promise<'crash'>;
  flood(): string | undefined;
  errors: string[];
  quietForMs(): number;
  movedTo(): string | undefined;
  /** The other page that stands here now, and how it was asked for. */
  left(): { url: string; method: string } | undefined;
  /** Something was done to the page: what it asks for by that may still come. */
  touch(): void;
  stop(): void;
}

/** What goes on in a page while it is shown. What would wait for a person is answered as a person in a hurry would. */
export function watchPage(page: Page, clock: Clock, flooded: () => void): PageWatch {
  const errors: string[] = [];
  const open = new Set<Request>();
  let changedAtMs = clock.now();
  /** Asked for in place of the one before. */
  let latest: { url: string; method: string } | undefined;
  let documents = 0;
  let first: string | undefined;
  let crash: (value: 'crash') => void = () => {};
  const crashed = new Promise<'crash'>((resolve) => (crash = resolve));
  const budget = createEventBudget(() => {
    crash('crash');
    flooded();
  });
  const note = (text: string): void => {
    if (errors.length < mostErrors) errors.push(text.split('\n', 1)[0]?.slice(0, mostErrorLength) ?? '');
  };
  const ended = (request: Request): void => {
    if (open.delete(request)) changedAtMs = clock.now();
  };
  page.on('crash', () => crash('crash'));
  page.on('request', (request) => {
    budget.add('requests', request.url().length);
    open.add(request);
    changedAtMs = clock.now();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    documents += 1;
    latest = { url: request.url(), method: request.method() };
  });
  page.on('framenavigated', (frame) => {
    budget.add('documents', frame.url().length);
    if (frame === page.mainFrame()) first ??= withoutFragment(frame.url());
  });
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  page.on('pageerror', (error) => {
    budget.add('errors', error.message.length + (error.stack?.length ?? 0));
    note(error.message);
  });
  page.on('console', (line) => {
    budget.add('lines of the console', line.text().length);
    if (line.type() === 'error') note(lineOf(line));
  });
  page.on('dialog', (dialog) => {
    budget.add('dialogs', dialog.message().length);
    void dialog.dismiss().catch(() => undefined);
  });
  page.on('popup', (popup) => {
    budget.add('windows', 0);
    void popup.close().catch(() => undefined);
  });
  // Each costs several messages, although an empty one asks for nothing.
  page.on('frameattached', () => budget.add('frames', 0));
  page.on('worker', (worker) => budget.add('workers', worker.url().length));
  page.on('websocket', (socket) => budget.add('sockets', socket.url().length));
  page.on('download', (download) => budget.add('downloads', download.url().length));
  /** A page that was loaded again is still the page. */
  const left = (): { url: string; method: string } | undefined => {
    // What it led to could not be loaded: that page is asked for by itself, and tells its own story.
    const url = isErrorPage(page.url()) ? (latest?.url ?? '') : page.url();
    if (documents < 2 || !latest || withoutFragment(url) === first) return undefined;
    return { url, method: latest.method };
  };
  return {
    crashed,
    flood: budget.exceeded,
    errors,
    left,
    touch: () => void (changedAtMs = clock.now()),
    quietForMs: () => (open.size > 0 ? 0 : clock.now() - changedAtMs),
    movedTo: () => left()?.url,
    stop: () => void page.removeAllListeners(),
  };
}

/** Shown by the browser in place of a page that could not be loaded. */
function isErrorPage(url: string): boolean {
  return url.startsWith('chrome-error:');
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}

/** What could not be loaded has its address beside the text. */
function lineOf(line: ConsoleMessage): string {
  const { url } = line.location();
  return line.text().startsWith('Failed to load resource') && url !== ''
    ? `${line.text()}: ${url}`
    : line.text();
}
