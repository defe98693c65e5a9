import type { Tree, TreeElement } from '../../tree/nodes.ts';
import { readTree } from '../../tree/tree.ts';
import { treeOfNodes } from '../../tree/build.ts';
import { childNamed, childrenNamed } from '../../tree/xml.ts';
import { openZip, type Zip } from './zip.ts';
import { blockNodes } from './blocks.ts';
import { readNumbering } from './numbering.ts';
import { headingStyles } from './styles.ts';

/** Unpacked, of each part: the text of a book has 2 MB. */
const maxPartBytes = 20_000_000;

/** The text of a Word document: headings, paragraphs, lists, tables, links, bold, italic and struck text. */
export async function docxTree(bytes: Buffer): Promise<Tree> {
  const zip = openZip(bytes, { maxFileBytes: maxPartBytes });
  const main = await mainPart(zip);
  const document = await part(zip, main);
  const body = document && childNamed(childNamed(document, 'w:document'), 'w:body');
  if (!body) throw new Error('the archive has no Word document in it');
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const links = await relationsOf(zip, `${folder}_rels/${main.slice(folder.length)}.rels`);
  return treeOfNodes(
    blockNodes(body, {
      relations: new Map(links.map(({ attribs }) => [attribs['Id'] ?? '', attribs['Target'] ?? ''])),
      headings: headingStyles(await part(zip, `${folder}styles.xml`)),
      numbering: readNumbering(await part(zip, `${folder}numbering.xml`)),
    }),
  );
}

async function mainPart(zip: Zip): Promise<string> {
  const relations = await relationsOf(zip, '_rels/.rels');
  const main = relations.find(({ attribs }) => attribs['Type']?.endsWith('/officeDocument'));
  return (main?.attribs['Target'] ?? 'word/document.xml').replace(/^\//, '');
}

async function relationsOf(zip: Zip, name: string): Promise<TreeElement[]> {
  const root = childNamed(await part(zip, name), 'Relationships');
  return root ? childrenNamed(root, 'Relationship') : [];
}

async function part(zip: Zip, name: string): Promise<Tree | undefined> {
  const bytes = await zip.read(name);
  return bytes && readTree(bytes.toString('utf8').replace(/^\uFEFF/, ''), { xml: true });
}
