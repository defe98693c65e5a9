import { join, resolve } from 'node:path';
import { createExportReader, type Declared, docBefore, type SourceText, type Syntax } from './exported.ts';
import { code, generated, table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');

/** Everything the package exports, by what a reader looks for; a name that is in no group, or undocumented, is an error. */
const groups: Record<string, readonly string[]> = {
  'Run a crawl': [
    'crawl',
    'CrawlOptions',
    'Credentials',
    'CrawlRun',
    'Progress',
    'Summary',
    'ItemChange',
    'Explanation',
    'JobInput',
  ],
  'Your code': [
    'Handlers',
    'Scraper',
    'Tools',
    'FollowOptions',
    'ResponseHook',
    'ItemHook',
    'drop',
    'DroppedItem',
    'router',
    'Routes',
    'BrowserHandler',
    'BrowserRoutes',
    'BrowserPage',
    'BrowserVisit',
  ],
  'The page': [
    'Page',
    'PageFacts',
    'Links',
    'PageLink',
    'MainText',
    'Heading',
    'PageTable',
    'OpenGraph',
    'OpenGraphMedia',
    'JsonLdNode',
    'MicrodataItem',
    'MicrodataValue',
  ],
  'Tests and replay': [
    'pageFrom',
    'PageOrigin',
    'runHandler',
    'Handled',
    'FollowedUrl',
    'replay',
    'ReplayOptions',
    'ReplaySummary',
  ],
  Search: ['searchCrawl', 'SearchOptions', 'SearchAnswer', 'SearchHit'],
  'Records, events and errors': [
    'PageRecord',
    'Balance',
    'CrawlSnapshot',
    'CrawlEvent',
    'Reason',
    'Url',
    'WebfarerError',
  ],
};

/** Longer declarations are told by their comment only. */
const mostCode = 600;
/** Types that a page of its own explains. */
const elsewhere: Record<string, string> = {
  JobInput: '[job-file.md](job-file.md)',
  CrawlEvent: '[events.md](events.md)',
  Reason: '[reasons.md](reasons.md)',
};

export function referencePage(): string {
  const exported = createExportReader(root).exportsOf(join(root, 'packages/cli/src/index.ts'));
  const byName = new Map(exported.map((one) => [one.name, one]));
  const grouped = Object.values(groups).flat();
  const problems = [
    ...exported.filter(({ name }) => !grouped.includes(name)).map(({ name }) => `${name} is in no group`),
    ...grouped.filter((name) => !byName.has(name)).map((name) => `${name} is not exported`),
    ...exported.flatMap(undocumented),
  ];
  if (problems.length > 0) throw new Error(`the library reference: ${problems.join('; ')}`);
  const lines = [
    generated,
    '',
    '# Library reference',
    '',
    "Everything that `import … from 'webfarer'` gives, as it is declared. [library.md](library.md) explains how it is used.",
    '',
  ];
  for (const [title, names] of Object.entries(groups)) {
    const links = names.map((name) => `[${name}](#${name.toLowerCase()})`);
    lines.push(`- **${title}**: ${links.join(' · ')}`);
  }
  for (const [title, names] of Object.entries(groups)) {
    lines.push('', `## ${title}`);
    for (const name of names) lines.push('', ...section(byName.get(name) as Declared));
  }
  return `${lines.join('\n')}\n`;
}

function undocumented({ name, docs, file, nodes }: Declared): string[] {
  const lacking = docs.some((doc) => doc === '') ? [`${name} has no comment`] : [];
  if (nodes.length !== 1) return lacking;
  const members = membersOf(file, nodes[0] as Syntax).filter(({ doc, isPlain }) => doc === '' && !isPlain);
  return [...lacking, ...members.map((member) => `${name}.${member.name} has no comment`)];
}

function section({ name, file, nodes, docs }: Declared): string[] {
  const [node] = nodes as [Syntax];
  if (/Function/.test(node.type))
    return [
      `### ${name}`,
      ...nodes.flatMap((one, n) => ['', docs[n] ?? '', '', fence(signatureOf(file, one))]),
    ];
  const more = elsewhere[name];
  const head = [`### ${name}`, '', more === undefined ? (docs[0] ?? '') : `${docs[0]} See ${more}.`];
  const members = membersOf(file, node);
  if (members.length > 0) {
    const rows = members.map(({ shown, doc }) => [code(shown), doc]);
    return [...head, ...basesOf(file, node), '', table(['member', 'meaning'], rows)];
  }
  const text = file.text.slice(node.start, node.end).replace(/^export /, '');
  return more === undefined && text.length <= mostCode ? [...head, '', fence(text)] : head;
}

function fence(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}

/** Up to its body. */
function signatureOf({ text }: SourceText, node: Syntax): string {
  const body = node['body'] as Syntax | null | undefined;
  return text
    .slice(node.start, body ? body.start : node.end)
    .replace(/^export /, '')
    .replace(/^async /, '')
    .trim()
    .replace(/;$/, '');
}

function basesOf({ text }: SourceText, node: Syntax): string[] {
  const bases = ((node['extends'] ?? []) as Syntax[]).map(({ start, end }) => flat(text.slice(start, end)));
  return bases.length === 0 ? [] : ['', `Extends ${bases.map(code).join(', ')}.`];
}

interface Member {
  name: string;
  /** As it is declared, on one line. */
  shown: string;
  doc: string;
  /** Its name and type say all there is to it. */
  isPlain: boolean;
}

/** The members of an interface or an object type; of a class those that others may use. */
function membersOf(file: SourceText, node: Syntax): Member[] {
  const nodes = memberNodes(node);
  return nodes.map((member) => {
    const text = flat(file.text.slice(member.start, member.end)).replace(/[;,]$/, '');
    const shown = text.replace(/^(?:public |override )+/, '').replace(/^readonly /, '');
    const [name = ''] = /^[\w$[\]]+/.exec(shown) ?? [shown];
    return { name, shown, doc: docBefore(file.text, member.start), isPlain: isPlain(shown) };
  });
}

function memberNodes(node: Syntax): Syntax[] {
  const { type } = node;
  if (type === 'TSInterfaceDeclaration') return (node['body'] as { body: Syntax[] }).body;
  if (type === 'TSTypeAliasDeclaration') {
    const alias = node['typeAnnotation'] as Syntax & { members?: Syntax[] };
    return alias.type === 'TSTypeLiteral' ? (alias.members ?? []) : [];
  }
  if (type !== 'ClassDeclaration') return [];
  return (node['body'] as { body: Syntax[] }).body.filter((member) => member.type === 'PropertyDefinition');
}

/** A value of a simple type, whose name says what it is: `label?: string`. */
function isPlain(shown: string): boolean {
  return (
    /^\w+\??: (?:[\w<>[\]'., |]+)$/.test(shown) || /^\w+\(\w*\??:? ?[\w<>[\]]*\): [\w<>[\]| ]+$/.test(shown)
  );
}

function flat(text: string): string {
  return text
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
