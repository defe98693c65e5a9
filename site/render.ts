import MarkdownIt from 'markdown-it';
import { posix } from 'node:path';
import { pageFile, type Source, type Target, targetOf } from './pages.ts';

export interface Heading {
  level: number;
  text: string;
  id: string;
}

/** A stretch of text under one heading, for the search. */
export interface Passage {
  heading: string;
  id: string;
  text: string;
}

export interface Rendered {
  path: string;
  title: string;
  html: string;
  headings: Heading[];
  passages: Passage[];
  /** What its links lead to, as they were written. */
  links: { href: string; target: Target }[];
}

/** What is used of a token of the parser. */
interface Token {
  type: string;
  tag: string;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** As GitHub makes them, so that anchors work in both places. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Where a file that is no page lies in the site: as text, so that a browser shows it. */
export function fileIn(path: string): string {
  return /\.(png|svg|jpe?g|gif|webp|json|cast|html|md)$/.test(path) ? path : `${path}.txt`;
}

export function folderIn(path: string): string {
  return `${path}/index.html`;
}

export function relativeTo(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

export function renderPage(source: Source, isPage: (path: string) => boolean): Rendered {
  const { path, title, text } = source;
  const links: Rendered['links'] = [];
  const headings: Heading[] = [];
  const passages: Passage[] = [{ heading: title, id: '', text: '' }];
  const used = new Map<string, number>();
  const here = pageFile(path);

  function hrefFor(href: string): string {
    const target = targetOf(href, path, isPage);
    links.push({ href, target });
    if (target.kind === 'page') {
      const fragment = target.fragment === '' ? '' : `#${target.fragment}`;
      return target.path === path && fragment !== ''
        ? fragment
        : `${relativeTo(here, pageFile(target.path))}${fragment}`;
    }
    if (target.kind === 'file') return relativeTo(here, fileIn(target.path));
    if (target.kind === 'folder') return relativeTo(here, folderIn(target.path));
    return href;
  }

  function idFor(heading: string): string {
    const slug = slugOf(heading);
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  }

  const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false });
  const tokens = markdown.parse(text, {}) as unknown as Token[];
  for (const [n, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const words = wordsOf(tokens[n + 1]);
      const id = idFor(words);
      token.attrSet('id', id);
      const level = Number(token.tag.slice(1));
      headings.push({ level, text: words, id });
      if (level > 1) passages.push({ heading: words, id, text: '' });
    } else if (tokens[n - 1]?.type !== 'heading_open') {
      const last = passages.at(-1);
      if (last && (token.type === 'inline' || token.type === 'fence')) last.text += ` ${wordsOf(token)}`;
    }
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') child.attrSet('href', hrefFor(child.attrGet('href') ?? ''));
      if (child.type === 'image') child.attrSet('src', hrefFor(child.attrGet('src') ?? ''));
    }
  }
  const html = markdown.renderer
    .render(tokens as unknown as Parameters<typeof markdown.renderer.render>[0], markdown.options, {})
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>')
    // In HTML of the source itself.
    .replaceAll(
      /(<(?:img|source)[^>]* (?:src|srcset)=")([^":]+)(")/g,
      (whole, a: string, src: string, b: string) =>
        src.startsWith('data:') || alreadyDone(src, links, here, path, isPage)
          ? whole
          : `${a}${hrefFor(src)}${b}`,
    );
  return { path, title, html, headings, passages, links };
}

/** Whether an address is one that this page was given here: images of Markdown come out as HTML too. */
function alreadyDone(
  src: string,
  links: Rendered['links'],
  here: string,
  path: string,
  isPage: (path: string) => boolean,
): boolean {
  return links.some(({ href }) => {
    const target = targetOf(href, path, isPage);
    return target.kind === 'file' && relativeTo(here, fileIn(target.path)) === src;
  });
}

/** The words a reader sees. */
function wordsOf(token: Token | undefined): string {
  if (token === undefined) return '';
  if (token.type === 'fence') return token.content;
  return (token.children ?? [])
    .map((child) =>
      child.type === 'text' || child.type === 'code_inline'
        ? child.content
        : child.type === 'softbreak'
          ? ' '
          : '',
    )
    .join('');
}
