import { createBudget } from '../../tree/budget.ts';
import type { Tree, TreeElement } from '../../tree/nodes.ts';
import { readTreeInTurns } from '../../tree/tree.ts';
import { treeOfNodes } from '../../tree/build.ts';
import { childNamed, childrenNamed } from '../../tree/xml.ts';
import { openZip, type Zip } from './zip.ts';
import { bodyNodes } from './blocks.ts';
import { readNumbering } from './numbering.ts';
import { headingStyles } from './styles.ts';

/** Unpacked, of each part: the text of a book has 2 MB. */
const maxPartBytes = 20_000_000;

/** A paragraph has some ten nodes, of which a few become part of the text: 150,000 are a book. */
const maxXmlNodes = 150_000;
/** Of styles, lists and relations. */
const maxSideNodes = 50_000;

/** The text of a Word document: headings, paragraphs, lists, tables, links, bold, italic and struck text. */
export async function docxTree(bytes: Buffer): Promise<Tree> {
  const zip = openZip(bytes, { maxFileBytes: maxPartBytes });
  const main = await mainPart(zip);
  const document = await part(zip, main, maxXmlNodes);
  const body = document && childNamed(childNamed(document, 'w:document'), 'w:body');
  if (!body) throw new Error('the archive has no Word document in it');
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const links = await relationsOf(zip, `${folder}_rels/${main.slice(folder.length)}.rels`);
  const headings = headingStyles(await part(zip, `${folder}styles.xml`, maxSideNodes));
  const numbering = readNumbering(await part(zip, `${folder}numbering.xml`, maxSideNodes));
  const relations = new Map(links.map(({ attribs }) => [attribs['Id'] ?? '', attribs['Target'] ?? '']));
  const tree = treeOfNodes(await bodyNodes(body, { relations, headings, numbering }));
  if (document.cut) tree.cut = document.cut;
  return tree;
}

async function mainPart(zip: Zip): Promise<string> {
  const relations = await relationsOf(zip, '_rels/.rels');
  const main = relations.find(({ attribs }) => attribs['Type']?.endsWith('/officeDocument'));
  return (main?.attribs['Target'] ?? 'word/document.xml').replace(/^\//, '');
}

async function relationsOf(zip: Zip, name: string): Promise<TreeElement[]> {
  const root = childNamed(await part(zip, name, maxSideNodes), 'Relationships');
  return root ? childrenNamed(root, 'Relationship') : [];
}

async function part(zip: Zip, name: string, nodes: number): Promise<Tree | undefined> {
  const bytes = await zip.read(name);
  const text = bytes?.toString('utf8').replace(/^\uFEFF/, '');
  return text === undefined
    ? undefined
    : await readTreeInTurns(text, { xml: true, budget: createBudget(nodes) });
}
