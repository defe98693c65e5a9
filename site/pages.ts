import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

/** A Markdown file of the repository that becomes a page. */
export interface Source {
  /** Path in the repository, without `.md`. */
  path: string;
  title: string;
  text: string;
}

const beside = ['README', 'ARCHITECTURE', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'CODE_OF_CONDUCT'];

/** Everything in docs/, and the pages at the top of the repository. */
export function readSources(): Source[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/').slice(0, -'.md'.length)}`);
  const top = beside.filter((name) => existsSync(join(root, `${name}.md`)));
  const sources = [...top, ...docs.toSorted()].map(sourceOf);
  return [...sources, decisionsIndex(sources)];
}

function sourceOf(path: string): Source {
  const text = readFileSync(join(root, `${path}.md`), 'utf8');
  return { path, title: titleOf(text) ?? posix.basename(path), text };
}

function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll(/[`*]/g, '');
}

/** The records have no table of contents of their own. */
function decisionsIndex(sources: readonly Source[]): Source {
  const lines = sources
    .filter(({ path }) => path.startsWith('docs/decisions/'))
    .map(({ path, title }) => `- [${title}](${posix.basename(path)}.md)`);
  const text = `# Decisions\n\nWhat was decided, why, and what else was tried.\n\n${lines.join('\n')}\n`;
  return { path: 'docs/decisions/README', title: 'Decisions', text };
}

/** Where a page lies in the site. */
export function pageFile(path: string): string {
  if (path === 'README') return 'index.html';
  return `${path.replace(/README$/, 'index')}.html`;
}

export type Target =
  | { kind: 'page'; path: string; fragment: string }
  /** A file of the repository that is copied into the site. */
  | { kind: 'file'; path: string }
  | { kind: 'folder'; path: string }
  | { kind: 'outside' }
  | { kind: 'broken' };

/** What a link on a page of the repository leads to. */
export function targetOf(href: string, from: string, isPage: (path: string) => boolean): Target {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('//')) return { kind: 'outside' };
  const [address = '', fragment = ''] = href.split('#');
  if (address === '') return { kind: 'page', path: from, fragment };
  const path = posix.normalize(posix.join(posix.dirname(from), decodeURI(address))).replace(/\/$/, '');
  if (path.startsWith('..')) return { kind: 'broken' };
  if (path.endsWith('.md') && isPage(path.slice(0, -3)))
    return { kind: 'page', path: path.slice(0, -3), fragment };
  if (isPage(`${path}/README`)) return { kind: 'page', path: `${path}/README`, fragment };
  const onDisk = join(root, path);
  if (!existsSync(onDisk)) return { kind: 'broken' };
  return { kind: statSync(onDisk).isDirectory() ? 'folder' : 'file', path };
}
