/**
 * Takes the pictures of docs/site-logins.md: the live view of a login and a crawl that waits for one, both real, of a made-up
 * site in a network of its own. `node scripts/login-pictures.ts` writes docs/pictures/live-login.png and
 * docs/pictures/paused-login.svg; needs Chromium and tmux.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBrowser } from '../packages/worker/src/browser/find-browser.ts';
import { makeCertificates } from '../test/fake-web/certificates.ts';
import { createDns } from '../test/fake-web/dns.ts';
import { inOwnNetwork, publicAddress } from '../test/install/own-network.ts';
import { openBrowser } from '../test/outside/browser.ts';
import { withPalette } from './picture/png-palette.ts';
import { terminalSvg } from './picture/terminal-svg.ts';

const site = 'library.example';
const size = { columns: 104, rows: 24 };
const root = resolve(import.meta.dirname, '..');
const command = join(root, 'packages/cli/src/bin.ts');
const maxBytes = 150_000;
/** The session of the crawl ends after so many pages. */
const pagesBefore = 12;

interface Pictures {
  /** Base64. */
  view: string;
  screen: string;
}

const style = `body{margin:0;background:#f3efe6;color:#2b2620;font:17px/1.5 Georgia,serif}header{background:#2f4a3c;color:#fff;padding:22px 48px;font-size:26px}
main{max-width:420px;margin:48px auto;background:#fff;padding:28px 36px 36px;border:1px solid #d8cfbd}h1{margin:0 0 18px;font-size:24px}label{display:block;margin:14px 0 4px}
input{width:100%;box-sizing:border-box;font:inherit;padding:8px 10px;border:1px solid #a89c86}button{margin-top:22px;font:inherit;padding:9px 26px;border:0;background:#2f4a3c;color:#fff}`;
const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,"><style>${style}</style><header>The Reading Room</header>${body}`;
const form = page(
  'Log in',
  '<main><h1>Members log in</h1><form method="post" action="/session"><label for="n">Name</label><input id="n" name="username" autofocus><label for="p">Password</label><input id="p" type="password" name="password"><button>Log in</button></form></main>',
);

function answers(): (request: IncomingMessage, response: ServerResponse) => void {
  let session: string | undefined;
  let shown = 0;
  return (request, response) => {
    const path = request.url ?? '/';
    const isIn = session !== undefined && request.headers.cookie?.includes(session);
    const send = (status: number, body: string, headers: Record<string, string> = {}) =>
      void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
    if (path === '/robots.txt') return send(404, '');
    if (path === '/session') {
      session = randomBytes(8).toString('hex');
      shown = 0;
      return send(303, '', { location: '/', 'set-cookie': `session=${session}; Path=/; Secure; HttpOnly` });
    }
    // The first is the page that follows the login.
    if (isIn && path !== '/login' && ++shown > pagesBefore + 1) session = undefined;
    if (!isIn || session === undefined || path === '/login') return send(200, form);
    const number = path === '/' ? 0 : Number(path.slice('/book/'.length));
    const links = [1, 2, 3].map((n) => `<li><a href="/book/${number * 3 + n}">Book ${number * 3 + n}</a>`);
    send(
      200,
      page(
        `Book ${number}`,
        `<main><a class="log-out">alice</a><h1>Book ${number}</h1><ul>${links.join('')}</ul></main>`,
      ),
    );
  };
}

async function inside(folder: string): Promise<Pictures> {
  const certificates = await makeCertificates(folder, [site]);
  const dns = createDns((name) => (name === site ? publicAddress : undefined));
  const server = createServer(certificates, answers());
  await dns.start(53);
  await new Promise<void>((done) => server.listen(443, publicAddress, done));
  const browser = join(folder, 'browser.sh');
  // The authority of the made-up site is known to this machine only.
  writeFileSync(browser, `#!/bin/sh\nexec ${findBrowser()} --ignore-certificate-errors "$@"\n`, {
    mode: 0o755,
  });
  const env = {
    WEBFARER_STATE: join(folder, 'state'),
    WEBFARER_BROWSER: browser,
    NODE_EXTRA_CA_CERTS: certificates.caFile,
  };
  const view = await lookAtView(env);
  const screen = await lookAtCrawl(folder, env);
  server.closeAllConnections();
  server.close();
  await dns.stop();
  return { view, screen };
}

