import { posix } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { fullFolders, longFunctions } from './exceptions.ts';
import type { Finding, Project, Rule, Source } from './project.ts';
import type { Token } from './tokens.ts';

const maxLines = 120;
const maxFiles = 22;
/** An exception that has shrunk by this much is lowered; by less, nobody is stopped for it. */
const slack = { lines: 10, files: 1 };

/** Something that has a size, by a name that stays when it moves within its file. */
interface Sized {
  name: string;
  size: number;
  path: string;
  line: number;
}

interface Limit {
  name: string;
  reads: Rule['reads'];
  /** What is counted: lines, files. */
  unit: keyof typeof slack;
  max: number;
  /** What is larger today, with its size: it may shrink, and then its exception with it. */
  exceptions: Readonly<Record<string, number>>;
  measure(project: Project): Sized[];
}

const shipped = ({ sources }: Project): Source[] =>
  sources.filter(({ inPackages, isTest }) => inPackages && !isTest);

/** A function is read in one go; past this it has become a file. */
export const functionSize: Rule = limited({
  name: 'function size',
  reads: ['ts', 'tsx'],
  unit: 'lines',
  max: maxLines,
  exceptions: longFunctions,
  measure: (project) => shipped(project).flatMap(functionsIn),
});

/** What lies in a folder is seen at a glance. Tests stand beside what they test and are not counted. */
export const folderSize: Rule = limited({
  name: 'folder size',
  reads: ['ts', 'tsx', 'lua'],
  unit: 'files',
  max: maxFiles,
  exceptions: fullFolders,
  measure(project) {
    const counts = new Map<string, number>();
    for (const { path } of shipped(project)) {
      const folder = posix.dirname(path);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    return [...counts].map(([folder, size]) => ({ name: folder, size, path: folder, line: 1 }));
  },
});

export function limited({ name, reads, unit, max, exceptions, measure }: Limit): Rule {
  const count = Object.keys(exceptions).length;
  return {
    name: `${name} (${count} exceptions)`,
    reads,
    find(project) {
      const large = measure(project).filter(({ size }) => size > max);
      const names = new Set(large.map((each) => each.name));
      const gone = Object.keys(exceptions).filter((each) => !names.has(each));
      return [
        ...large.flatMap((sized) => judged(sized, exceptions[sized.name])),
        ...gone.map((each): Finding => {
          const message = `${each} is no exception any more: take it off the list`;
          return { path: 'scripts/check/exceptions.ts', line: 1, message };
        }),
      ];
    },
  };

  function judged({ name: what, size, path, line }: Sized, listed: number | undefined): Finding[] {
    const found = (message: string): Finding[] => [{ path, line, message: `${what}: ${message}` }];
    if (listed === undefined) return found(`${size} ${unit}; split it before ${max}`);
    if (size > listed) return found(`has grown from ${listed} to ${size} ${unit}; exceptions only shrink`);
    if (size > listed - slack[unit]) return [];
    return found(`has shrunk to ${size} ${unit}; lower its exception in scripts/check/exceptions.ts`);
  }
}

type Named = { start: number; end: number };

/** Functions with a body, with their lines from the first to the last. Only files that can hold a long one are parsed. */
function functionsIn({ path, text, tokens }: Source): Sized[] {
  if (longestBrackets(tokens) < maxLines / 2) return [];
  const found: Sized[] = [];
  const names = new Map<number, string>();
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const name = (value: Named | null, key: Named): void => {
    if (value) names.set(value.start, text.slice(key.start, key.end));
  };
  const note = (node: Named & { body: Named | null; id?: { name: string } | null }): void => {
    if (!node.body) return;
    const line = lineOf(node.start);
    const called = node.id?.name ?? names.get(node.start) ?? 'anonymous';
    found.push({ name: `${path} ${called}`, size: lineOf(node.end) - line + 1, path, line });
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => name(init, id),
    Property: ({ key, value }) => name(value, key),
    MethodDefinition: ({ key, value }) => name(value, key),
    PropertyDefinition: ({ key, value }) => name(value, key),
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
  }).visit(parseSync(path, text).program);
  return found;
}

/** Lines between the two brackets of a pair, at most: head and body of a long function cannot both have less than half of its. */
function longestBrackets(tokens: readonly Token[]): number {
  const open: number[] = [];
  let longest = 0;
  for (const { kind, text, line } of tokens) {
    if (kind !== 'sign') continue;
    if ('{(['.includes(text)) open.push(line);
    else if ('})]'.includes(text)) longest = Math.max(longest, line - (open.pop() ?? line) + 1);
  }
  return longest;
}
