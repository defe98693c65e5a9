import { docxOf, zipOf } from '../../../packages/worker/src/documents/documents.fixture.ts';
import { type Bomb, elements, filled, maker, numbered, text } from '../bomb.ts';

const document = maker(
  'word',
  'text',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
);

const most = 19_000_000;
const bodies: Record<string, () => string> = {
  elements: () => filled('<w:p/>', most),
  runs: () => filled('<w:p><w:r><w:t>a</w:t></w:r></w:p>', most),
  'runs-of-one': () => `<w:p>${filled('<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>', most)}`,
  tables: () => filled('<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>', most),
  'one-table': () => `<w:tbl>${filled('<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>', most)}`,
  'tables-in-tables': () => filled('<w:tbl><w:tr><w:tc>', most),
  controls: () => filled('<w:sdt>', most),
  changes: () => filled('<w:ins><w:p><w:r><w:t>a', most),
  links: () => `<w:p>${filled('<w:hyperlink r:id="link1"><w:r><w:t>a</w:t></w:r></w:hyperlink>', most)}`,
  'list-levels': () =>
    numbered(
      40_000,
      (at) =>
        `<w:p><w:pPr><w:numPr><w:ilvl w:val="${(at * 7_919) % 2_000_000_000}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`,
    ),
};

const main = '<w:document><w:body><w:p><w:r><w:t>a</w:t></w:r></w:p></w:body></w:document>';
const withPart = (name: string, content: string) => () =>
  zipOf([
    { name: 'word/document.xml', content: main },
    { name, content },
  ]);

export const wordBombs: readonly Bomb[] = [
  ...Object.entries(bodies).map(([name, body]) => document(name, () => docxOf(body()), { says: elements })),
  document('one-text', () => docxOf(`<w:p><w:r><w:t>${filled('a', most)}`), { says: text }),
  document('attributes', () => docxOf(`<w:p ${numbered(900_000, (at) => `a${at}="" `)}/>`)),
  document('spans', () =>
    docxOf(
      `<w:tbl>${filled('<w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>', 200_000)}</w:tbl>`,
    ),
  ),
  document('entities', () =>
    zipOf([
      {
        name: 'word/document.xml',
        content: `<!DOCTYPE x [${numbered(20, (at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(20)}">`)}]>${main.replace('>a<', '>&e20;<')}`,
      },
    ]),
  ),
  document(
    'lists',
    withPart(
      'word/numbering.xml',
      `<w:numbering><w:abstractNum w:abstractNumId="0">${'<w:lvl/>'.repeat(20_000)}</w:abstractNum>${'<w:num><w:abstractNumId w:val="0"/></w:num>'.repeat(10_000)}</w:numbering>`,
    ),
  ),
  document(
    'styles',
    withPart(
      'word/styles.xml',
      `<w:styles>${numbered(16_000, (at) => `<w:style w:styleId="s${at}"><w:basedOn w:val="s${at + 1}"/></w:style>`)}</w:styles>`,
    ),
  ),
  document(
    'relations',
    withPart(
      'word/_rels/document.xml.rels',
      `<Relationships>${numbered(60_000, (at) => `<Relationship Id="r${at}" Target="http://a.test/${at}"/>`)}</Relationships>`,
    ),
  ),
  document('too-large', () => docxOf(filled('<w:p/>', 30_000_000))),
  document('files', () =>
    zipOf([
      ...Array.from({ length: 60_000 }, (_, at) => ({ name: `f${at}`, content: '', stored: true })),
      { name: 'word/document.xml', content: main },
    ]),
  ),
];
