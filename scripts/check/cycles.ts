import { isRelative, resolveFrom } from './imports.ts';
import type { Finding, Project, Rule, Source } from './project.ts';

/** No file may import itself by way of others. Type imports count too: a circle of ideas is still a circle. */
export const cycles: Rule = {
  name: 'import cycles',
  find(project) {
    const byPath = new Map(project.sources.map((source) => [source.path, source]));
    return knots(byPath, entryFiles(project)).map((knot): Finding => {
      const [first = ''] = knot;
      const names = [...knot, first].map((path) => path.replace(/^packages\//, ''));
      return { path: first, line: 1, message: `imports itself: ${names.join(' → ')}` };
    });
  },
};

/** Where a package's entries lead: `@webfarer/protocol/url` → `packages/protocol/src/url/index.ts`. */
function entryFiles(project: Project): Map<string, string> {
  return new Map(
    project.manifests.flatMap(({ name, exports }) =>
      [...exports].map(([entry, file]): [string, string] => [`${name}${entry.slice(1)}`, file]),
    ),
  );
}

function targets(source: Source, byPath: Map<string, Source>, entries: Map<string, string>): string[] {
  return source.imports
    .map(({ specifier }) =>
      isRelative(specifier) ? resolveFrom(source.path, specifier) : entries.get(specifier),
    )
    .filter((path): path is string => path !== undefined && byPath.has(path));
}

/** One shortest circle for each group of files that reach each other. */
function knots(byPath: Map<string, Source>, entries: Map<string, string>): string[][] {
  const edges = new Map<string, string[]>();
  for (const [path, source] of byPath) edges.set(path, targets(source, byPath, entries));
  const found: string[][] = [];
  const told = new Set<string>();
  for (const path of [...edges.keys()].sort()) {
    if (told.has(path)) continue;
    const circle = shortestCircle(path, edges);
    if (circle === undefined || circle.some((each) => told.has(each))) continue;
    for (const each of circle) told.add(each);
    found.push(circle);
  }
  return found;
}

/** Breadth first from a file back to itself. */
function shortestCircle(start: string, edges: Map<string, string[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  let edge = [start];
  while (edge.length > 0) {
    const next: string[] = [];
    for (const path of edge) {
      for (const target of edges.get(path) ?? []) {
        if (target === start) return wayTo(path, cameFrom);
        if (cameFrom.has(target)) continue;
        cameFrom.set(target, path);
        next.push(target);
      }
    }
    edge = next;
  }
  return undefined;
}

function wayTo(path: string, cameFrom: Map<string, string>): string[] {
  const way = [path];
  for (let at = cameFrom.get(path); at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}
