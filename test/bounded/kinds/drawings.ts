import { answerOf, type Bomb, filled, maker, numbered } from '../bomb.ts';

const drawing = maker('drawings', 'parts', 'image/svg+xml');
const sheet = maker('drawings', 'parts', 'text/css');
/** A page that has one, which is fetched as what the page is shown with. */
const manifest = (name: string, body: () => string): Bomb =>
  maker('drawings', 'parts')(name, () => `<link rel=manifest href="/drawings-${name}.json">`, {
    files: { [`/drawings-${name}.json`]: answerOf('application/manifest+json', body) },
  });
const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`;

/** What pages are shown with: SVG, style sheets, manifests. */
export const drawingBombs: readonly Bomb[] = [
  drawing('groups', () => svg(filled('<g>'))),
  drawing('uses', () => svg(filled('<use href="#a"/>'))),
  drawing('pictures', () => svg(numbered(250_000, (at) => `<image href="/${at}"/>`))),
  drawing(
    'entities',
    () =>
      `<!DOCTYPE svg [${numbered(20, (at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(20)}">`)}]>${svg('<text>&e20;</text>')}`,
  ),
  drawing('styles', () => svg(filled('<style>@import "a";</style>', 5_000_000))),
  drawing('style-attributes', () => svg(filled('<g style="fill:url(a)"/>', 5_000_000))),
  drawing('pages-within', () => svg(filled('<foreignObject><p><svg>', 4_000_000))),
  drawing('sections', () => svg(`<text><![CDATA[${filled(']]')}`)),
  sheet('escapes', () => `a{background:url("${filled('\\61 ', 8_000_000)}")}`),
  sheet('blocks', () => filled('a{')),
  sheet('comments', () => filled('/*')),
  sheet('imports', () => filled('@import url(a);', 5_000_000)),
  sheet('addresses', () => numbered(300_000, (at) => `a{b:url(${at})}`)),
  sheet('sets', () => `a{b:image-set(${filled('"a" 1x,', 5_000_000)})}`),
  sheet('strings-without-end', () => filled(`a{b:"`, 5_000_000)),
  manifest('icons', () => `{"icons":[${filled('{"src":"a"},').slice(0, -1)}]}`),
  manifest('nested', () => `${'['.repeat(60_000)}${']'.repeat(60_000)}`),
];
