import { dishonestPorts } from './exceptions.ts';
import type { Finding, Rule, Source } from './project.ts';
import type { Token } from './tokens.ts';

const listPath = 'scripts/check/ports.ts';

/** Interfaces, or members of them, that may be as they are. */
const exceptions = new Set([
  // Functions of a user's program: it gives those that it has.
  'CrawlOptions',
  'Hooks',
  'HandlingContext',
  'LoadedScraper',
  'ReplayOptions.onProgress',
  'CrawlPlan.items',
  // Descriptions of what is shown or written; their functions pick a value.
  'Column',
  'TableColumn',
  'Choices',
  'BarOptions',
  // For tests and proofs.
  'SqliteFrontierOptions.failpoint',
  'DrainOptions.failpoint',
  'StoreOptions.fault',
  'StoreOptions.loseAnswers',
  ...dishonestPorts,
]);

/**
 * A port is an exported interface with at least one member that can be called: something that is implemented, not only
 * described. None of its members may be optional: whoever calls it would have to ask first whether it is there, and
 * whoever implements it could forget it unnoticed. What is handed to a function as one argument (`...Options`,
 * `...Request`) may leave out values for which there is a default, but no function: callers pass what they mean.
 */
export const ports: Rule = portsExcept(exceptions, dishonestPorts.length);

export function portsExcept(allowed: ReadonlySet<string>, count = 0): Rule {
  return {
    name: `optional members of ports (${count} exceptions)`,
    reads: ['ts', 'tsx'],
    find({ sources }) {
      const used = new Set<string>();
      const found = sources
        .filter(({ inPackages, isTest }) => inPackages && !isTest)
        .flatMap((source) => optionalMembers(source, allowed, used));
      const unused = [...allowed].filter((name) => !used.has(name));
      return [
        ...found,
        ...unused.map((name): Finding => {
          return {
            path: listPath,
            line: 1,
            message: `${name} is no exception any more: take it off the list`,
          };
        }),
      ];
    },
  };
}

interface Member {
  name: string;
  line: number;
  isOptional: boolean;
  isCallable: boolean;
}

/** Notes which of the exceptions were needed. */
function optionalMembers(
  { path, tokens }: Source,
  allowed: ReadonlySet<string>,
  used: Set<string>,
): Finding[] {
  const found: Finding[] = [];
  for (const { name, members } of exportedInterfaces(tokens)) {
    if (!members.some(({ isCallable }) => isCallable)) continue;
    const isArgument = /(Options|Request)$/.test(name);
    for (const { name: member, line, isOptional, isCallable } of members) {
      if (!isOptional || (isArgument && !isCallable)) continue;
      const exception = [name, `${name}.${member}`].find((each) => allowed.has(each));
      if (exception !== undefined) {
        used.add(exception);
        continue;
      }
      const message = `${name}.${member} is optional: make it required, or give it a port of its own`;
      found.push({ path, line, message });
    }
  }
  return found;
}

function exportedInterfaces(tokens: readonly Token[]): { name: string; members: Member[] }[] {
  const found: { name: string; members: Member[] }[] = [];
  for (let i = 0; i + 2 < tokens.length; i++) {
    if (tokens[i]?.text !== 'export' || tokens[i + 1]?.text !== 'interface') continue;
    const name = tokens[i + 2]?.text ?? '';
    // Past `extends` and type parameters, which may hold braces of their own.
    let at = i + 3;
    for (let angles = 0; at < tokens.length; at++) {
      angles += angleOf(tokens, at);
      if (angles === 0 && tokens[at]?.text === '{') break;
    }
    found.push({ name, members: membersFrom(tokens, at + 1) });
  }
  return found;
}

/** The members of an interface whose opening brace is just before. */
function membersFrom(tokens: readonly Token[], start: number): Member[] {
  const members: Member[] = [];
  let begin = start;
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const text = signAt(tokens, at);
    if (text === '{' || text === '(' || text === '[') depth++;
    else if (text === '}' && depth === 0) break;
    else if (text === '}' || text === ')' || text === ']') depth--;
    else if (text === ';' && depth === 0) {
      const member = memberOf(tokens.slice(begin, at));
      if (member) members.push(member);
      begin = at + 1;
    }
  }
  return members;
}

const modifiers = new Set(['readonly', 'get', 'set']);

function memberOf(tokens: readonly Token[]): Member | undefined {
  let at = 0;
  while (modifiers.has(tokens[at]?.text ?? '') && tokens[at + 1]?.kind !== 'sign') at++;
  const name = tokens[at];
  if (!name || name.kind === 'sign') return undefined;
  at++;
  const isOptional = signAt(tokens, at) === '?';
  if (isOptional) at++;
  const next = signAt(tokens, at);
  const isMethod = next === '(' || next === '<';
  const isFunction = next === ':' && isFunctionType(tokens.slice(at + 1));
  return { name: name.text, line: name.line, isOptional, isCallable: isMethod || isFunction };
}

/** `(a: A) => B`, in brackets or not, perhaps one of several kinds. */
function isFunctionType(type: readonly Token[]): boolean {
  let depth = 0;
  for (let at = 0; at < type.length; at++) {
    const text = signAt(type, at);
    if (text === '(') depth++;
    else if (text === ')') {
      depth--;
      if (depth <= 1 && isArrow(type, at + 1)) return true;
    } else if (depth === 0 && (text === '{' || text === '[' || text === '<')) return false;
  }
  return false;
}

function isArrow(tokens: readonly Token[], at: number): boolean {
  const text = signAt(tokens, at);
  return text === '=>' || (text === '=' && signAt(tokens, at + 1) === '>');
}

function angleOf(tokens: readonly Token[], at: number): number {
  const text = signAt(tokens, at);
  if (text === '<') return 1;
  return text === '>' && signAt(tokens, at - 1) !== '=' ? -1 : 0;
}

function signAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.kind === 'sign' ? token.text : '';
}
