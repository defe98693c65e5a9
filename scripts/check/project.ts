import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type ImportOf, importsOf } from './imports.ts';
import { lex, type Comment, type Token } from './tokens.ts';

export interface Source {
  /** From the project's root, with forward slashes. */
  path: string;
  /** The folder under `packages/`, or the top folder: `worker`, `test`, `scripts`. */
  home: string;
  inPackages: boolean;
  /** Tests, suites and what only they use: free of the rules for shipped code. */
  isTest: boolean;
  text: string;
  tokens: Token[];
  comments: Comment[];
  imports: ImportOf[];
}

export interface Manifest {
  /** The folder it lies in; `''` for the root. */
  folder: string;
  name: string;
  dependencies: string[];
  devDependencies: string[];
  /** What other packages may import, `.` or `./name`, with its source from the project's root. */
  exports: ReadonlyMap<string, string>;
}

/** A page of documentation. */
export interface Page {
  path: string;
  text: string;
}

export interface Project {
  sources: Source[];
  manifests: Manifest[];
  pages: Page[];
  /** Every file and folder, for references to them. */
  paths: ReadonlySet<string>;
}

/** Something a rule found wrong. */
export interface Finding {
  path: string;
  line: number;
  message: string;
}

/** `manifest`: a package.json. */
export type Kind = 'ts' | 'tsx' | 'lua' | 'md' | 'manifest';

/** A rule looks at the whole project and says what is wrong with it. */
export interface Rule {
  name: string;
  /** The kinds of files it looks into. For each of them a test plants a fault, so that no kind is overlooked. */
  reads: readonly Kind[];
  find(project: Project): Finding[];
}

const roots = ['packages', 'test', 'bench', 'examples', 'scripts', 'docs', 'deploy', 'site', '.ci'];
const skipped = new Set(['node_modules', 'dist', 'build', 'coverage']);

export function readProject(root: string): Project {
  const files = new Map<string, string>();
  const paths = new Set<string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      paths.add(path);
      if (entry.isDirectory() && isWalked(path, entry.name)) walk(path);
      if (entry.isFile() && isRead(path)) files.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  walk('');
  return projectOf(files, paths);
}

function isWalked(path: string, name: string): boolean {
  if (skipped.has(name) || name.endsWith('.crawl')) return false;
  return path !== name || roots.includes(name);
}

/** A project from texts by path; rules' tests write theirs by hand. */
export function projectOf(
  files: Map<string, string>,
  paths: ReadonlySet<string> = new Set(files.keys()),
): Project {
  const sources: Source[] = [];
  const manifests: Manifest[] = [];
  const pages: Page[] = [];
  for (const [path, text] of files) {
    if (path.endsWith('package.json')) manifests.push(manifestOf(path, text));
    else if (path.endsWith('.md')) pages.push({ path, text });
    else sources.push(sourceOf(path, text));
  }
  return { sources, manifests, pages, paths };
}

function isRead(path: string): boolean {
  return (
    /\.(tsx?|lua|md)$|^deploy\/(prometheus\/.*\.yml|systemd\/.*\.service)$/.test(path) ||
    /^(packages\/[^/]+\/)?package\.json$/.test(path)
  );
}

function sourceOf(path: string, text: string): Source {
  const [top = '', second = ''] = path.split('/');
  const inPackages = top === 'packages';
  const lexed = /\.tsx?$/.test(path) ? lex(text, { jsx: path.endsWith('x') }) : { tokens: [], comments: [] };
  return {
    path,
    home: inPackages ? second : top,
    inPackages,
    isTest: !inPackages || /\.(test|suite|fixture|model)\.tsx?$/.test(path),
    text,
    ...lexed,
    imports: importsOf(lexed.tokens),
  };
}

function manifestOf(path: string, text: string): Manifest {
  const json = JSON.parse(text) as Record<string, Record<string, unknown> | undefined> & { name?: string };
  const folder = path === 'package.json' ? '' : path.slice(0, -'/package.json'.length);
  const keys = (name: string): string[] => Object.keys(json[name] ?? {});
  return {
    folder,
    name: json.name ?? '',
    dependencies: [...keys('dependencies'), ...keys('optionalDependencies'), ...keys('peerDependencies')],
    devDependencies: keys('devDependencies'),
    exports: new Map(
      Object.entries(json.exports ?? {}).map(([name, file]) => [name, posix.join(folder, String(file))]),
    ),
  };
}
