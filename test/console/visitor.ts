import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

/** What a browser noticed while a person used the console. All of it should stay empty. */
export interface Noticed {
  /** Requests to anywhere but the coordinator, and what its pages ask of the OpenID provider. */
  foreign: string[];
  /** How often the browser went to the OpenID provider: as a whole page, which is how one logs in there. */
  atProvider: number;
  violations: string[];
  /** Of the page, and what it threw. */
  errors: string[];
}

/** A person with a browser, whose clicks are counted. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly noticed: Noticed;
  /** Bytes of everything that came over the network, as it was sent. What is asked for again and again counts once. */
  received(): number;
  clicks(): number;
  click(on: Locator): Promise<void>;
  /** Another tab, in which is noticed what is noticed in the first. It gets the token from that one. */
  openTab(): Promise<Page>;
  close(): Promise<void>;
}

export interface VisitorOptions {
  url: string;
  width?: number;
  height?: number;
  /** Errors that the visit itself provokes, by their text and the address that they are about. */
  expected: (text: string, about: string) => boolean;
  /** The origin of the OpenID provider, for a person who logs in there. */
  provider?: string;
}

const watchPolicy = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  __violated([violatedDirective, blockedURI, sample].join(' ')))`;

export async function openVisitor(browser: Browser, options: VisitorOptions): Promise<Visitor> {
  const { url, width = 1440, height = 900, expected, provider } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  const noticed: Noticed = { foreign: [], atProvider: 0, violations: [], errors: [] };
  let [bytes, clicks] = [0, 0];
  await context.exposeFunction('__violated', (what: string) => void noticed.violations.push(what));
  await context.addInitScript({ content: watchPolicy });
  // Crawls, coordinator and browser share the machine with whatever else runs there.
  context.setDefaultTimeout(60_000);
  async function openTab(): Promise<Page> {
    const tab = await context.newPage();
    tab.on('request', (request) => {
      if (request.url().startsWith(`${url}/`)) return;
      const [isNavigation, from] = [request.isNavigationRequest(), request.frame().url()];
      if (isOf(provider, request.url()) && isNavigation) noticed.atProvider++;
      // What a page of the provider loads is its own affair.
      else if (isNavigation || !isOf(provider, from)) noticed.foreign.push(request.url());
    });
    tab.on('console', (message) => {
      if (message.type() !== 'error' || expected(message.text(), message.location().url)) return;
      noticed.errors.push(`${message.text()} ${message.location().url}`);
    });
    tab.on('pageerror', (error) => noticed.errors.push(String(error)));
    tab.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"frame-limit"'))
          noticed.errors.push(`more than the stream permits: ${String(payload)}`);
      }),
    );
    return tab;
  }
  const page = await openTab();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const pathOf = new Map<string, string>();
  const counted = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) =>
    pathOf.set(requestId, new URL(request.url).pathname),
  );
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = pathOf.get(requestId) ?? requestId;
    // How often a screen asks before it is complete depends on how busy the machine is.
    if (!counted.has(path)) bytes += encodedDataLength;
    counted.add(path);
  });
  return {
    page,
    context,
    noticed,
    openTab,
    received: () => bytes,
    clicks: () => clicks,
    async click(on) {
      clicks++;
      await on.click();
    },
    close: () => context.close(),
  };
}

const isOf = (origin: string | undefined, url: string): boolean =>
  origin !== undefined && url.startsWith(`${origin}/`);

export async function logIn({ page }: Visitor, url: string, token: string): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
}

/** What axe finds serious, with the place. */
export async function seriousIn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`));
}

/** Whether anything sticks out of the page to the side. */
export async function isTooWide(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > innerWidth + 1')) as boolean;
}

/** For a walk that failed: what was on the screen. */
export async function tellWhere(at: Visitor | undefined): Promise<void> {
  console.error(`the person stood at ${at?.page.url()}, and read:\n${await at?.page.innerText('body')}`);
}
