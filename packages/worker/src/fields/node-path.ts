import type { JsonLdNode } from '../facts/json-ld.ts';
import type { MicrodataItem, MicrodataValue } from '../facts/microdata.ts';

type Node = Readonly<Record<string, unknown>>;

/** Nodes that are looked at on one page. */
const maxVisits = 100_000;
const maxDepth = 60;

/**
 * The texts at the end of a path such as `Product.offers.price`. A first step with a capital letter is a type, which is looked
 * for at every depth; otherwise the path begins at the outermost nodes. Lists are walked into, references by `@id` are
 * followed, and an object at the end stands for its `@value` or its `name`.
 */
export function textsAt(nodes: readonly JsonLdNode[], path: string): string[] {
  const steps = path.split('.');
  const isTyped = /^\p{Lu}/u.test(path);
  const roots: readonly unknown[] = isTyped ? ofType(nodes, steps[0] ?? '') : nodes;
  const byId = new Map<unknown, Node>();
  for (const node of nodes) if (node['@id'] !== undefined) byId.set(node['@id'], node);
  let found = roots;
  for (const step of isTyped ? steps.slice(1) : steps)
    found = found
      .flatMap((value) => (isNode(value) ? listOf(target(value, byId)[step]) : []))
      .slice(0, maxVisits);
  return found.flatMap((value) => textOf(isNode(value) ? target(value, byId) : value));
}

/** Microdata in the form of JSON-LD: the last part of a type's URL is its name. */
export function asNodes(items: readonly MicrodataItem[]): JsonLdNode[] {
  return items.map(nodeOf);
}

function nodeOf({ type, id, properties }: MicrodataItem): JsonLdNode {
  const own = Object.entries(properties).map(([name, values]) => [name, values.map(valueOf)] as const);
  return {
    ...(Object.fromEntries(own) as Record<string, unknown>),
    '@type': type.map((each) => each.replace(/^.*[/#]/, '')),
    ...(id === undefined ? {} : { '@id': id }),
  };
}

function valueOf(value: MicrodataValue): unknown {
  return typeof value === 'string' ? value : nodeOf(value);
}

function ofType(nodes: readonly JsonLdNode[], type: string): Node[] {
  const found: Node[] = [];
  let visits = 0;
  const look = (value: unknown, depth: number): void => {
    if (depth > maxDepth || ++visits > maxVisits) return;
    if (Array.isArray(value)) for (const each of value) look(each, depth + 1);
    if (!isNode(value)) return;
    if (
      listOf(value['@type']).some((name) => typeof name === 'string' && name.replace(/^.*[/#:]/, '') === type)
    )
      found.push(value);
    for (const [name, each] of Object.entries(value)) if (!name.startsWith('@')) look(each, depth + 1);
  };
  look(nodes, 0);
  return found;
}

/** The node itself, or the one that it refers to. */
function target(node: Node, byId: ReadonlyMap<unknown, Node>): Node {
  return Object.keys(node).length === 1 ? (byId.get(node['@id']) ?? node) : node;
}

function textOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (!isNode(value)) return [];
  const inner = value['@value'] ?? listOf(value['name'])[0];
  return typeof inner === 'object' ? [] : textOf(inner);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : value === undefined || value === null ? [] : [value];
}
