import { jobJsonSchema } from './schema.ts';

/** A node of the job's JSON Schema, as far as we read it. */
export interface SchemaNode {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, SchemaNode>;
  /** What any other name holds; false: there is no other. */
  additionalProperties?: SchemaNode | boolean;
  required?: string[];
  items?: SchemaNode;
  anyOf?: SchemaNode[];
}

// allow(state): worked out once from the schema, which never changes
let cached: SchemaNode | undefined;
function root(): SchemaNode {
  cached ??= jobJsonSchema() as SchemaNode;
  return cached;
}

/** The names of the fields that may stand at a place in the job. */
export function fieldsAt(path: readonly (string | number)[]): string[] {
  return schemaAt(path).flatMap((node) => Object.keys(node.properties ?? {}));
}

/** What may stand at a place in the job, each form of it; none where there is no such place. */
export function schemaAt(path: readonly (string | number)[]): SchemaNode[] {
  let nodes = variants(root());
  for (const step of path) {
    nodes = nodes
      .map((node) => (typeof step === 'number' ? node.items : (node.properties?.[step] ?? ofAnyName(node))))
      .filter((node) => node !== undefined)
      .flatMap(variants);
  }
  return nodes;
}

function ofAnyName({ additionalProperties }: SchemaNode): SchemaNode | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Every place where a field of this name exists, as `limits.depth`. */
export function pathsOf(name: string): string[] {
  const found: string[] = [];
  const walk = (node: SchemaNode, path: string) => {
    for (const variant of variants(node)) {
      for (const [key, child] of Object.entries(variant.properties ?? {})) {
        const here = path === '' ? key : `${path}.${key}`;
        if (key.toLowerCase() === name.toLowerCase()) found.push(here);
        walk(child, here);
      }
    }
  };
  walk(root(), '');
  return [...new Set(found)];
}

/** A value that a job sets, under the path of its field: `seeds[].file`, `fetch.headers.*`. */
export interface JobLeaf {
  path: string;
  value: unknown;
  /** The object or list that holds it: an expression is judged together with its flags. */
  holder: unknown;
  /** The entry of the outermost list that it stands in, as what it says holds for that entry alone; undefined: in no list. */
  entry: unknown;
}

/** The paths of all fields that a job can set, each once: `[]` stands for any place of a list, `*` for any name. */
export function fieldPaths(): string[] {
  const found = new Set<string>();
  const walk = (node: SchemaNode, path: string): void => {
    for (const variant of variants(node)) {
      const inside = [
        ...Object.entries(variant.properties ?? {}).map(([key, child]) => [below(path, key), child] as const),
        ...present(ofAnyName(variant)).map((child) => [`${path}.*`, child] as const),
        ...present(variant.items).map((child) => [`${path}[]`, child] as const),
      ];
      if (inside.length === 0) found.add(path);
      for (const [where, child] of inside) walk(child, where);
    }
  };
  walk(root(), '');
  return [...found];
}

/** Everything that a job sets, as it is written. A name that the schema does not know stands in its path as it is. */
export function leavesOf(input: unknown): JobLeaf[] {
  const found: JobLeaf[] = [];
  interface Place {
    path: string;
    nodes: SchemaNode[];
    holder: unknown;
    entry: unknown;
  }
  const walk = (value: unknown, at: Place): void => {
    const { path: here, holder, entry } = at;
    if (typeof value !== 'object' || value === null) {
      if (value !== undefined) found.push({ path: here, value, holder, entry });
      return;
    }
    if (Array.isArray(value)) {
      const nodes = at.nodes.flatMap(({ items }) => present(items)).flatMap(variants);
      for (const each of value) walk(each, { path: `${here}[]`, nodes, holder: value, entry: entry ?? each });
      return;
    }
    for (const [key, child] of Object.entries(value)) {
      const named = at.nodes.flatMap(({ properties }) =>
        properties && Object.hasOwn(properties, key) ? present(properties[key]) : [],
      );
      const others = named.length > 0 ? [] : at.nodes.flatMap((node) => present(ofAnyName(node)));
      const path = others.length > 0 ? `${here}.*` : below(here, key);
      walk(child, { path, nodes: [...named, ...others].flatMap(variants), holder: value, entry });
    }
  };
  walk(input, { path: '', nodes: variants(root()), holder: undefined, entry: undefined });
  return found;
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
const present = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

/** The forms that a value may have. */
export function variants(node: SchemaNode): SchemaNode[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(variants);
}
