import type { Finding, Page, Project, Rule } from './project.ts';

/** Made from the code and compared with it by a test, so that other pages may be compared with them. */
const commandsPage = 'docs/commands.md';
const referencePage = 'docs/reference.md';
const jobPage = 'docs/job-file.md';

/** Guides: pages that tell a person what to type. Decisions and the changelog tell what was. */
const isGuide = (path: string): boolean =>
  /^(docs\/(recipes\/)?[^/]+|packages\/[^/]+\/README|README|ARCHITECTURE)\.md$/.test(path) &&
  path !== commandsPage;
/** Tables for people who come from another tool name its options beside ours; what was measured names those of the benches. */
const namesOthers = (path: string): boolean => /^docs\/(from-[^/]+|performance)\.md$/.test(path);

/** Names values of the chart, which look like fields of a job. */
const namesValues = /^docs\/deploying\.md$/;

/** Options of other programs that guides name by themselves. */
const foreign = new Set([
  '--enable-automation',
  '--import',
  '--only',
  '--pictures',
  '--quick',
  '--stop-timeout',
]);
const everywhere = new Set(['--help', '--version']);

interface Known {
  /** For each command, such as `graph deps`, its options. */
  commands: ReadonlyMap<string, ReadonlySet<string>>;
  options: ReadonlySet<string>;
  /** Members of the page that handlers get. */
  page: ReadonlySet<string>;
  /** Fields of the job by path, such as `fetch.timeout`, each with what it takes. */
  fields: ReadonlyMap<string, string>;
  /** The first words of these paths. */
  sections: ReadonlySet<string>;
}

/** Commands, options, members of a page and fields of a job that guides name exist. */
export const namesInGuides: Rule = {
  name: 'names in guides',
  reads: ['md'],
  find(project) {
    const known = knownIn(project);
    return project.pages
      .filter(({ path }) => isGuide(path))
      .flatMap((page) => codeOf(page).flatMap((code) => unknown(page, code, known)));
  },
};

function knownIn({ pages }: Project): Known {
  const text = (path: string): string => pages.find((page) => page.path === path)?.text ?? '';
  const commands = new Map(
    text(commandsPage)
      .split(/^#{2,3} /m)
      .flatMap((section): [string, Set<string>][] => {
        const [, name] = /^`webfarer ([a-z][a-z -]*?)(?: [<[].*)?`/.exec(section) ?? [];
        return name === undefined ? [] : [[name, optionsIn(section)]];
      }),
  );
  const fields = fieldsIn(text(jobPage));
  const [, page = ''] = /^### Page\n([^]*?)(?=^### )/m.exec(text(referencePage)) ?? [];
  return {
    commands,
    options: optionsIn(text(commandsPage)),
    page: new Set([...page.matchAll(/^\| `(?:readonly )?([\w$]+)/gm)].map(([, name = '']) => name)),
    fields,
    sections: new Set([...fields.keys()].map((field) => field.split('.')[0] ?? '')),
  };
}

function optionsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option));
}

function fieldsIn(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const section of text.split(/^## /m)) {
    const [, name = ''] = /^([a-z]+)\n/.exec(section) ?? [];
    for (const [, field = '', takes = ''] of section.matchAll(/^\| `([\w.]+)` \| ([^|]*)\|/gm))
      fields.set(name === '' ? field : `${name}.${field}`, takes);
  }
  return fields;
}

/** A path below a field whose value has names of its own: those that are known, or any. */
function isField(path: string, fields: Known['fields']): boolean {
  if (fields.has(path) || [...fields.keys()].some((field) => field.startsWith(`${path}.`))) return true;
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    const takes = fields.get(path.slice(0, end));
    if (takes === undefined) continue;
    const [next = ''] = path.slice(end + 1).split('.');
    return takes.includes('names with values') || new RegExp(`\\b${next}\\b`).test(takes);
  }
  return false;
}

/** Files and hosts look like fields, too. */
const looksOtherwise = /\.(?:csv|db|html|json|jsonl|log|lua|md|org|parquet|ts|txt|yml)$/;

interface Code {
  text: string;
  line: number;
  /** A line of a block: it may go on a command of another program. */
  isBlock: boolean;
}

/** Spans of code, and the lines of blocks. */
function codeOf({ text }: Page): Code[] {
  let isBlock = false;
  return text.split('\n').flatMap((content, at): Code[] => {
    const line = at + 1;
    if (content.trimStart().startsWith('```')) {
      isBlock = !isBlock;
      return [];
    }
    if (isBlock) return [{ text: content.replace(/(^|\s)#.*$/, '').trim(), line, isBlock }];
    return [...content.matchAll(/`([^`]+)`/g)].map(([, span = '']) => ({ text: span, line, isBlock }));
  });
}

function unknown({ path }: Page, { text, line, isBlock }: Code, known: Known): Finding[] {
  const found = (message: string): Finding => ({ path, line, message });
  const [, member] = /^page\.([\w$]+)/.exec(text) ?? [];
  if (member !== undefined)
    return known.page.has(member) ? [] : [found(`page.${member}: a page has no such member`)];
  const [, field] = /^([a-z][A-Za-z]*(?:\.[A-Za-z]+)+)(?::.*)?$/.exec(text) ?? [];
  const [section = ''] = field?.split('.') ?? [];
  if (field !== undefined && !isBlock && known.sections.has(section) && !looksOtherwise.test(field))
    return path === jobPage || namesValues.test(path) || isField(field, known.fields)
      ? []
      : [found(`${field}: a job has no such field`)];
  const [, typed] = /^(?:\$ |npx )?webfarer ([a-z].*)$/.exec(text) ?? [];
  if (typed !== undefined) return unknownIn(typed, known).map(found);
  if (isBlock || !/^--[a-z]/.test(text) || namesOthers(path)) return [];
  return [...optionsIn(text)]
    .filter((option) => !known.options.has(option) && !foreign.has(option) && !everywhere.has(option))
    .map((option) => found(`${option}: no command has this option`));
}

function unknownIn(typed: string, { commands }: Known): string[] {
  const [own = ''] = typed.split(/ -- |[|&;>]/);
  const words = own.trim().split(/\s+/);
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((each) => commands.has(each));
  if (name === undefined) return [`webfarer ${words[0]}: there is no such command`];
  return [...optionsIn(own)]
    .filter((option) => !commands.get(name)?.has(option) && !everywhere.has(option))
    .map((option) => `webfarer ${name} has no option ${option}`);
}
