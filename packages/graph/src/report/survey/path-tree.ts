/** A folder of a site, or a host: how many URLs are in it. */
export interface PathNode {
  name: string;
  urls: number;
  /** Of them, those that answered with an error or not at all. */
  errors: number;
  inner: Map<string, PathNode>;
}

const deepest = 5;

/** Hosts and their folders as a tree, of bounded size: what does not fit is counted where it would hang. */
export class PathTree {
  readonly root: PathNode = { name: '', urls: 0, errors: 0, inner: new Map() };
  readonly #max: number;
  #size = 0;

  constructor(max = 50_000) {
    this.#max = max;
  }

  add(host: string, path: string, isError: boolean): void {
    let node = this.root;
    note(node, isError);
    for (const name of [host, ...folders(path)]) {
      const next = node.inner.get(name) ?? this.#grow(node, name);
      if (!next) return;
      node = next;
      note(node, isError);
    }
  }

  #grow(node: PathNode, name: string): PathNode | undefined {
    if (this.#size >= this.#max) return undefined;
    this.#size += 1;
    const grown: PathNode = { name, urls: 0, errors: 0, inner: new Map() };
    node.inner.set(name, grown);
    return grown;
  }
}

function note(node: PathNode, isError: boolean): void {
  node.urls += 1;
  if (isError) node.errors += 1;
}

/** `/docs/install/linux?x` is in `docs` and `install`. */
function folders(path: string): string[] {
  const query = path.indexOf('?');
  return (query < 0 ? path : path.slice(0, query))
    .split('/')
    .slice(1, -1)
    .filter(Boolean)
    .slice(0, deepest - 1);
}

/** Every folder with its way from the host, largest first. */
export function foldersOf(root: PathNode, max: number): { path: string; urls: number; errors: number }[] {
  const found: { path: string; urls: number; errors: number }[] = [];
  const walk = (node: PathNode, path: string) => {
    for (const inner of node.inner.values()) {
      const way = path === '' ? inner.name : `${path}/${inner.name}`;
      found.push({ path: way, urls: inner.urls, errors: inner.errors });
      walk(inner, way);
    }
  };
  walk(root, '');
  return found.sort((a, b) => b.urls - a.urls || (a.path < b.path ? -1 : 1)).slice(0, max);
}
