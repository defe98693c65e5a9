import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { rolldown } from 'rolldown';
import { sectionsOf, type Section } from './navigation.ts';
import { pageFile, readSources, root } from './pages.ts';
import { fileIn, folderIn, relativeTo, renderPage, type Rendered } from './render.ts';
import type { Entry } from './search.ts';

export interface Built {
  out: string;
  pages: Rendered[];
  sections: Section[];
  /** Links that lead nowhere, as "page: link". */
  broken: string[];
}

/**
 * Writes the documentation as files that open without a server: `node site/build.ts [FOLDER]`. The pages are those of docs/
 * and of the top of the repository; nothing is written twice.
 */
export async function buildSite(out: string): Promise<Built> {
  const sources = readSources();
  const known = new Set(sources.map(({ path }) => path));
  const pages = sources.map((source) => renderPage(source, (path) => known.has(path)));
  const sections = sectionsOf(sources.map(({ path }) => path));
  rmSync(out, { recursive: true, force: true });
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(out, file)), { recursive: true });
    writeFileSync(join(out, file), text);
  };
  for (const page of pages) put(pageFile(page.path), documentOf(page, { sections, pages }));
  copyTargets(pages, out, put);
  put('search-data.js', `globalThis.passages = ${JSON.stringify(entriesOf(pages))};\n`);
  put('site.js', await browserScript());
  cpSync(join(import.meta.dirname, 'style.css'), join(out, 'style.css'));
  return { out, pages, sections, broken: brokenLinks(pages) };
}

function brokenLinks(pages: readonly Rendered[]): string[] {
  const anchors = new Map(pages.map(({ path, headings }) => [path, new Set(headings.map(({ id }) => id))]));
  return pages.flatMap(({ path, links }) =>
    links.flatMap(({ href, target }) => {
      const isGood =
        target.kind === 'page'
          ? target.fragment === '' || anchors.get(target.path)?.has(target.fragment)
          : target.kind !== 'broken';
      return isGood ? [] : [`${path}.md: ${href}`];
    }),
  );
}

/** Files and folders of the repository that pages lead to. */
function copyTargets(
  pages: readonly Rendered[],
  out: string,
  put: (file: string, text: string) => void,
): void {
  const targets = pages.flatMap(({ links }) => links.map(({ target }) => target));
  const files = new Set(targets.flatMap((target) => (target.kind === 'file' ? [target.path] : [])));
  const folders = new Set(targets.flatMap((target) => (target.kind === 'folder' ? [target.path] : [])));
  for (const folder of folders) {
    const names = readdirSync(join(root, folder), { withFileTypes: true });
    const inside = names.filter((each) => each.isFile()).map(({ name }) => posix.join(folder, name));
    for (const file of inside) files.add(file);
    put(folderIn(folder), listing(folder, inside));
  }
  for (const file of files) {
    const to = join(out, fileIn(file));
    mkdirSync(dirname(to), { recursive: true });
    if (statSync(join(root, file)).isFile()) cpSync(join(root, file), to);
  }
}

function listing(folder: string, files: readonly string[]): string {
  const items = files.map(
    (file) => `<li><a href="${posix.basename(fileIn(file))}">${posix.basename(file)}</a></li>`,
  );
  const base = relativeTo(folderIn(folder), '.');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${folder}</title><link rel="stylesheet" href="${base}/style.css"><main><h1>${folder}</h1><ul>${items.join('')}</ul></main></html>\n`;
}

function entriesOf(pages: readonly Rendered[]): Entry[] {
  return pages.flatMap(({ path, title, passages }) =>
    passages.map(
      ({ heading, id, text }): Entry => [
        pageFile(path),
        title,
        heading,
        id,
        text.replaceAll(/\s+/g, ' ').trim().slice(0, 4_000),
      ],
    ),
  );
}

/** One plain script: browsers refuse modules from files. */
async function browserScript(): Promise<string> {
  const bundle = await rolldown({ input: join(import.meta.dirname, 'browser/main.ts') });
  const { output } = await bundle.generate({ format: 'iife' });
  return output[0].code;
}

function documentOf(
  page: Rendered,
  { sections, pages }: { sections: readonly Section[]; pages: readonly Rendered[] },
): string {
  const here = pageFile(page.path);
  const base = '../'.repeat(here.split('/').length - 1);
  const titles = new Map(pages.map(({ path, title }) => [path, title]));
  const link = (path: string) => {
    const current = path === page.path ? ' aria-current="page"' : '';
    return `<a href="${relativeTo(here, pageFile(path))}"${current}>${escape(titles.get(path) ?? path)}</a>`;
  };
  const navigation = sections.map(({ title, pages: listed }) => {
    const links = listed.map(link).join('\n');
    if (title !== 'Decisions') return `<h2>${title}</h2>\n${links}`;
    const open = listed.includes(page.path) ? ' open' : '';
    return `<details${open}><summary>${title}</summary>\n${links}</details>`;
  });
  const contents = page.headings
    .filter(({ level }) => level === 2)
    .map(({ text, id }) => `<a href="#${id}">${escape(text)}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title)} · Webfarer</title>
<link rel="stylesheet" href="${base}style.css">
</head>
<body>
<header><button id="menu" aria-label="Menu">☰</button><a class="name" href="${base}index.html">Webfarer</a>
<div class="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search"><div id="found" hidden></div></div></header>
<div class="frame">
<nav aria-label="Pages">${navigation.join('\n')}</nav>
<main>${page.html}</main>
<aside aria-label="On this page">${contents.join('\n')}</aside>
</div>
<script>const base = ${JSON.stringify(base === '' ? './' : base)};</script>
<script src="${base}site.js"></script>
</body>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

if (process.argv[1] === import.meta.filename) {
  const { out, pages, broken } = await buildSite(process.argv[2] ?? join(root, 'build/site'));
  for (const link of broken) console.error(`broken link in ${link}`);
  console.log(`${pages.length} pages in ${out}; open ${join(out, 'index.html')}`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
