import type { Finding, Page, Project, Rule } from './project.ts';

/** Made from the code and compared with it by a test, so that other pages may be compared with them. */
const commandsPage = 'docs/commands.md';
const referencePage = 'docs/reference.md';

/** Guides: pages that tell a person what to type. Decisions and the changelog tell what was. */
const isGuide = (path: string): boolean =>
  /^(docs\/(recipes\/)?[^/]+|packages\/[^/]+\/README|README|ARCHITECTURE)\.md$/.test(path) &&
  path !== commandsPage;
/** Tables for people who come from another tool name its options beside ours; what was measured names those of the benches. */
const namesOthers = (path: string): boolean => /^docs\/(from-[^/]+|performance)\.md$/.test(path);

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
}

/** Commands, options and members of a page that guides name exist. */
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
  const [, page = ''] = /^### Page\n([^]*?)(?=^### )/m.exec(text(referencePage)) ?? [];
  return {
    commands,
    options: optionsIn(text(commandsPage)),
    page: new Set([...page.matchAll(/^\| `(?:readonly )?([\w$]+)/gm)].map(([, name = '']) => name)),
  };
}

function optionsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option));
}

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
