import { isElement, isText, type TreeNode } from '../tree/tree.ts';
import { inlineTags, silentTags } from './tags.ts';

/** The text of nodes in reading order, a line for each block. */
export function textOf(nodes: readonly TreeNode[]): string {
  const lines: string[] = [];
  let line = '';
  const endLine = () => {
    const clean = line.replaceAll(/\s+/g, ' ').trim();
    if (clean) lines.push(clean);
    line = '';
  };
  const stack: (TreeNode | 'end of a block')[] = nodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === 'end of a block') endLine();
    else if (isText(node)) line += node.data;
    else if (isElement(node) && !silentTags.has(node.name)) {
      if (!inlineTags.has(node.name)) {
        endLine();
        stack.push('end of a block');
      }
      for (let at = node.children.length - 1; at >= 0; at--) stack.push(node.children[at] as TreeNode);
    }
  }
  endLine();
  return lines.join('\n');
}
