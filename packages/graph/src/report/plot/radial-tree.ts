import { type Html, html } from '../markup/html.ts';
import type { TreeNode } from '../survey/found-tree.ts';
import { at } from './scale.ts';
import { half, svg, tip } from './svg.ts';

const height = 420;
const centre = { x: half / 2, y: height / 2 };

/** A tree grown from the middle: each level on a circle of its own. */
export function radialTree(words: string, roots: readonly TreeNode[]): Html {
  const depth = Math.max(1, ...roots.map(depthOf));
  const ring = (height / 2 - 12) / Math.max(1, roots.length === 1 ? depth - 1 : depth);
  const all: TreeNode = { words: '', tone: 'accent', inner: [...roots] };
  const leaves = leavesOf(all);
  const lines: string[] = [];
  const dots: Html[] = [];
  let leaf = 0;
  const place = (node: TreeNode, level: number): { angle: number; radius: number } => {
    const placed = node.inner.map((child) => place(child, level + 1));
    const angle =
      placed.length > 0
        ? ((placed[0]?.angle ?? 0) + (placed.at(-1)?.angle ?? 0)) / 2
        : (2 * Math.PI * leaf++) / Math.max(1, leaves);
    const radius = roots.length === 1 ? Math.max(0, level - 1) * ring : level * ring;
    for (const child of placed) if (level > 0) lines.push(curve({ angle, radius }, child));
    if (level > 0) dots.push(dot(node, angle, radius, level));
    return { angle, radius };
  };
  place(all, 0);
  return svg(half, height, words, [html`<path class="branch" d="${lines.join('')}"/>`, ...dots.reverse()]);
}

function dot({ words, tone }: TreeNode, angle: number, radius: number, level: number): Html {
  const [x, y] = spot(angle, radius);
  return html`<circle class="${tone}" cx="${at(x)}" cy="${at(y)}" r="${level === 1 ? 6 : level === 2 ? 3.6 : 2.6}">${tip(words)}</circle>`;
}

function spot(angle: number, radius: number): [number, number] {
  return [centre.x + radius * Math.cos(angle), centre.y + radius * Math.sin(angle)];
}

function curve(a: { angle: number; radius: number }, b: { angle: number; radius: number }): string {
  const middle = (a.radius + b.radius) / 2;
  const [from, one, two, to] = [
    spot(a.angle, a.radius),
    spot(a.angle, middle),
    spot(b.angle, middle),
    spot(b.angle, b.radius),
  ];
  return `M${at(from[0])} ${at(from[1])}C${at(one[0])} ${at(one[1])} ${at(two[0])} ${at(two[1])} ${at(to[0])} ${at(to[1])}`;
}

function depthOf(node: TreeNode): number {
  return 1 + Math.max(0, ...node.inner.map(depthOf));
}

function leavesOf(node: TreeNode): number {
  return node.inner.length === 0 ? 1 : node.inner.reduce((sum, child) => sum + leavesOf(child), 0);
}
