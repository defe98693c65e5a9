/** One way in which a page, a header, a sitemap or a robots.txt leads elsewhere. */
export interface Form {
  name: string;
  /** What the host answers; `to` is the target as text. Status 200 and HTML unless told otherwise. */
  answer: (to: string) => Reply;
  /** Asked for where: a page by a link to it, or the host's robots.txt or sitemap. */
  at: 'page' | 'robots' | 'sitemap';
  /** The crawl goes there when nothing forbids it, so the control must see it. */
  followed: boolean;
}

export interface Reply {
  status?: number;
  headers?: [string, string][];
  body?: string;
}

const html = (body: string): Reply => ({ headers: [['Content-Type', 'text/html; charset=utf-8']], body });
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const xml = (body: string): Reply => ({
  headers: [['Content-Type', 'application/xml']],
  body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
});
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

const page = (name: string, answer: Form['answer'], followed = true): Form => ({
  name,
  answer,
  at: 'page',
  followed,
});
const tag = (name: string, make: (to: string) => string, followed = true): Form =>
  page(name, (to) => html(`<!doctype html><title>${name}</title>${make(escaped(to))}`), followed);
const redirect = (status: number): Form =>
  page(`status-${status}`, (to) => ({ status, headers: [['Location', headerText(to)]] }));

/** Header values travel as bytes; what is outside Latin-1 is sent as UTF-8. */
export const headerText = (to: string): string =>
  Buffer.from(to.replaceAll(/[\n\r\0]/g, ''), 'utf8').toString('latin1');
const afterScheme = (to: string): string => to.slice(to.indexOf('//'));

