import { posix } from 'node:path';
import { isRelative, resolveFrom } from './imports.ts';
import type { Finding, Project, Rule, Source } from './project.ts';

/** No file may import itself by way of others. Type imports count too: a circle of ideas is still a circle. */
export const cycles: Rule = {
  name: 'import cycles',
  reads: ['ts', 'tsx'],
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

/** The rooms of one folder, and for each pair of them the first import that leads from one to the other. */
type Rooms = Map<string, Map<string, Place>>;

/**
 * The rooms of a folder form no circle. Its rooms are its subfolders, each with everything below it, and the files that lie in
 * it itself, together. So a folder may import its own subfolders, as long as nothing in these imports the files beside them, and
 * two folders do not depend on each other by way of what is deep inside them. Tests may import what they test from anywhere.
 */
export const folderCycles: Rule = {
  name: 'folder cycles',
  reads: ['ts', 'tsx'],
  find(project) {
    return [...roomsOf(project).values()].flatMap((rooms) =>
      circles(new Map([...rooms].map(([room, reached]) => [room, [...reached.keys()]]))).map(
        (circle): Finding => {
          const [first = '', second = first] = circle;
          const names = [...circle, first].map((path) => path.replace(/^packages\//, ''));
          const { path = first, line = 1 } = rooms.get(first)?.get(second) ?? {};
          return { path, line, message: `folders import each other: ${names.join(' → ')}` };
        },
      ),
    );
  },
};

/** The rooms of each folder that has more than one. */
function roomsOf(project: Project): Map<string, Rooms> {
  const levels = new Map<string, Rooms>();
  for (const source of project.sources) {
    if (!source.inPackages || source.isTest) continue;
    for (const { specifier, line } of source.imports) {
      if (!isRelative(specifier)) continue;
      const target = resolveFrom(source.path, specifier);
      // What leaves the packages is for the rule of borders.
      if (!target.startsWith('packages/')) continue;
      const level = commonFolder(source.path, target);
      const from = roomIn(level, source.path);
      const to = roomIn(level, target);
      if (from === to) continue;
      const rooms = levels.get(level) ?? new Map<string, Map<string, Place>>();
      const reached = rooms.get(from) ?? new Map<string, Place>();
      levels.set(level, rooms.set(from, reached));
      if (!reached.has(to)) reached.set(to, { path: source.path, line });
    }
  }
  return levels;
}

/** The deepest folder that both lie in: above it they are in the same room. */
function commonFolder(one: string, other: string): string {
  let folder = posix.dirname(one);
  while (!other.startsWith(`${folder}/`)) folder = posix.dirname(folder);
  return folder;
}

function roomIn(folder: string, path: string): string {
  const [room = '', ...below] = path.slice(folder.length + 1).split('/');
  return below.length === 0 ? folder : `${folder}/${room}`;
}

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