async function lookAtView(env: Record<string, string>): Promise<string> {
  const words = ['login', `https://${site}/login`, '--as', 'alice', '--view'];
  const child = spawn(process.execPath, [command, ...words], { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const ended = new Promise((done) => child.once('exit', done));
  while (!/http:\S+#\S+/.test(output)) {
    if (child.exitCode !== null) throw new Error(output);
    await sleep(50);
  }
  const viewer = await openBrowser();
  try {
    const tab = await viewer.newPage({ viewport: { width: 1_000, height: 720 } });
    await tab.goto(/http:\S+#\S+/.exec(output)?.[0] ?? '');
    await tab.getByAltText('The page: Log in').waitFor();
    const isFull = `document.querySelector('#picture').naturalWidth === document.querySelector('#stage').clientWidth`;
    while (!(await tab.evaluate(isFull))) await sleep(50);
    await tab.locator('#keys').focus();
    await tab.keyboard.type('alice');
    await tab.keyboard.press('Tab');
    await tab.keyboard.type('not a real one');
    await sleep(1_000);
    const picture = await tab.screenshot();
    await tab.keyboard.press('Enter');
    await tab.locator('#address', { hasText: /example\/$/ }).waitFor();
    await tab.click('#done');
    await ended;
    return withPalette(picture).toString('base64');
  } finally {
    await viewer.close();
  }
}

/** Types the command into a terminal and looks at the screen once the crawl waits. */
async function lookAtCrawl(folder: string, env: Record<string, string>): Promise<string> {
  const job = {
    seeds: [`https://${site}/`],
    politeness: { gap: '300ms' },
    login: [{ site, as: 'alice', check: { selector: 'a.log-out' } }],
    limits: { pages: 200 },
  };
  writeFileSync(join(folder, 'library.yml'), JSON.stringify(job));
  const start = join(folder, 'start.sh');
  writeFileSync(
    start,
    `PS1='$ '\ncd "${folder}"\nnpx() { shift; "${process.execPath}" "${command}" "$@"; }\nclear\n`,
  );
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', `login-picture-${process.pid}`, ...args], { encoding: 'utf8' });
  const given = Object.entries({ ...env, CI: '', npm_command: 'exec' }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  const [columns, rows] = [`${size.columns}`, `${size.rows}`];
  tmux('new-session', '-d', '-x', columns, '-y', rows, ...given, `bash --rcfile "${start}" -i`);
  try {
    tmux('send-keys', 'npx webfarer run library.yml', 'Enter');
    while (!tmux('capture-pane', '-p').includes('logged out')) await sleep(200);
    await sleep(3_000);
    return tmux('capture-pane', '-p', '-e');
  } finally {
    tmux('kill-server');
  }
}

if (process.argv[2] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-login-pictures-'));
  try {
    const program = import.meta.filename;
    const { view, screen } = await inOwnNetwork<Pictures>({ program, args: { folder }, folder });
    const pictures: [string, Buffer][] = [
      ['live-login.png', Buffer.from(view, 'base64')],
      ['paused-login.svg', Buffer.from(terminalSvg(screen, size.columns))],
    ];
    for (const [name, bytes] of pictures) {
      writeFileSync(join(root, 'docs', 'pictures', name), bytes);
      console.log(`docs/pictures/${name}  ${bytes.length} bytes`);
      if (bytes.length > maxBytes) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  const { folder } = JSON.parse(process.argv[2]) as { folder: string };
  process.stdout.write(JSON.stringify(await inside(folder)));
}