export const forms: readonly Form[] = [
  ...[301, 302, 303, 307, 308].map(redirect),
  page('location-no-scheme', (to) => ({ status: 302, headers: [['Location', headerText(afterScheme(to))]] })),
  page('location-backslashes', (to) => ({
    status: 302,
    headers: [['Location', headerText(afterScheme(to).replace('//', '\\\\'))]],
  })),
  page('location-slash-backslash', (to) => ({
    status: 302,
    headers: [['Location', headerText(afterScheme(to).replace('//', '/\\'))]],
  })),
  page('location-twice', (to) => ({
    status: 302,
    headers: [
      ['Location', headerText(to)],
      ['Location', '/harmless'],
    ],
  })),
  page('location-with-200', (to) => ({ status: 200, headers: [['Location', headerText(to)]] }), false),
  page('location-with-201', (to) => ({ status: 201, headers: [['Location', headerText(to)]] }), false),
  page('location-with-300', (to) => ({ status: 300, headers: [['Location', headerText(to)]] }), false),
  page('location-with-305', (to) => ({ status: 305, headers: [['Location', headerText(to)]] }), false),
  page(
    'content-location',
    (to) => ({ ...html('x'), headers: [['Content-Location', headerText(to)]] }),
    false,
  ),
  page(
    'refresh-header',
    (to) => ({
      ...html('x'),
      headers: [
        ['Content-Type', 'text/html'],
        ['Refresh', `0; url=${headerText(to)}`],
      ],
    }),
    false,
  ),
  page('link-header-next', (to) => ({
    ...html('x'),
    headers: [
      ['Content-Type', 'text/html'],
      ['Link', `<${headerText(to)}>; rel=next`],
    ],
  })),
  page('link-header-preload', (to) => ({
    ...html('x'),
    headers: [
      ['Content-Type', 'text/html'],
      ['Link', `<${headerText(to)}>; rel=preload; as=style`],
    ],
  })),
  page('link-header-canonical', (to) => ({
    ...html('x'),
    headers: [
      ['Content-Type', 'text/html'],
      ['Link', `<${headerText(to)}>; rel=canonical`],
    ],
  })),
  tag('anchor', (to) => `<a href="${to}">a</a>`),
  tag('area', (to) => `<map><area href="${to}"></map>`),
  tag('base', (to) => `<base href="${to}"><a href="">b</a>`),
  tag('base-relative', (to) => `<base href="${to}"><a href="?r=1">b</a>`),
  tag('meta-refresh', (to) => `<meta http-equiv="refresh" content="0;url=${to}">`),
  tag('canonical', (to) => `<link rel="canonical" href="${to}">`),
  tag('alternate', (to) => `<link rel="alternate" hreflang="de" href="${to}">`),
  tag('next', (to) => `<link rel="next" href="${to}">`),
  tag('iframe', (to) => `<iframe src="${to}"></iframe>`),
  tag('frame', (to) => `<frameset><frame src="${to}"></frameset>`),
  tag('image', (to) => `<img src="${to}" srcset="${to} 2x">`),
  tag('script', (to) => `<script src="${to}"></script>`),
  tag('style-sheet', (to) => `<link rel="stylesheet" href="${to}">`),
  tag('icon', (to) => `<link rel="icon" href="${to}">`),
  tag('style', (to) => `<style>@import "${to}"; a { background: url("${to}") }</style>`, false),
  tag('object', (to) => `<object data="${to}"></object><embed src="${to}">`),
  tag('form', (to) => `<form action="${to}"><button formaction="${to}">f</button></form>`, false),
  tag('ping', (to) => `<a href="/harmless" ping="${to}">p</a>`, false),
  tag('svg', (to) => `<svg><a xlink:href="${to}"></a><image href="${to}"/><use href="${to}"/></svg>`),
  tag('manifest', (to) => `<link rel="manifest" href="${to}"><link rel="preload" href="${to}" as="font">`),
  tag('warm-up', (to) => `<link rel="preconnect" href="${to}"><link rel="dns-prefetch" href="${to}">`, false),
  page('external-entity', (to) => xml(`<!DOCTYPE a [<!ENTITY e SYSTEM "${escaped(to)}">]><a>&e;</a>`), false),
  page('style-instruction', (to) => xml(`<?xml-stylesheet href="${escaped(to)}"?><a/>`), false),
  {
    name: 'robots-redirect',
    at: 'robots',
    followed: true,
    answer: (to) => ({ status: 302, headers: [['Location', headerText(to)]] }),
  },
  {
    name: 'robots-sitemap',
    at: 'robots',
    followed: true,
    answer: (to) => ({ body: `User-agent: *\nDisallow:\nSitemap: ${to.replaceAll(/[\n\r]/g, '')}\n` }),
  },
  {
    name: 'sitemap-redirect',
    at: 'sitemap',
    followed: true,
    answer: (to) => ({ status: 301, headers: [['Location', headerText(to)]] }),
  },
  {
    name: 'sitemap-loc',
    at: 'sitemap',
    followed: true,
    answer: (to) => xml(`<urlset ${namespace}><url><loc>${escaped(to)}</loc></url></urlset>`),
  },
  {
    name: 'sitemap-index',
    at: 'sitemap',
    followed: true,
    answer: (to) =>
      xml(`<sitemapindex ${namespace}><sitemap><loc>${escaped(to)}</loc></sitemap></sitemapindex>`),
  },
  {
    name: 'sitemap-text',
    at: 'sitemap',
    followed: true,
    answer: (to) => ({
      headers: [['Content-Type', 'text/plain']],
      body: `${to.replaceAll(/[\n\r]/g, '')}\n`,
    }),
  },
  {
    name: 'sitemap-feed',
    at: 'sitemap',
    followed: true,
    answer: (to) =>
      xml(`<rss version="2.0"><channel><item><link>${escaped(to)}</link></item></channel></rss>`),
  },
  {
    name: 'sitemap-entity',
    at: 'sitemap',
    followed: false,
    answer: (to) =>
      xml(
        `<!DOCTYPE urlset [<!ENTITY e SYSTEM "${escaped(to)}">]><urlset ${namespace}><url><loc>&e;</loc></url></urlset>`,
      ),
  },
];
