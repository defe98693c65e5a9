import type { ImportOf } from './imports.ts';
import type { Finding, Rule, Source } from './project.ts';
import type { Token } from './tokens.ts';

/** Something only a few files of the packages may do. */
interface Confined {
  name: string;
  /** Files of packages that may; tests always may. */
  home: RegExp;
  instead: string;
  /** A comment `// allow(word): reason` on the line or the one above lets a single use pass. */
  escape?: string;
  uses(source: Source): { line: number; what: string }[];
}

const wall = ['Date.now', 'new Date()', 'performance.now', 'setTimeout', 'setInterval'];
const socketModules = /^(node:)?(net|tls|http|https|http2|dgram|dns)(\/promises)?$|^(undici|ws)($|\/)/;
/** Of `node:net`, what only looks at text. */
const harmless = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList']);

const table: Confined[] = [
  {
    name: 'URL parsing',
    home: /^packages\/protocol\/src\/url\/[^/]*\.ts$/,
    instead: 'parse through @webfarer/protocol; for a file beside this one use import.meta.dirname',
    uses: ({ tokens }) => sequences(tokens, ['new URL(', 'URL.parse(', 'URL.canParse(']),
  },
  {
    name: 'sockets',
    home: /^packages\/(worker\/src\/(egress\/[^/]*|link\/socket)|coordinator\/src\/(redis\/wire\/(connection|tls-files)|link\/sockets|api\/http\/(http-server|tls-files))|cli\/src\/network\/coordinator-fetch|console\/browser\/api\/live)\.ts$/,
    instead: 'to the web through the one egress, to the store and the network through their connections',
    uses: ({ tokens, imports }) => [
      ...imports.filter(opensSockets).map(({ specifier, line }) => ({ line, what: specifier })),
      ...sequences(tokens, ['new WebSocket(', 'new EventSource(', 'globalThis.fetch', ...bareFetch(tokens)]),
    ],
  },
  {
    name: 'time',
    home: /^packages\/(protocol\/src\/base\/clock|cli\/src\/view\/[^/]+|console\/browser\/.+)\.tsx?$/,
    instead: 'take a Clock',
    escape: 'time',
    uses: ({ tokens, imports }) => [
      ...sequences(tokens, wall).filter(({ owner }) => owner === undefined || owner === 'globalThis'),
      ...imports
        .filter(({ specifier }) => /^(node:)?timers/.test(specifier))
        .map(({ specifier, line }) => ({ line, what: specifier })),
    ],
  },
  {
    name: 'the environment',
    home: /^packages\/cli\/src\/(main|machine\/(browser-settings|save-settings|state-folder)|processes\/worker-main)\.ts$/,
    instead: 'configuration and signals are arguments, read where a process begins: packages/cli/src/main.ts',
    uses: ({ tokens }) => [...sequences(tokens, ['process.env']), ...signalHandlers(tokens)],
  },
  {
    name: 'chance',
    home: /^packages\/(cli\/src\/(commands(\/[a-z]+)?|local|network|processes)\/[^/]+|console\/browser\/api\/live)\.ts$/,
    instead: 'take `random`',
    escape: 'chance',
    uses: ({ tokens }) => sequences(tokens, ['Math.random']),
  },
  {
    name: 'making regular expressions',
    home: /^packages\/protocol\/src\/expression\/[^/]*\.ts$/,
    instead: 'one of a job or a page is made by createExpression; one of our own is a literal',
    escape: 'expression',
    uses: ({ tokens }) => madeExpressions(tokens),
  },
  {
    name: 'state of a module',
    // Where a process, a thread or a page begins there is one of each anyway.
    home: /^packages\/(cli\/src\/main|graph\/src\/hostgraph\/crew-thread|graph\/src\/report\/browser\/[^/]+)\.ts$/,
    instead: 'make it a field or an argument',
    escape: 'state',
    uses: ({ tokens }) => moduleState(tokens),
  },
];

/** URL parsing, sockets, time, the environment, chance and state have their homes. */
export const confined: Rule = {
  name: 'things with one home',
  reads: ['ts', 'tsx'],
  find(project) {
    const shipped = project.sources.filter(({ inPackages, isTest }) => inPackages && !isTest);
    return table.flatMap((thing) =>
      shipped.filter(({ path }) => !thing.home.test(path)).flatMap((source) => findings(thing, source)),
    );
  },
};

