import type { TruePage } from './pages.ts';

/** Where the hosts of the web are: `cdn` serves scripts to all sites, `tracker` counts, `consent` asks. */
export interface Elsewhere {
  cdn: string;
  tracker: string;
  consent: string;
}

const filler = 'It was measured twice, written down once, and left to those who came after. '.repeat(4);
const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join('\n');
const anchors = (links: readonly string[]) =>
  links.map((link) => `<a href="${link}">on to ${link}</a>`).join('\n');

/** A page as its server sends it. */
export function htmlOf(page: TruePage, elsewhere: Elsewhere): string {
  const title = `${page.kind} ${page.number} of site ${page.site}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<link rel="icon" href="data:,"></head><body>${bodyOf(page, elsewhere)}<footer><a href="/">home</a></footer></body></html>`;
}

function bodyOf({ kind, number, links, texts }: TruePage, { cdn, tracker, consent }: Elsewhere): string {
  const whole = `<h1>Plot ${number}</h1>${paragraphs(texts)}<nav>${anchors(links)}</nav>`;
  const lib = `<script src="${cdn}/lib.js"></script>`;
  const own = (name: string) => `<script src="/static/${name}.js" defer></script>`;
  switch (kind) {
    case 'plain':
    case 'framed':
      return `<main>${whole}</main>`;
    case 'article':
      return `<main>${whole}<p>${filler}</p>${images(number)}</main><script>window.dataLayer = window.dataLayer || [];
function gtag() { dataLayer.push(arguments); } gtag('config', 'G-${number}', { page: ${JSON.stringify(texts[0])} });</script>
<script src="${tracker}/t.js" async></script>`;
    case 'product':
      return `<main>${whole}<b>${number % 90} EUR</b><button>Buy</button></main>
<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', name: `Plot ${number}`, sku: `${number}` })}</script>
${lib}${own('cart')}`;
    case 'menu':
      return `<div class="menu"><button>Menu</button></div><main>${whole}<p>${filler}</p></main>${lib}${own('menu')}`;
    case 'consent':
      return `<main>${whole}<p>${filler}</p></main><script src="${consent}/banner.js" async></script>`;
    case 'router':
      return `<div id="root"></div>${lib}<script>window.view = ${number};</script>${own('app')}`;
    case 'api':
      return `<main><h1>Catalog</h1><p>${filler}</p><div id="list"></div></main>
<script>window.view = ${number};</script>${own('catalog')}`;
    case 'shadow':
      return `<main><h1>Cards</h1><x-card number="${number}"></x-card></main>${own('cards')}`;
    case 'frame':
      return `<main><h1>Embedded</h1><div id="place" data-number="${number}"></div></main>${own('embed')}`;
    case 'gallery':
      return `<main><h1>Pictures</h1><div id="pictures" data-number="${number}"></div></main>${lib}${own('gallery')}`;
    case 'scroll':
      return `<main><h1>Latest</h1><div id="items" data-number="${number}"></div><i id="end">&nbsp;</i></main>${own('stream')}`;
    case 'later':
      return `<main><h1>Ticker</h1><p id="now" data-number="${number}">Loading, please wait a moment.</p></main>${own('ticker')}`;
  }
}

/** More than a browser asks one host for at once. */
function images(number: number): string {
  return Array.from(
    { length: 8 },
    (_, n) => `<img src="/img/${number}-${n}.svg" width="9" height="9" alt="">`,
  ).join('');
}

const draw = `const draw = (into, { texts, links }) => {
  for (const text of texts) into.append(Object.assign(document.createElement('p'), { textContent: text }));
  for (const link of links)
    into.append(Object.assign(document.createElement('a'), { href: link, textContent: 'on to ' + link }), ' ');
};
const load = async (path) => (await fetch(path)).json();
`;

/** Scripts of every site, by name. */
export const ownScripts: Readonly<Record<string, string>> = {
  cart: `document.querySelector('button').addEventListener('click', () => fetch('/api/cart', { method: 'POST' }));`,
  menu: `document.querySelector('.menu').classList.add('ready');`,
  app: `${draw}load('/api/page/' + window.view).then((page) => {
    history.replaceState({ view: window.view }, '');
    const root = document.getElementById('root');
    root.append(Object.assign(document.createElement('h1'), { textContent: 'Plot ' + window.view }));
    draw(root, page);
  });`,
  catalog: `${draw}load('/api/page/' + window.view).then((page) => draw(document.getElementById('list'), page));`,
  cards: `${draw}customElements.define('x-card', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: 'open' });
      load('/api/page/' + this.getAttribute('number')).then((page) => draw(root, page));
    }
  });`,
  embed: `${draw}const place = document.getElementById('place');
  load('/api/page/' + place.dataset.number).then(({ texts, links }) => {
    draw(place, { texts, links: [] });
    for (const link of links) place.append(Object.assign(document.createElement('iframe'), { src: link }));
  });`,
  gallery: `${draw}const pictures = document.getElementById('pictures');
  load('/api/page/' + pictures.dataset.number).then(({ texts, links }) => {
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        const image = Object.assign(new Image(9, 9), { src: '/img/' + pictures.dataset.number + '-9.svg' });
        target.append(image);
        draw(target, { texts: [target.dataset.text].filter(Boolean), links: [target.dataset.link].filter(Boolean) });
      }
    });
    for (let n = 0; n < Math.max(texts.length, links.length); n++) {
      const figure = document.createElement('figure');
      Object.assign(figure.dataset, { text: texts[n] ?? '', link: links[n] ?? '' });
      figure.style.minHeight = '9px';
      pictures.append(figure);
      seen.observe(figure);
    }
  });`,
  stream: `${draw}const items = document.getElementById('items');
  let from = 0;
  const more = new IntersectionObserver(async (entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    more.disconnect();
    const page = await load('/api/list/' + items.dataset.number + '?from=' + from);
    from += 1;
    draw(items, page);
    if (page.more) more.observe(document.getElementById('end'));
  });
  more.observe(document.getElementById('end'));`,
  ticker: `${draw}const now = document.getElementById('now');
  load('/api/slow/' + now.dataset.number).then((page) => {
    now.textContent = '';
    draw(document.querySelector('main'), page);
  });`,
};

/** What other hosts serve. */
export function scriptsElsewhere(tracker: string): Readonly<Record<keyof Elsewhere, Record<string, string>>> {
  return {
    cdn: { '/lib.js': 'window.lib = { version: 3 };' },
    tracker: {
      '/t.js': `new Image().src = '${tracker}/pixel.svg?of=' + encodeURIComponent(location.pathname);
fetch('${tracker}/collect/', { method: 'POST', mode: 'no-cors', body: 'seen' }).catch(() => 0);
fetch('/api/seen', { method: 'PUT' }).catch(() => 0);`,
    },
    consent: {
      '/banner.js': `const banner = document.createElement('div');
banner.innerHTML = '<p>We and our partners keep cookies on your device to measure what you read, to choose what you are shown,'
  + ' and to remember what you agreed to. You can change your mind at any time.</p><a href="/privacy">Privacy</a>';
document.body.append(banner);`,
    },
  };
}
