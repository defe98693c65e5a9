/**
 * Takes the picture of what is known of a page that was shown in a browser: a real crawl of a made-up site, in a network of its
 * own. `node scripts/shown-page-picture.ts` writes docs/pictures/shown-page.png; needs Chromium.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createDns } from '../test/fake-web/dns.ts';
import { inOwnNetwork, publicAddress } from '../test/install/own-network.ts';
import { openBrowser } from '../test/outside/browser.ts';
import { withPalette } from './picture/png-palette.ts';
import { terminalSvg } from './picture/terminal-svg.ts';

const site = 'museum.example';
const columns = 104;
const root = resolve(import.meta.dirname, '..');
const target = join(root, 'docs', 'pictures', 'shown-page.png');

const look = `body { font: 18px/1.5 sans-serif; margin: 0; color: #12303f; background: #f4f1ea }
  header { background: #12303f; color: #fff; padding: 24px 64px; font-size: 28px }
  main { padding: 24px 64px; display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px }
  article { background: #fff; border-radius: 8px; padding: 20px } a { color: #0b6e8f }`;
const draw = `fetch('/api/collection').then((answer) => answer.json()).then((things) => {
  document.querySelector('main').innerHTML = things
    .map(({ name, from, path }) => '<article><h2>' + name + '</h2><p>' + from + '</p><a href="' + path + '">Look closer</a></article>')
    .join('');
});`;
const things = [
  { name: 'Sextant', from: 'Brass, about 1790', path: '/thing/sextant' },
  { name: 'Figurehead', from: 'Oak, found in 1911', path: '/thing/figurehead' },
  { name: 'Chart of the bay', from: 'Ink on vellum, 1703', path: '/thing/chart' },
];
const answers: Record<string, [type: string, body: string]> = {
  '/': [
    'text/html',
    `<!doctype html><title>The collection</title><style>${look}</style><header>Harbour museum</header><main></main><img src="/banner.png" alt=""><script>${draw}</script>`,
  ],
  '/api/collection': ['application/json', JSON.stringify(things)],
  '/robots.txt': ['text/plain', 'User-agent: *\nAllow: /\n'],
};

interface Looked {
  told: string;
  /** PNG, in base64. */
  view: string;
}

/** Inside the own network. */
async function crawlIt(folder: string): Promise<Looked> {
  const dns = createDns((name) => (name === site ? publicAddress : undefined));
  await dns.start(53);
  const server = createServer(({ url = '/' }, response) => {
    const [type, body] = answers[url] ?? ['text/plain', 'not found'];
    response.writeHead(url in answers ? 200 : 404, { 'content-type': type }).end(body);
  });
  await new Promise<void>((done) => server.listen(80, publicAddress, done));
  const run = async (...words: string[]) =>
    await promisify(execFile)(process.execPath, [join(root, 'packages/cli/src/bin.ts'), ...words], {
      cwd: folder,
      encoding: 'buffer',
      maxBuffer: 16_777_216,
      env: { ...process.env, FORCE_COLOR: '1', CI: '' },
    });
  const job = { seeds: [`http://${site}/`], name: 'museum', render: 'auto', screenshots: ['view'] };
  writeFileSync(join(folder, 'job.json'), JSON.stringify(job));
  await run('run', 'job.json', '--out', 'museum.crawl', '--limit', '1', '--quiet');
  const url = `http://${site}/`;
  const { stdout: told } = await run('explain', url, '--folder', 'museum.crawl');
  const { stdout: view } = await run('warc', 'cat', url, '--folder', 'museum.crawl', '--rendition', 'view');
  server.closeAllConnections();
  server.close();
  await dns.stop();
  return { told: told.toString(), view: view.toString('base64') };
}

async function take({ told, view }: Looked): Promise<void> {
  const commands = (words: string) => `$ webfarer ${words}\n`;
  const screen = `${commands(`explain http://${site}/`)}${told}\n${commands(`warc cat http://${site}/ --rendition view > page.png`)}`;
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 906, height: 100 } });
    await page.setContent(
      `<body style="margin:0;background:#fff">${terminalSvg(screen, columns)}<img style="display:block;width:640px;height:170px;object-fit:cover;object-position:top;margin:16px auto;border:1px solid #99a" src="data:image/png;base64,${view}">`,
    );
    const picture = withPalette(await page.screenshot({ fullPage: true }));
    writeFileSync(target, picture);
    console.log(`${target}  ${picture.length} bytes`);
  } finally {
    await browser.close();
  }
}

if (process.argv[2] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-picture-'));
  try {
    await take(await inOwnNetwork<Looked>({ program: import.meta.filename, args: { folder }, folder }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  const { folder } = JSON.parse(process.argv[2]) as { folder: string };
  process.stdout.write(JSON.stringify(await crawlIt(folder)));
}
