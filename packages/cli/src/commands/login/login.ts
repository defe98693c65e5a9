import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { isLoopback, type ListenAddress, namedAddress, parseListen, urlOf } from '@webfarer/coordinator';
import type { LoginWish } from '@webfarer/coordinator/server';
import { type Url, WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { accountName, loginSite, resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { hostOf, parseUrl, seedUrl, siteOf } from '@webfarer/protocol/url';
import { type Account, openLoginWindow, readCookieFile } from '@webfarer/worker';
import { type AccountStore, openAccountStore } from '../../accounts/account-store.ts';
import { testLogin } from '../../accounts/test-login.ts';
import {
  accountOf,
  browserProgram,
  contentsOf,
  isEmpty,
  isSeen,
  LOOK_MS,
  signOf,
  startLogin,
} from '../../accounts/start-login.ts';
import type { Command } from 'commander';
import type { CliContext } from '../../context/context.ts';
import { typedPrivate } from '../../job/crawl-options.ts';
import { accountPlace } from '../../machine/state-folder.ts';
import { clean } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';
import { logInAt } from './login-remote.ts';
import { tokenFileOption } from '../remote/remote.ts';

interface LoginOptions {
  as?: string;
  site?: string;
  cookies?: string;
  credentialsFile?: string;
  selector?: string;
  text?: string;
  view?: boolean;
  listen?: string;
  at?: string;
  tokenFile?: string;
}

/** `login`: keeps an account of the person's, encrypted, for crawls of this machine that name it. */
export function addLoginCommand({ program, context, exit }: CommandHome): void {
  const login = program
    .command('login')
    .description(
      'Opens a browser window in which you log in, and keeps the cookies and storage of that site encrypted on this machine, outside every crawl folder. A job uses them with login: [{ site, as, check }]. The window is your own browser: it goes to the site directly, not through the crawler. A crawl that waits for this login continues by itself.',
    )
    .argument('<url>', 'where to log in, such as https://example.org/login')
    .option('--as <name>', 'name of the account, as the job file says it')
    .option('--site <domain>', 'domain that the account is for; the registered domain of the URL when absent')
    .option(
      '--cookies <file>',
      'without a window: the cookies of a browser, as cookies.txt (Netscape format)',
    )
    .option('--credentials-file <file>', 'without a window: a name and password, or a token, one line each')
    .option(
      '--view',
      'without a desktop: show the browser of this machine in your own, over a port of this machine',
    )
    .option('--listen <address:port>', 'with --view: where (default: 127.0.0.1 and any free port)')
    .option(
      '--at <url|folder>',
      'in a browser of this coordinator, for crawls that it fetches itself (--with-worker)',
    )
    .option(...tokenFileOption)
    .option('--selector <css>', 'done when a page has an element that fits')
    .option('--text <text>', 'done when a page has this text')
    .helpCommand(false)
    .action((url: string, options: LoginOptions) => logIn(url, options, context));
  login
    .command('list')
    .description('lists the accounts of this machine')
    .option('--json', 'as JSON lines')
    .action(async ({ json = false }: { json?: boolean }) => await list(context, json));
  login
    .command('test')
    .description(
      'asks for one page as the account, and says whether it is logged in; exits with 4 if it is not',
    )
    .argument('<site>', 'its domain')
    .argument('<name>', 'its name')
    .option('--url <url>', 'the page to ask for (default: the front page of the site)')
    .option('--selector <css>', 'an element that the page has while the account is logged in')
    .option('--text <text>', 'a text that the page has while the account is logged in')
    .option('--json', 'as JSON')
    .action(async (site: string, as: string, _own: TestOptions, command: Command) => {
      // Options that `login` has too are read by it.
      exit(await test({ site, as }, command.optsWithGlobals<TestOptions>(), context));
    });
  login
    .command('remove')
    .description('removes an account from this machine; the site is not told')
    .argument('<site>', 'its domain')
    .argument('<name>', 'its name')
    .action(async (site: string, as: string) => {
      if (!(await openAccountStore(accountPlace()).remove({ site, as }))) throw noAccount(site, as);
      context.terminal.out(`  removed   ${as} of ${site}\n`);
    });
}

async function logIn(text: string, options: LoginOptions, context: CliContext): Promise<void> {
  const wish = wishOf(text, options);
  const { site, as } = wish;
  const way = options.at !== undefined ? logInAt : options.view ? inView : inWindow;
  const kept = await way(wish, options, context);
  context.terminal.out(`  kept      ${as} of ${site}: ${kept}, encrypted\n`);
  context.terminal.out(
    `  use       login: [{ site: ${site}, as: ${as}, check: { selector: … } }] in a job file\n`,
  );
}

function wishOf(text: string, { site, as, selector, text: shown }: LoginOptions): LoginWish {
  const url = parseUrl(text)?.protocol.startsWith('http') ? (text as Url) : seedUrl(text)[0];
  if (url === undefined)
    throw new WebfarerError('usage', `${text} is not an http or https address`, {
      next: 'Write it whole: https://example.org/login',
    });
  return {
    url,
    site: checked(loginSite, site ?? siteOf(hostOf(url)), '--site'),
    as: checked(accountName, as ?? '', '--as'),
    selector,
    text: shown,
  };
}

async function inWindow(wish: LoginWish, options: LoginOptions, context: CliContext): Promise<string> {
  const { site, as } = wish;
  const account = accountOf(site, await stateFrom(wish, options, context));
  if (isEmpty(account))
    throw new WebfarerError('usage', `nothing of ${site} was found to log in with`, {
      next: 'Log in before you finish, or name the domain with --site.',
    });
  await openAccountStore(accountPlace()).write({ site, as }, account, context.clock.now());
  return contentsOf(account);
}

type BrowserState = Pick<Account, 'cookies' | 'storage'>;

async function stateFrom(wish: LoginWish, options: LoginOptions, context: CliContext): Promise<BrowserState> {
  if (options.cookies !== undefined) {
    const cookies = await readCookieFile(resolve(context.cwd, options.cookies), context.clock.now());
    return { cookies, storage: [] };
  }
  if (options.credentialsFile !== undefined) return { cookies: [], storage: [] };
  return await untilLoggedIn(wish, context);
}

/** Until the person says so, a page shows it, or the window is closed. */
async function untilLoggedIn(wish: LoginWish, context: CliContext): Promise<BrowserState> {
  const { terminal, clock, ask } = context;
  const sign = signOf(wish);
  const window = await openLoginWindow({ executablePath: browserProgram(), url: wish.url });
  const done = new AbortController();
  const stop = context.onInterrupt(() => done.abort(new Error('interrupted')));
  terminal.out('  A browser window is open. Log in there; the site sees it as your own browser.\n');
  terminal.out('  Close the window when you are logged in, or press Enter here.\n');
  let isConfirmed = false;
  const confirmed = ask?.text({ message: 'Logged in?', placeholder: 'Enter' }).then(
    () => (isConfirmed = true),
    () => done.abort(),
  );
  let last: BrowserState = { cookies: [], storage: [] };
  try {
    while (!done.signal.aborted) {
      const look = await window.look();
      if (look) last = look;
      if (!look || isConfirmed || (await isSeen(look, sign))) return last;
      await Promise.race([confirmed ?? done.signal, clock.sleep(LOOK_MS, done.signal)]).catch(
        () => undefined,
      );
    }
    throw new WebfarerError('interrupted', 'Nothing was kept.');
  } finally {
    stop();
    await window.close();
  }
}

/** The browser runs here without a window, and is shown in one elsewhere. */
async function inView(wish: LoginWish, options: LoginOptions, context: CliContext): Promise<string> {
  const { terminal, clock } = context;
  const { openLiveLogin, openViewServer } = await import('@webfarer/coordinator/server');
  const listen = parseListen(options.listen ?? '127.0.0.1:0');
  const login = await openLiveLogin(wish, { clock, start: (asked) => startLogin(asked, clock) });
  const stop = context.onInterrupt(() => void login.cancel());
  try {
    const server = await openViewServer({ listen, login, clock });
    try {
      for (const line of viewLines(server.address, login.newTicket())) terminal.out(`  ${line}\n`);
      const { how, text } = await login.ended;
      if (how === 'kept') return text;
      throw new WebfarerError(how === 'cancelled' ? 'interrupted' : 'no-browser', text, {
        next: 'Run the same command again to log in.',
      });
    } finally {
      await server.stop();
    }
  } finally {
    stop();
    await login.cancel();
  }
}

/** How to reach the view: as it is on this machine, through a tunnel from another one. */
function viewLines({ host, port }: ListenAddress, ticket: string): string[] {
  const way = isLoopback(host)
    ? [
        'From another machine, first run there:',
        `  ssh -N -L ${port}:127.0.0.1:${port} ${userInfo().username}@${hostname()}`,
      ]
    : ['The view is not encrypted on its way: use it on a network that you trust.'];
  return [
    'A browser runs on this machine. Open it in yours:',
    `  ${urlOf(namedAddress({ host, port }))}/#${ticket}`,
    ...way,
    'The address works once, for 15 minutes. Log in there and press Done; Ctrl-C here cancels.',
  ];
}

interface TestOptions {
  url?: string;
  selector?: string;
  text?: string;
  json?: boolean;
}

const verdicts = { in: 'logged in', out: 'logged out', unclear: 'unclear' } as const;
/** As for a threshold that was missed. */
const NOT_IN = 4;

async function test(
  name: { site: string; as: string },
  options: TestOptions,
  { terminal, clock, version, onInterrupt }: CliContext,
): Promise<number> {
  const site = checked(loginSite, name.site, 'the site');
  const as = checked(accountName, name.as, 'the name');
  const store = openAccountStore(accountPlace());
  if ((await store.source({ site, as }).revision()) === undefined) throw noAccount(site, as);
  const { url } = wishOf(options.url ?? `https://${site}/`, { as, site });
  const job = resolveJob({ seeds: [url], fetch: { allowPrivate: typedPrivate([url]) } });
  const { selector, text } = options;
  const check = { ...(selector === undefined ? {} : { selector }), ...(text === undefined ? {} : { text }) };
  const over = new AbortController();
  const stop = onInterrupt(() => over.abort());
  const userAgent = userAgentFor(job, version);
  const rule = { site, as, check };
  const seen = await testLogin({
    url: url as Url,
    rule,
    job,
    userAgent,
    store,
    clock,
    signal: over.signal,
  }).finally(stop);
  if (options.json) terminal.out(jsonLine({ site, as, url, ...seen }));
  else {
    const title = seen.title === undefined ? '' : `   "${clean(seen.title)}"`;
    terminal.out(`  asked     ${clean(url)} as ${as}\n`);
    terminal.out(`  answered  ${seen.status}${title}\n`);
    terminal.out(`  ${verdicts[seen.verdict]}: ${clean(seen.why)}\n`);
    if (seen.verdict === 'out')
      terminal.out(`  log in:  webfarer login ${clean(url)} --as ${as}   (without a desktop: add --view)\n`);
  }
  return seen.verdict === 'out' ? NOT_IN : 0;
}

async function list({ terminal }: CliContext, json: boolean): Promise<void> {
  const accounts: Awaited<ReturnType<AccountStore['list']>> = await openAccountStore(accountPlace()).list();
  if (accounts.length === 0 && !json)
    return terminal.out('  No accounts. Log in to a site:  webfarer login https://example.org/ --as NAME\n');
  const width = Math.max(...accounts.map(({ site }) => site.length), 4);
  for (const { site, as, savedAtMs } of accounts) {
    const savedAt = new Date(savedAtMs).toISOString();
    terminal.out(json ? jsonLine({ site, as, savedAt }) : `  ${site.padEnd(width)}  ${as}   ${savedAt}\n`);
  }
}

/** By the rules of the job file. */
function checked(
  rule: { safeParse(text: string): { success: true; data: string } | { success: false; error: Error } },
  text: string,
  option: string,
): string {
  const parsed = rule.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new WebfarerError('usage', `${option}: "${text}" cannot be used`, {
    next: `Give ${option} as the job file says it: a domain such as example.org, a name such as alice.`,
  });
}

function noAccount(site: string, as: string): WebfarerError {
  return new WebfarerError('usage', `there is no account ${as} of ${site} on this machine`, {
    next: 'webfarer login list shows those that are there.',
  });
}
