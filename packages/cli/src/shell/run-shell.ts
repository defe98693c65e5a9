import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type REPLServer, start } from 'node:repl';
import type { Readable, Writable } from 'node:stream';
import { callbackify, inspect, type InspectOptions, types } from 'node:util';
import { WebfarerError } from '@webfarer/protocol';
import { createEvaluator } from './evaluate.ts';
import type { PageSource, ShellPage } from './page-source.ts';

export interface RunShellOptions {
  source: PageSource;
  /** The page that the shell begins with. */
  first: ShellPage;
  input: Readable;
  output: Writable;
}

/** What an expression can use, as the prompt tells it. */
export const shellNames = 'page · $ · links · fetch(url) · explain(url)   .help · .exit';

/** A prompt with history and completion, until it is left. */
export async function runPrompt(
  options: RunShellOptions & { colour: boolean; historyFile: string },
): Promise<void> {
  const { input, output, colour } = options;
  const names = await namesOf(options.first);
  const writer = (value: unknown) => textOf(value) ?? told(value) ?? inspect(value, { colors: colour });
  const server = start({ prompt: '> ', input, output, terminal: true, ignoreUndefined: true, writer });
  awaitValues(server);
  Object.assign(server.context, names, actions(options, server.context));
  // A history that cannot be kept is no reason to refuse the shell.
  server.setupHistory(options.historyFile, () => undefined);
  await once(server, 'exit');
}

/** Most of what a page offers is a promise, and nobody wants to look at one. */
function awaitValues(server: REPLServer): void {
  const evaluate = server.eval;
  const own: typeof evaluate = (code, context, file, done) => {
    evaluate.call(server, code, context, file, (error, value: unknown) => {
      if (error !== null || !types.isPromise(value)) return done(error, value);
      callbackify(async () => await value)((failure, settled) => done(failure, settled));
    });
  };
  Object.assign(server, { eval: own });
}

/** An error of ours in words: where it was thrown says nothing to whoever typed the line. */
function told(value: unknown): string | undefined {
  if (!(value instanceof WebfarerError)) return undefined;
  return value.next === undefined ? value.message : `${value.message}\n${value.next}`;
}

/**
 * Evaluates what is piped in, line by line, writes each value whole, and answers how many pieces of code there were. Ends
 * at the first error, which it throws.
 */
export async function runLines(options: RunShellOptions): Promise<number> {
  const { input, output } = options;
  const { names, evaluate } = createEvaluator(await namesOf(options.first));
  Object.assign(names, actions(options, names));
  let evaluated = 0;
  let code = '';
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    code += code === '' ? line : `\n${line}`;
    if (code.trim() === '') continue;
    const result = await asOwn(() => evaluate(code));
    if (!result.isWhole) continue;
    evaluated++;
    code = '';
    if (result.value === undefined) continue;
    if (!output.write(`${wholeValue(result.value)}\n`)) await once(output, 'drain');
  }
  if (code.trim() !== '')
    throw new WebfarerError('usage', 'The input ends in the middle of an expression.', {
      next: `It began with:  ${code.trim().split('\n', 1)[0]}`,
    });
  return evaluated;
}

/** Errors of an expression come from a world of their own, where even `Error` is another one. */
async function asOwn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WebfarerError) throw error;
    const { name = 'Error', message = String(error) } = error as Partial<Error>;
    throw new WebfarerError('usage', `${name}: ${message}`);
  }
}

const nothingCut: InspectOptions = {
  depth: Number.POSITIVE_INFINITY,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: 120,
  getters: 'get',
};

/** Text as it is, everything else as it would be written in code; nothing is cut. */
export function wholeValue(value: unknown): string {
  return typeof value === 'string' ? value : (textOf(value) ?? inspect(value, nothingCut));
}

/** Bytes as text, and elements that were selected with `$` as HTML. */
function textOf(value: unknown): string | undefined {
  if (Buffer.isBuffer(value)) return value.toString();
  const isSelection = typeof value === 'object' && value !== null && 'cheerio' in value;
  return isSelection ? (value as { toString(): string }).toString() : undefined;
}

async function namesOf({ page, links }: ShellPage) {
  return { page, links, $: await page.$() };
}

/** `fetch` moves on to another page: the names are then those of that page. */
function actions({ source, first }: RunShellOptions, names: object) {
  let { page } = first;
  return {
    async fetch(url: string): Promise<ShellPage['page']> {
      const next = await namesOf(await source.open(String(url), page.url));
      page = next.page;
      Object.assign(names, next);
      return page;
    },
    explain: async (url: string) => await source.explain(String(url), page.url),
  };
}
