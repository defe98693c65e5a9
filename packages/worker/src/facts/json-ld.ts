import { parseLenient } from './lenient-json.ts';

/** An object of JSON-LD. Values are as the page wrote them: URLs are not resolved, references not followed. */
export interface JsonLdNode {
  /** What it is: `Product`. */
  readonly '@type'?: string | readonly string[];
  /** What other objects refer to it by. */
  readonly '@id'?: string;
  /** All else that the page says of it. */
  readonly [property: string]: unknown;
}

/** Characters of JSON that are read on one page; scripts beyond are left out. */
export const maxJsonChars = 1_000_000;
/** What is nested deeper becomes null. */
const maxDepth = 100;
const maxNodes = 10_000;

/**
 * The objects of a page's JSON-LD scripts, in order: lists are opened, and the nodes of a `@graph` stand in place of the
 * object that holds it. A script that cannot be repaired is left out. Never throws.
 */
export function readJsonLd(scripts: readonly string[]): JsonLdNode[] {
  const nodes: JsonLdNode[] = [];
  let chars = 0;
  for (const script of scripts) {
    chars += script.length;
    if (chars > maxJsonChars) break;
    const value = parseLenient(script);
    tame(value);
    addNodes(nodes, value);
  }
  return nodes;
}

function addNodes(nodes: JsonLdNode[], value: unknown): void {
  const waiting = [value];
  while (waiting.length > 0 && nodes.length < maxNodes) {
    const next = waiting.pop();
    if (Array.isArray(next)) for (const each of next.toReversed()) waiting.push(each);
    if (!isObject(next)) continue;
    const { '@graph': graph, ...rest } = next;
    if (graph === undefined) nodes.push(next);
    else {
      // A graph with properties of its own is a node as well.
      if (Object.keys(rest).some((key) => key !== '@context' && key !== '@id')) nodes.push(rest);
      waiting.push(graph);
    }
  }
}

/** Takes out what would harm code that copies objects: keys named `__proto__`, and nesting without end. */
function tame(root: unknown): void {
  let level = [root].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    const below: Record<string, unknown>[] = [];
    for (const container of level) {
      if (Object.hasOwn(container, '__proto__')) delete container['__proto__'];
      for (const key of Object.keys(container)) {
        const value = container[key];
        if (!isContainer(value)) continue;
        if (depth >= maxDepth) container[key] = null;
        else below.push(value);
      }
    }
    level = below;
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}
