import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { RenderAnswer, RenderRequest } from './rendering.ts';

/** A page of a browser, in which pages of one host are shown one after the other. */
export interface Tab {
  page: Page;
  /** Before another page is opened in it. */
  wake(): Promise<void>;
  /** Silences what was shown. False: nothing else may be shown in it. */
  rest(request: RenderRequest, answer: RenderAnswer): Promise<boolean>;
}

/** What scripts leave behind in a process is gone after so many pages. */
const pagesPerTab = 25;

/** Runs in a page that has been read: the next page of the tab finds nothing of it, and no timer of it goes off. */
const leaveScript = `(() => {
  window.stop();
  for (let id = setTimeout(() => {}); id > 0; id--) clearTimeout(id);
  window.name = '';
  sessionStorage.clear();
})()`;

/**
 * Every page in a tab of its own would cost a process: a third of the work of an ordinary page. A page that was read is left
 * standing without scripts until the next one takes its place, because an empty page in between costs as much as a new tab.
 */
export async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  let session: CDPSession | undefined;
  let pages = 0;

  async function letScriptsRun(value: boolean): Promise<void> {
    session ??= await context.newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: !value });
  }

  return {
    page,
    async wake() {
      if (pages > 0) await letScriptsRun(true);
    },
    async rest({ steps, act }, answer) {
      pages += 1;
      const isPlain = answer.ok && !answer.restless && answer.movedTo === undefined;
      const isTouched = steps.length > 0 || act !== undefined;
      if (!isPlain || isTouched || pages >= pagesPerTab || page.workers().length > 0) return false;
      await letScriptsRun(false);
      await page.evaluate(leaveScript);
      return true;
    },
  };
}
