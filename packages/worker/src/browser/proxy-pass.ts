import type { Page } from 'playwright-core';
import { type ProxyPass, passUrl } from '../egress/browser-proxy.ts';

/** Runs in the page, which has no address yet. */
const script = `fetch('${passUrl}', { mode: 'no-cors' }).then(() => undefined, () => undefined)`;

/**
 * Has the context of an empty page tell the proxy its pass. The browser keeps it for the context and sends it with all
 * requests that follow. Playwright's own way would pause each request of each page to ask whether the pass is wanted, and
 * switch the browser's cache off.
 */
export async function showPass(page: Page, { username, password, isUsed }: ProxyPass): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const authChallengeResponse =
      authChallenge.source === 'Proxy'
        ? { response: 'ProvideCredentials' as const, username, password }
        : { response: 'CancelAuth' as const };
    void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  });
  session.on('Fetch.requestPaused', ({ requestId }) => {
    void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: passUrl }] });
  await page.evaluate(script);
  await session.detach();
  if (!isUsed()) throw new Error('the browser does not reach the proxy of the worker');
}
