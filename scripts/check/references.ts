import { posix } from 'node:path';
import type { Finding, Project, Rule } from './project.ts';

const rulesPage = 'docs/frontier.md';
const link = /\]\((?!\w+:|#)([^)\s#]+)(?:#[^)]*)?\)/g;
/** A path from the project's root that a comment or page names. */
const rootPath = /(?<![\w/.@*-])(?:packages|docs|test|bench|scripts|examples|deploy|site)\/[\w./-]*\w/g;
const ruleNumber = /\bF\d{1,2}\b/g;

/** What a page, comment or proof refers to exists: files, pages and the frontier's rules. */
export const references: Rule = {
  name: 'references',
  reads: ['ts', 'tsx', 'lua', 'md'],
  find(project) {
    const rules = project.pages.find(({ path }) => path === rulesPage)?.text ?? '';
    const defined = new Set([...rules.matchAll(/\*\*(F\d+):/g)].map(([, rule]) => rule));
    return [
      ...project.pages.flatMap((page) => [
        ...brokenLinks(page, project),
        ...missingPaths(page, project),
        ...missingInside(page, project),
        ...missingSources(page, project),
        ...missingProofs(page, project),
      ]),
      ...comments(project).flatMap((comment) => [
        ...missingPaths(comment, project),
        ...unknownRules(comment, defined),
      ]),
      ...changedFiles(project).flatMap((name) => missingPaths(name, project)),
    ];
  },
};

interface Text {
  path: string;
  text: string;
  /** Where it begins in its file. */
  line?: number;
}

function brokenLinks({ path, text }: Text, { paths }: Project): Finding[] {
  return matches({ path, text }, link).flatMap(({ line, match }) => {
    const target = posix.normalize(posix.join(posix.dirname(path), match[1] ?? '')).replace(/\/$/, '');
    return paths.has(target) || target === '.'
      ? []
      : [{ path, line, message: `links to ${target}, which does not exist` }];
  });
}

function missingPaths(text: Text, { paths }: Project): Finding[] {
  return matches(text, rootPath).flatMap(({ line, match: [named] }) =>
    paths.has(named) ? [] : [{ path: text.path, line, message: `names ${named}, which does not exist` }],
  );
}

/** A folder, or a file of a kind that is only ours, in code; `*` stands for any part of a name. */
const insidePath = /`((?:[\w.*-]+\/)+[\w.*-]*|[\w*-][\w.*-]*\.(?:tsx?|lua))`/g;

/** The README of a package names its folders and files from the package's folder, or from its sources. */
function missingInside(page: Text, { paths }: Project): Finding[] {
  const [, folder] = /^(packages\/[^/]+)\/README\.md$/.exec(page.path) ?? [];
  if (folder === undefined) return [];
  const homes = ['', `${folder}/`, `${folder}/src/`, `${folder}/browser/`];
  return matches(page, insidePath).flatMap(({ line, match: [, named = ''] }) => {
    const pattern = named.replace(/\/$/, '').replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    const isThere = named.includes('*')
      ? [...paths].some((path) => homes.some((home) => new RegExp(`^${home}${pattern}$`).test(path)))
      : homes.some((home) => paths.has(`${home}${named.replace(/\/$/, '')}`));
    return isThere ? [] : [{ path: page.path, line, message: `names ${named}, which does not exist` }];
  });
}

const sourcePath = /`((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|lua))`/g;

/** The pages that show the way through the code name sources by as much of their path as tells them apart. */
function missingSources(page: Text, { paths }: Project): Finding[] {
  if (!/^(ARCHITECTURE|CONTRIBUTING)\.md$/.test(page.path)) return [];
  const ends = [...paths].map((path) => `/${path}`);
  return matches(page, sourcePath).flatMap(({ line, match: [, named = ''] }) =>
    ends.some((path) => path.endsWith(`/${named}`))
      ? []
      : [{ path: page.path, line, message: `names ${named}, which does not exist` }],
  );
}

const proofName = /`(?:npm run )?(prove|bench)(?: --)? ([a-z][\w-]*)[^`]*`/g;

/** A proof or bench that a page names is one that runs. Decisions and the changelog tell what was. */
function missingProofs(page: Text, { paths }: Project): Finding[] {
  if (/^(?:docs\/decisions\/|CHANGELOG)/.test(page.path)) return [];
  return matches(page, proofName).flatMap(({ line, match: [, kind, name] }) => {
    const path = kind === 'prove' ? `test/prove/${name}.ts` : `bench/${name}.ts`;
    return paths.has(path) ? [] : [{ path: page.path, line, message: `names ${path}, which does not exist` }];
  });
}

/** The frontier's comments cite its rules by number. */
function unknownRules(text: Text, defined: ReadonlySet<string | undefined>): Finding[] {
  if (!text.path.startsWith('packages/coordinator/src/')) return [];
  return matches(text, ruleNumber).flatMap(({ line, match: [rule] }) =>
    defined.has(rule)
      ? []
      : [{ path: text.path, line, message: `cites rule ${rule}, which ${rulesPage} does not define` }],
  );
}

function comments({ sources }: Project): Text[] {
  return sources.flatMap(({ path, text, comments: found }) =>
    path.endsWith('.lua')
      ? text
          .split('\n')
          .flatMap((line, i) => (line.includes('--') ? [{ path, text: line, line: i + 1 }] : []))
      : found.map((comment) => ({ path, text: comment.text, line: comment.line })),
  );
}

const sourceFile = /^packages\/[\w./-]+\.(tsx?|lua)$/;

/** Files of the product that proofs and their controls name, to change them in a copy. */
function changedFiles({ sources }: Project): Text[] {
  return sources
    .filter(({ home, path }) => home === 'test' && !/\.test\.tsx?$/.test(path))
    .flatMap(({ path, tokens }) =>
      tokens.flatMap(({ kind, text, line }) =>
        kind === 'string' && sourceFile.test(text) ? [{ path, text, line }] : [],
      ),
    );
}

function matches({ text, line = 1 }: Text, pattern: RegExp): { line: number; match: RegExpExecArray }[] {
  return [...text.matchAll(pattern)].map((match) => ({
    line: line + text.slice(0, match.index).split('\n').length - 1,
    match,
  }));
}
