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

/** The forms that a value may have. */
export function variants(node: SchemaNode): SchemaNode[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(variants);
}
