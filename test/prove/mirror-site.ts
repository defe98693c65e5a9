import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Paths that are names no system likes, each a page of its own. */
const hostilePaths = [
  '/con',
  '/CON.html',
  '/nul',
  '/aux/prn',
  '/com1.txt',
  '/lpt9/',
  '/CLOCK$',
  '/COM%C2%B9',
  '/con.tar.gz',
  '/dot.',
  '/dots...',
  '/space%20',
  '/space%20/x',
  '/a%3Ab',
  '/a%3Cb%3E%7C%3F%2A%22',
  '/back%5Cslash',
  '/tab%09',
  '/Case',
  '/case',
  '/CASE',
  '/case.html',
  '/Case/inner',
  '/case/Inner',
  '/stra%C3%9Fe',
  '/STRASSE',
  '/%C3%84',
  '/a%CC%88',
  '/caf%C3%A9',
  '/cafe%CC%81',
  '/%EF%AC%81',
  '/fi',
  '/%F0%9F%98%80',
  '/%E2%80%AEgpj',
  '/%E2%80%8Bzero',
  '/bad%FFutf8',
  '/dir',
  '/dir/',
  '/dir/file',
  '/dir.html/x',
  '/dir.html',
  '/index',
  '/index.html',
  '/sheet.css/x',
  '/pic.png/',
  '/q?b=1',
  '/q?b=2',
  '/q?b=%2F..%2F..%2Fup',
  '/q@b=1',
  '/q',
  `/q?${'k=v&'.repeat(100)}z=1`,
  '/q.php?x',
  '/q.html?x',
  '/.hidden',
  '/-dash',
  '/~tilde',
  '/per%25cent',
  '/hash%23tag',
  '/quest%3Fion',
  '/semi;colon',
  '/plus+sign',
  '/..%2Fup',
  `/long/${'x'.repeat(900)}`,
  `/long/${'x'.repeat(900)}y`,
  `/${'%C3%A9'.repeat(150)}`,
  `/${'abcdefghij'.split('').join('/').repeat(2)}`,
];

/** Old addresses, and where they lead in the end. */
const redirects: Readonly<Record<string, string>> = {
  '/old': '/older',
  '/older': '/Case',
  '/moved?x=1': '/q?b=2',
  '/img-moved': '/r/moved.png',
};

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const script = 'document.documentElement.dataset.ran = "yes"; var notALink = "/r/never.png";\n';

/** Files that a browser must have loaded to show the page of all kinds, by the end of their addresses. */
const images =
  'img set picture input inline svg-inner poster attribute element body table sheet imported other moved frame srcdoc'.split(
    ' ',
  );

export interface MirrorSite {
  seed: string;
  origins: string[];
  /** What the browser has to load for `/kinds`, by the name before the extension. */
  kinds: readonly string[];
  /** URLs asked for, in order. */
  log: string[];
  /** Whether there is something at a URL, redirects followed. */
  has(url: string): boolean;
  stop(): Promise<void>;
}