function findings(thing: Confined, source: Source): Finding[] {
  return thing
    .uses(source)
    .filter(({ line }) => !(thing.escape !== undefined && isAllowed(source, thing.escape, line)))
    .map(({ line, what }) => ({
      path: source.path,
      line,
      message: `${what}: ${thing.name} has its own home; ${thing.instead}`,
    }));
}

/** The reason must be there: an escape without one does not count. */
function isAllowed(source: Source, escape: string, line: number): boolean {
  return source.comments.some(
    (comment) =>
      (comment.line === line || comment.line === line - 1) &&
      comment.text.startsWith(`allow(${escape}): `) &&
      comment.text.length > `allow(${escape}): `.length + 10,
  );
}

interface Sequence {
  line: number;
  what: string;
  /** What stands before a dot in front, to tell `setTimeout` from `socket.setTimeout`. */
  owner: string | undefined;
}

/** Places where the tokens spell one of the patterns, which are cut into words and signs themselves. */
function sequences(tokens: Token[], patterns: string[]): Sequence[] {
  const cut = patterns.map((pattern) => ({ what: pattern, parts: pattern.match(/\w+|[^\w\s]/g) ?? [] }));
  return tokens.flatMap((token, at) => {
    const hit = cut.find(({ parts }) =>
      parts.every((part, i) => {
        const here = tokens[at + i];
        return here?.text === part && (here.kind === 'word' || here.kind === 'sign');
      }),
    );
    if (hit === undefined) return [];
    const owner = tokens[at - 1]?.text === '.' ? tokens[at - 2]?.text : undefined;
    return [{ line: token.line, what: hit.what.replace(/\($/, ''), owner }];
  });
}

/** `new RegExp` of anything but a text that is written out. */
function madeExpressions(tokens: Token[]): { line: number; what: string }[] {
  return tokens.flatMap(({ kind, text, line }, at) => {
    if (kind !== 'word' || text !== 'RegExp' || tokens[at + 1]?.text !== '(') return [];
    const isWritten = tokens[at + 2]?.kind === 'string' && /^[,)]$/.test(tokens[at + 3]?.text ?? '');
    return isWritten ? [] : [{ line, what: 'RegExp' }];
  });
}

const collections = new Set(['Map', 'Set', 'WeakMap', 'WeakSet']);
const changes = new Set(['set', 'add', 'delete', 'clear']);

/** Variables outside any function or class that can change: `let`, and collections that the file itself changes. */
function moduleState(tokens: Token[]): { line: number; what: string }[] {
  const found: { line: number; what: string }[] = [];
  let depth = 0;
  let name = '';
  for (const [at, { kind, text, line }] of tokens.entries()) {
    if (kind === 'sign' && '{(['.includes(text)) depth++;
    else if (kind === 'sign' && '})]'.includes(text)) depth--;
    else if (kind === 'template') depth += Number(text.endsWith('${')) - Number(text.startsWith('}'));
    if (depth !== 0 || kind !== 'word') continue;
    const next = tokens[at + 1]?.text ?? '';
    if (text === 'const') name = next;
    else if (text === 'let') found.push({ line, what: `let ${next}` });
    else if (text === 'new' && collections.has(next) && isChanged(name, tokens))
      found.push({ line, what: `${next} ${name}` });
  }
  return found;
}

function isChanged(name: string, tokens: Token[]): boolean {
  return tokens.some(
    ({ text }, at) =>
      text === name && tokens[at + 1]?.text === '.' && changes.has(tokens[at + 2]?.text ?? ''),
  );
}

function opensSockets({ specifier, typeOnly, names }: ImportOf): boolean {
  if (typeOnly || !socketModules.test(specifier)) return false;
  return names.length === 0 || names.some((name) => !harmless.has(name));
}

/** `await fetch(` and the like mean the global one, unless the file has a `fetch` of its own. */
function bareFetch(tokens: Token[]): string[] {
  const own = tokens.some(
    (token, at) =>
      token.text === 'fetch' &&
      ['function', 'const', 'let', '{', ',', '('].includes(tokens[at - 1]?.text ?? '') &&
      tokens[at + 1]?.text !== '(' &&
      tokens[at + 1]?.text !== '.',
  );
  return own ? [] : ['await fetch(', 'return fetch(', '=> fetch(', '= fetch(', 'void fetch('];
}

function signalHandlers(tokens: Token[]): { line: number; what: string }[] {
  return sequences(tokens, ['process.on(', 'process.once(']).filter(({ line }) =>
    tokens.some((token) => token.line === line && token.kind === 'string' && token.text.startsWith('SIG')),
  );
}
