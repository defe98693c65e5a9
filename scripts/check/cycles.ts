import { posix } from 'node:path';
import { isRelative, resolveFrom } from './imports.ts';
import type { Finding, Project, Rule, Source } from './project.ts';

/** No file may import itself by way of others. Type imports count too: a circle of ideas is still a circle. */
export const cycles: Rule = {
  name: 'import cycles',
  find(project) {
    const byPath = new Map(project.sources.map((source) => [source.path, source]));
    const entries = entryFiles(project);
    const edges = new Map(
      [...byPath].map(([path, source]) => [path, targets(source, byPath, entries)] as const),
    );
    return circles(edges).map((circle): Finding => {
      const [first = ''] = circle;
      const names = [...circle, first].map((path) => path.replace(/^packages\//, ''));
      return { path: first, line: 1, message: `imports itself: ${names.join(' → ')}` };
    });
  },
};

type Place = Pick<Finding, 'path' | 'line'>;

/**
 * No folder of a package may import itself by way of other folders. A folder may import its own subfolders,
 * as long as these do not import the files beside them. Tests may import what they test from anywhere.
 */
export const folderCycles: Rule = {
  name: 'folder cycles',
  find(project) {
    const edges = new Map<string, Map<string, Place>>();
    for (const source of project.sources) {
      if (!source.inPackages || source.isTest) continue;
      const folder = posix.dirname(source.path);
      const reached = edges.get(folder) ?? new Map<string, Place>();
      edges.set(folder, reached);
      for (const { specifier, line } of source.imports) {
        if (!isRelative(specifier)) continue;
        const target = posix.dirname(resolveFrom(source.path, specifier));
        if (target === folder || reached.has(target)) continue;
        reached.set(target, { path: source.path, line });
      }
    }
    return circles(new Map([...edges].map(([folder, reached]) => [folder, [...reached.keys()]]))).map(
      (circle): Finding => {
        const [first = '', second = first] = circle;
        const names = [...circle, first].map((path) => path.replace(/^packages\//, ''));
        const { path = first, line = 1 } = edges.get(first)?.get(second) ?? {};
        return { path, line, message: `its folder imports itself: ${names.join(' → ')}` };
      },
    );
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

/** One shortest circle for each group of files or folders that reach each other. */
function circles(edges: Map<string, string[]>): string[][] {
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

/** Breadth first from a file or folder back to itself. */
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
