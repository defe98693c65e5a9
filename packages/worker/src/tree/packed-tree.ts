import { nextTurn } from '../extract/turns.ts';
import { append, isText, newElement, newText, newTree, type Tree, type TreeNode } from './nodes.ts';

/** A node and how deep it stands: a text, or an element with its attributes. */
type Packed =
  | readonly [depth: number, text: string]
  | readonly [depth: number, name: string, Record<string, string>];

/** Some milliseconds' work. */
const nodesInPart = 5_000;

/**
 * A tree as texts that another thread makes the same tree of: its nodes know their neighbours, by which copying it as it is
 * runs out of stack. Everything else has its turn between two parts.
 */
export async function packTree(nodes: readonly TreeNode[]): Promise<string[]> {
  const parts: string[] = [];
  let part: Packed[] = [];
  for (const packed of packedNodes(nodes)) {
    part.push(packed);
    if (part.length < nodesInPart) continue;
    parts.push(JSON.stringify(part));
    part = [];
    await nextTurn();
  }
  return [...parts, JSON.stringify(part)];
}

function* packedNodes(nodes: readonly TreeNode[]): Generator<Packed> {
  const open = [{ nodes, at: 0 }];
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const node = top.nodes[top.at++];
    if (!node) open.pop();
    else if (isText(node)) yield [open.length - 1, node.data];
    else {
      yield [open.length - 1, node.name, node.attribs];
      open.push({ nodes: node.children, at: 0 });
    }
  }
}

export function unpackTree(parts: readonly string[]): Tree {
  const tree = newTree();
  const open: Parameters<typeof append>[0][] = [tree];
  for (const part of parts)
    for (const [depth, name, attribs] of JSON.parse(part) as Packed[]) {
      const node = attribs === undefined ? newText(name) : newElement(name, attribs);
      open.length = depth + 1;
      append(open[depth] as Tree, node);
      if (!isText(node)) open.push(node);
    }
  return tree;
}
