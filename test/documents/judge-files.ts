import type { Url } from '@webfarer/protocol';
import { docxOf, type PdfLine, pdfOf } from '../../packages/worker/src/documents/documents.fixture.ts';
import { readDocument } from '../../packages/worker/src/documents/document-tree.ts';
import { toMarkdown } from '../../packages/worker/src/markdown/to-markdown.ts';
import { openAccount } from '../../packages/worker/src/shares/account.ts';
import { judgeOne, type MadeCounts } from './judge-made.ts';
import { documentation, Maker } from './made-blocks.ts';

interface MadeFile {
  mime: string;
  body: Buffer;
}

const admonition = (kind: string, text: string) => `<div class="admonition ${kind}"><p>${text}</p></div>`;
const escaped = (html: string) =>
  html.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Files that are no pages, each with blocks it must be found to have. Nothing in them is boilerplate. */
const files: Record<string, (make: Maker) => MadeFile> = {
  rss(make) {
    const item = () =>
      `<item><title>${make.label()}</title><link>/x</link><description>${escaped(documentation(make, admonition))}</description></item>`;
    return {
      mime: 'application/rss+xml',
      body: Buffer.from(
        `<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>${make.times(3, item)}</channel></rss>`,
      ),
    };
  },
  atom(make) {
    const entry = () =>
      `<entry><title>T</title><id>x</id><content type="html">${escaped(make.richParagraph() + make.code() + make.table(2))}</content></entry>`;
    return {
      mime: 'application/atom+xml',
      body: Buffer.from(
        `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title>${make.times(4, entry)}</feed>`,
      ),
    };
  },
  'json feed'(make) {
    const items = Array.from({ length: 3 }, (_, at) => ({
      id: String(at),
      content_html: `${make.richParagraph()}<ul>${make.items(3)}</ul>${make.code()}`,
    }));
    const feed = { version: 'https://jsonfeed.org/version/1.1', title: 'F', items };
    return { mime: 'application/feed+json', body: Buffer.from(JSON.stringify(feed)) };
  },
  docx: (make) => ({
    mime: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    body: docxOf(make.times(4, () => wordPart(make))),
  }),
  pdf: (make) => ({ mime: 'application/pdf', body: pdfOf([pdfPage(make), pdfPage(make)]) }),
};

export async function judgeFiles(
  seeds: readonly number[],
  log: (line: string) => void,
): Promise<Record<string, MadeCounts>> {
  const found: Record<string, MadeCounts> = {};
  for (const [name, made] of Object.entries(files)) {
    const counts: MadeCounts = { pages: 0, blocks: 0, lost: 0, otherKind: 0, boilerplate: 0 };
    for (const seed of seeds) {
      const make = new Maker(seed);
      const markdown = await markdownOf(made(make));
      judgeOne(make, markdown, counts, (line) => log(`${name}, seed ${seed}: ${line}`));
    }
    found[name] = counts;
  }
  return found;
}

async function markdownOf({ mime, body }: MadeFile): Promise<string> {
  const url = 'https://made.example/file' as Url;
  const { tree } = await readDocument({
    url,
    account: openAccount(),
    mime,
    body: () => body,
    source: () => body.toString(),
    tree() {
      throw new Error('this is no page');
    },
  });
  return toMarkdown(tree.children, { base: url });
}

/** The text of what HTML the maker wrote, as these files have no tags. */
const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ')
    .trim();

function wordPart(make: Maker): string {
  const run = (text: string, properties = '') =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const paragraph = (text: string, style = '') => `<w:p><w:pPr>${style}</w:pPr>${run(plain(text))}</w:p>`;
  const cells = (html: string) => html.split('</td>').slice(0, 2);
  return [
    paragraph(make.heading(1), '<w:pStyle w:val="Heading1"/>'),
    paragraph(make.heading(2), '<w:pStyle w:val="Own"/>'),
    paragraph(make.text()),
    ...[0, 1].map(() =>
      paragraph(make.items(1), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
    ),
    `<w:tbl>${[0, 1]
      .map(
        () =>
          `<w:tr>${cells(make.rows(1, 2))
            .map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`)
            .join('')}</w:tr>`,
      )
      .join('')}</w:tbl>`,
  ].join('');
}

function pdfPage(make: Maker): PdfLine[] {
  const line = (text: string, y: number, size = 11): PdfLine => ({ text: plain(text), y, size, x: 72 });
  return [
    line(make.heading(1), 720, 24),
    line(make.text(1), 680),
    line(make.text(1), 640),
    line(make.heading(2), 600, 16),
    line(make.text(1), 570),
  ];
}
