import { describe, expect, test } from 'vitest';
import { toMarkdown } from '../../markdown/to-markdown.ts';
import { docxOf, zipOf } from '../documents.fixture.ts';
import { docxTree } from './docx.ts';

const markdownOf = async (body: string) =>
  toMarkdown((await docxTree(docxOf(body))).children, { base: 'https://a.example/' });

const run = (text: string, marks = '') =>
  `<w:r><w:rPr>${marks}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (text: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`;
const styled = (text: string, style: string) => paragraph(text, `<w:pStyle w:val="${style}"/>`);
const item = (text: string, list: number, level: number) =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`);
const row = (...cells: string[]) =>
  `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`;

describe('a Word document', () => {
  test('has headings by style, by what a style is based on, and by outline level', async () => {
    const body = [
      styled('Title', 'Titel'),
      styled('One', 'Heading1'),
      styled('Two', 'Own'),
      paragraph('Three', '<w:outlineLvl w:val="2"/>'),
      styled('Text', 'Normal'),
    ];
    expect(await markdownOf(body.join(''))).toBe('# Title\n\n# One\n\n## Two\n\n### Three\n\nText');
  });

  test('has marks and links, and not what was deleted or hidden', async () => {
    const link = `<w:hyperlink r:id="link1">${run('a link', '<w:b/>')}</w:hyperlink>`;
    const tracked = `<w:ins>${run(' added')}</w:ins><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>`;
    expect(
      await markdownOf(
        `<w:p>${run('See ')}${link}${tracked}${run(' not', '<w:i w:val="false"/>')}${run('hidden', '<w:vanish/>')}${run(' so', '<w:i/>')}<w:r><w:br/><w:t>below</w:t></w:r></w:p>`,
      ),
    ).toBe('See [**a link**](https://b.example/?a=1&b=2) added not _so_\\\nbelow');
  });

  test('has what is set high or low', async () => {
    const set = (text: string, how: string) => run(text, `<w:vertAlign w:val="${how}"/>`);
    const text = `${run('E = mc')}${set('2', 'superscript')}${run(', H')}${set('2', 'subscript')}${set('O', 'baseline')}`;
    expect(await markdownOf(`<w:p>${text}</w:p>`)).toBe('E = mc<sup>2</sup>, H<sub>2</sub>O');
  });

  test('has lists within lists', async () => {
    const items = [item('a', 1, 0), item('b', 2, 1), item('c', 2, 1), item('d', 1, 0)];
    expect(await markdownOf(`${items.join('')}${paragraph('After')}${item('e', 2, 0)}`)).toBe(
      '- a\n  1. b\n  2. c\n- d\n\nAfter\n\n1. e',
    );
  });

  test('has tables', async () => {
    const look = '<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>';
    expect(await markdownOf(`<w:tbl>${look}${row('N', 'M')}${row('1', '2 | 3')}</w:tbl>`)).toBe(
      '| N | M |\n| --- | --- |\n| 1 | 2 \\| 3 |',
    );
  });

  test('nested without end is read in bounded time', { timeout: 60_000 }, async () => {
    const depth = 50_000;
    const deep = `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}${paragraph('deep')}${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`;
    await expect(markdownOf(`${paragraph('before')}${deep}`)).resolves.toContain('before');
  });

  test('of more elements than are worked on is cut, and says so', async () => {
    const { cut, children } = await docxTree(docxOf(paragraph('a').repeat(40_000)));
    expect(cut).toBe('elements');
    expect(children.length).toBeGreaterThan(10_000);
    expect((await docxTree(docxOf(paragraph('a')))).cut).toBeUndefined();
  });

  test('of many lists with many levels is read in time that grows with their number', {
    timeout: 20_000,
  }, async () => {
    const levels = '<w:lvl w:ilvl="1"/>'.repeat(15_000);
    const lists = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'.repeat(15_000);
    const numbering = `<w:numbering><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${lists}</w:numbering>`;
    const document = `<w:document><w:body>${paragraph('text')}</w:body></w:document>`;
    const tree = await docxTree(
      zipOf([
        { name: 'word/document.xml', content: document },
        { name: 'word/numbering.xml', content: numbering },
      ]),
    );
    expect(tree.children).toHaveLength(1);
  });

  test('that is none is refused', async () => {
    await expect(docxTree(zipOf([{ name: 'a', content: 'b' }]))).rejects.toThrow('no Word document in it');
    await expect(docxTree(Buffer.from('PK'))).rejects.toThrow('no zip archive');
    const bomb = zipOf([{ name: 'word/document.xml', content: Buffer.alloc(30_000_000, ' ') }]);
    await expect(docxTree(bomb)).rejects.toThrow('word/document.xml is larger than 20000000 bytes');
  });
});
