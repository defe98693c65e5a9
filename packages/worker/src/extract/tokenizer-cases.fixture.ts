import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeAttribute } from './entities.ts';
import { scanHtml } from './html-scanner.ts';

export type Token = [kind: string, ...rest: unknown[]];

/** Start and end tags as the test files of html5lib write them. */
export function tags(html: string, options: { xml?: boolean; foreign?: boolean } = {}): Token[] {
  const found: Token[] = [];
  let name = '';
  let attributes: Record<string, string> = {};
  scanHtml(
    html,
    {
      open(tag) {
        name = tag;
        attributes = {};
        return true;
      },
      attribute(key, start, end) {
        if (!Object.hasOwn(attributes, key)) attributes[key] = decodeAttribute(html.slice(start, end));
      },
      opened(selfClosing) {
        found.push(selfClosing ? ['StartTag', name, attributes, true] : ['StartTag', name, attributes]);
      },
      close: (tag) => void found.push(['EndTag', tag]),
      text: (start, end) => void (end > start ? undefined : found.push(['empty text'])),
      isForeign: () => options.foreign ?? false,
      raw: () => {},
    },
    { xml: options.xml ?? false },
  );
  return found;
}

interface Case {
  description: string;
  input: string;
  output: Token[];
  initialStates?: string[];
  lastStartTag?: string;
  doubleEscaped?: boolean;
}

/** Where a case begins inside something: what has to stand before it to get the scanner there. */
const beginnings: Readonly<Record<string, { elements: string[]; text?: string }>> = {
  'Data state': { elements: [], text: '' },
  'PLAINTEXT state': { elements: ['plaintext'] },
  'RCDATA state': { elements: ['title', 'textarea'] },
  'RAWTEXT state': { elements: ['xmp', 'style', 'iframe', 'noembed', 'noframes'] },
  'Script data state': { elements: ['script'] },
  'CDATA section state': { elements: [], text: '<![CDATA[' },
};

/** What stands before the input; undefined where no page can lead there. */
function beginning(state: string, lastStartTag: string | undefined): string | undefined {
  const { elements = [], text } = beginnings[state] ?? {};
  if (text !== undefined) return text;
  const element = elements.find((name) => lastStartTag === undefined || name === lastStartTag);
  return element === undefined ? undefined : `<${element}>`;
}

export interface TokenizerRun {
  /** Cases that were compared; one that names several states counts once for each. */
  cases: number;
  differences: { file: string; description: string; state: string }[];
  /** Cases that begin where no page can lead: an end tag is due that the state does not have. */
  left: number;
}

/** Every case of a folder of html5lib tokenizer tests, compared by tags and attributes. */
export function runTokenizerCases(folder: string, read: typeof tags = tags): TokenizerRun {
  const run: TokenizerRun = { cases: 0, differences: [], left: 0 };
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.test'))) {
    const parsed = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, Case[] | undefined>;
    for (const test of [...(parsed.tests ?? []), ...(parsed.xmlViolationTests ?? [])]) {
      for (const state of test.initialStates ?? ['Data state']) {
        const before = beginning(state, test.lastStartTag);
        if (before === undefined) run.left += 1;
        else {
          run.cases += 1;
          if (!agrees(test, before, read))
            run.differences.push({ file, description: test.description, state });
        }
      }
    }
  }
  return run;
}

function agrees(test: Case, before: string, read: typeof tags): boolean {
  const unescaped = test.doubleEscaped ? (JSON.parse(unescape(JSON.stringify(test))) as Case) : test;
  // The standard puts a page's line ends in order before its tokenizer sees them.
  const input = unescaped.input.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const ours = read(before + input, { foreign: before === '<![CDATA[' });
  const wanted = unescaped.output.filter(([kind]) => kind === 'StartTag' || kind === 'EndTag');
  return plain(before.startsWith('<!') || before === '' ? ours : ours.slice(1)) === plain(wanted);
}

/** In files that escape twice, `\\u0041` is the character itself. */
const unescape = (json: string): string => json.replaceAll('\\\\u', '\\u');

/** The standard puts U+FFFD where NUL stood; the scanner leaves it to whoever reads the value. */
const plain = (tokens: Token[]): string => JSON.stringify(tokens).replaceAll('\\u0000', '\ufffd');