/** A site whose names are hostile and whose pages need everything that a page can need, some of it from another host. */
export async function startMirrorSite(): Promise<MirrorSite> {
  const log: string[] = [];
  const servers: Server[] = [];
  let port = 0;
  const origin = (n: number) => `http://127.0.0.${n + 1}:${port}`;

  /** Its title is its address, and so is the text of every link to it. */
  const page = (path: string, head: string, body: string) =>
    `<!doctype html><html><head><title>${titleOf(path)}</title>${head}</head><body><h1 id="part">x</h1>${body}</body></html>`;
  const link = (href: string, to: string) =>
    `<a href="${href.replaceAll('&', '&amp;')}">${titleOf(to)}</a>\n`;

  function home(): string {
    const own = [...hostilePaths, '/kinds', '/based', '/refresh', '/frames', '/legacy'].map((to) =>
      link(to, to),
    );
    const others = [
      link('/old', '/Case'),
      link('/moved?x=1#part', '/q?b=2'),
      link(`${origin(0)}/case#part`, '/case'),
      link('/case?utm_source=x', '/case'),
      '<a href="/missing">missing</a><a href="mailto:a@b.test">mail</a><a href="#part">here</a>',
    ];
    return page('/', '', [...own, ...others].join(''));
  }

  const kinds = (): string =>
    page(
      '/kinds',
      `<meta http-equiv="Content-Security-Policy" content="default-src ${origin(0)} ${origin(1)} 'unsafe-inline'">
      <link rel="stylesheet" href="/s/main.css" integrity="sha256-${sha256(sheet)}" crossorigin>
      <link rel=stylesheet href=${origin(1)}/s/other.css>
      <link rel="icon" href="/r/icon.png"><link rel="manifest" href="/app.webmanifest">
      <link rel="canonical" href="/kinds"><link rel="preload" as="image" href="/r/img.png">
      <style>p { background: url(/r/element.png) }</style>
      <script src="/s/run.js" integrity="sha256-${sha256(script)}" crossorigin="anonymous"></script>`,
      `<img src="/r/img.png"><img srcset="/r/set.png 1x, /r/set2.png 9x"><img src="/img-moved">
      <picture><source srcset="r/picture.png"><img src="r/img.png"></picture>
      <form action="/search"><input type="image" src="/r/input.png"></form>
      <svg width="9" height="9"><image href="/r/inline.png" width="9" height="9"/></svg>
      <object data="/r/drawing.svg" width="9" height="9"></object>
      <video poster="/r/poster.png" width="9" height="9"></video>
      <div style="background:url('/r/attribute.png')">a</div><p>b</p>
      <table background="/r/table.png"><tr><td>c</td></tr></table>
      <iframe src="/framed"></iframe><iframe srcdoc="<img src='/r/srcdoc.png'>"></iframe>
      ${link('/', '/')}`,
    ).replace('<body>', '<body background="/r/body.png">');

  const sheet = `@import "imported.css"; @font-face { font-family: f; src: url(../r/font.woff2) }
    body { font-family: f } h1 { background: url( '../r/sheet.png' ) } @namespace url(http://www.w3.org/1999/xhtml);`;
  const files: Record<string, [type: string, body: string | Buffer]> = {
    '/s/main.css': ['text/css', sheet],
    '/s/imported.css': ['text/css', 'h1 { border-image: url(/r/imported.png) }'],
    '/s/other.css': ['text/css', 'table { list-style: url(/r/other.png); display: list-item }'],
    '/sheet.css': ['text/css', 'x{}'],
    '/s/run.js': ['text/javascript', script],
    '/app.webmanifest': ['application/manifest+json', '{"icons":[{"src":"/r/app.png"}]}'],
    '/r/font.woff2': ['font/woff2', Buffer.from('wOF2')],
    '/r/drawing.svg': [
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg"><image href="svg-inner.png" width="9" height="9"/></svg>',
    ],
    '/kinds': ['text/html', kinds()],
    '/framed': ['text/html', page('/framed', '', '<img src="/r/frame.png">')],
    '/frames': ['text/html', page('/frames', '', '<iframe src="framed#part"></iframe>')],
    '/based': [
      'text/html',
      page('/based', '<base href="/dir/">', link('file', '/dir/file') + link('../case', '/case')),
    ],
    '/refresh': [
      'text/html',
      page('/refresh', '<meta http-equiv="refresh" content="3600; url=/case">', link('/case', '/case')),
    ],
    '/legacy': [
      'text/html; charset=windows-1251',
      Buffer.from(page('/legacy', '', '<p id="words">\xcf\xf0\xe8\xe2\xe5\xf2</p>'), 'latin1'),
    ],
  };

  function bodyOf(path: string): [type: string, body: string | Buffer] | undefined {
    if (path === '/') return ['text/html', home()];
    if (path === '/kinds') return ['text/html', kinds()];
    if (/^\/r\/[\w-]+\.png$/.test(path) && path !== '/r/never.png') return ['image/png', png];
    return (
      files[path] ?? (hostilePaths.includes(path) ? ['text/html', page(path, '', link('/', '/'))] : undefined)
    );
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    log.push(`http://${request.headers.host}${path}`);
    const to = redirects[path];
    const found = bodyOf(path);
    const cors = { 'access-control-allow-origin': '*' };
    if (to !== undefined) response.writeHead(302, { location: to }).end();
    else if (found) response.writeHead(200, { 'content-type': found[0], ...cors }).end(found[1]);
    else response.writeHead(404, { 'content-type': 'text/html' }).end('none');
  }

  for (const address of ['127.0.0.1', '127.0.0.2']) {
    const server = createServer(answer);
    await new Promise<void>((done, failed) => server.once('error', failed).listen(port, address, done));
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
  }
  const origins = [origin(0), origin(1)];
  return {
    seed: `${origin(0)}/`,
    origins,
    kinds: [...images, 'main', 'imported', 'other', 'run', 'font', 'drawing', 'framed'],
    log,
    has(url) {
      const from = origins.find((one) => url.startsWith(`${one}/`));
      if (from === undefined) return false;
      const path = url.slice(from.length).replace(/#.*$/, '');
      const asked = path.replace(/[?&]utm_source=x$/, '');
      const first = redirects[asked];
      return bodyOf(first === undefined ? asked : (redirects[first] ?? first)) !== undefined;
    },
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

/** An address as a text that needs no escapes and says which it is. */
function titleOf(path: string): string {
  return path.length > 60
    ? `${path.slice(0, 20)}~${sha256(path).replace(/\W/g, '')}`
    : path.replaceAll('&', '+');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
