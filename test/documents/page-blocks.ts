import { createHash } from 'node:crypto';
import { parseDocument } from 'htmlparser2';

type Node = ReturnType<typeof parseDocument>['children'][number];

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const blockNames = words(
  'address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption ' +
    'figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section summary ' +
    'table tbody td tfoot th thead tr ul',
);
const unseenNames = words(
  'script style noscript template svg select textarea title head iframe object canvas audio video',
);

export interface PageBlock {
  /** One run of text between two places where a line ends. */
  text: string;
  /** What it stands in, from the outside: names, ids and classes. For people who judge. */
  path: string;
}

/** The lines that a page shows, by another parser than ours. */
export function pageBlocks(html: string): PageBlock[] {
  const blocks: PageBlock[] = [];
  let text = '';
  const end = (path: string) => {
    const shown = text.replace(/\s+/g, ' ').trim();
    if (normal(shown) !== '') blocks.push({ text: shown, path });
    text = '';
  };
  const read = (nodes: readonly Node[], path: string): void => {
    for (const node of nodes) {
      if (node.type === 'text') text += node.data;
      if (!('attribs' in node) || unseenNames.has(node.name) || isHidden(node.attribs)) continue;
      const isBlock = blockNames.has(node.name);
      if (isBlock) end(path);
      const { id, class: names } = node.attribs;
      const own = `${node.name}${id ? `#${id}` : ''}${names ? `.${names.split(/\s+/).slice(0, 2).join('.')}` : ''}`;
      const inner = isBlock ? `${path}>${own}` : path;
      read(node.children, inner);
      if (isBlock) end(inner);
    }
  };
  read(parseDocument(html).children, '');
  end('');
  return blocks;
}

const isHidden = (attribs: Record<string, string>): boolean =>
  ('hidden' in attribs && attribs['hidden'] !== 'until-found') ||
  /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attribs['style'] ?? '');

/** What is compared: letters and digits only, as signs and spaces are written in different ways. */
export const normal = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Short: within one page so many blocks do not meet by chance. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(normal(text)).digest('hex').slice(0, 6);
