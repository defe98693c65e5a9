import { WebfarerError } from '@webfarer/protocol';
import type { Command, Option } from 'commander';
import type { CliContext } from '../context/context.ts';
import { collect } from './home.ts';

/** Commands that run as services. Everything on their command line may come from the environment. */
const services: Record<string, { words?: string }> = {
  coordinator: { words: 'WEBFARER_JOB' },
  worker: { words: 'WEBFARER_COORDINATORS' },
  mcp: {},
  sink: { words: 'WEBFARER_CRAWL' },
};

/** These hold the secret itself and are read before every command: see secret-options.ts. */
const secretVariables: Record<string, string> = { '--store': 'WEBFARER_STORE', '--proxy': 'WEBFARER_PROXY' };
/** The variable named after the option holds the key itself, so the one for a file has another name. */
const otherNames: Record<string, string> = { '--identity-key': 'WEBFARER_IDENTITY_KEY_FILE' };

export function isService(command: string): boolean {
  return services[command] !== undefined;
}

/** The variable that stands for the words after the options, where a service takes some. */
export function wordsVariable(command: string): string | undefined {
  return services[command]?.words;
}

/** The variable that stands for an option of a service: `--tls-cert` is `WEBFARER_TLS_CERT`. */
export function variableOf(command: string, { long }: Pick<Option, 'long'>): string | undefined {
  if (!isService(command) || !long) return undefined;
  return (
    secretVariables[long] ??
    otherNames[long] ??
    `WEBFARER_${long.slice(2).replaceAll('-', '_').toUpperCase()}`
  );
}

/** For `--help` of a service. */
export function environmentNote(command: string): string {
  const words = wordsVariable(command);
  const also = words === undefined ? '' : `, and the words after the options as ${words}`;
  return `\nIn the environment: --log-in as WEBFARER_LOG_IN, and so on for every option${also}.\nAn option on the command line takes precedence. docs/commands.md lists the variables.\n`;
}

/**
 * The command line with what the environment adds to it. Options come first, so that those that were typed win; what
 * is typed at all replaces lists. An empty variable counts as unset: that is how compose files leave one out.
 */
export function withEnvironment(
  argv: readonly string[],
  env: NonNullable<CliContext['environment']>,
  { command, operands }: { command: Command | undefined; operands: (words: string[]) => string[] },
): string[] {
  const [name = '', ...typed] = argv;
  if (command === undefined || !isService(name)) return [...argv];
  const options = command.options.flatMap((option) => {
    const variable = variableOf(name, option) ?? '';
    const value = env[variable]?.trim() ?? '';
    if (value === '' || isTyped(option, typed) || (option.long ?? '') in secretVariables) return [];
    return wordsFor(option, { variable, value });
  });
  return [name, ...options, ...typed, ...givenWords(typed, env[wordsVariable(name) ?? ''], operands)];
}

function givenWords(
  typed: string[],
  value: string | undefined,
  operands: (words: string[]) => string[],
): string[] {
  const words = listed(value ?? '');
  return words.length === 0 || operands(typed).length > 0 ? [] : words;
}

/** `--store-file` of the environment yields to a typed `--store` too. */
function isTyped({ long = '' }: Option, typed: string[]): boolean {
  const rivals = [long, long.replace(/-file$/, '')];
  return typed.some((word) => rivals.some((rival) => word === rival || word.startsWith(`${rival}=`)));
}

function wordsFor(option: Option, { variable, value }: { variable: string; value: string }): string[] {
  const { long = '', required, optional } = option;
  if (!required && !optional) return isOn(variable, value) ? [long] : [];
  if (optional && /^(1|true|yes|on)$/i.test(value)) return [long];
  const values = isRepeatable(option) ? listed(value) : [value];
  return values.map((each) => `${long}=${each}`);
}

/** Those that collect their values; the others have no parser of their own, or one that takes a single value. */
function isRepeatable({ parseArg, variadic }: Option): boolean {
  return variadic || parseArg === collect;
}

function listed(value: string): string[] {
  return value.split(/\s+/).filter((word) => word !== '');
}

function isOn(variable: string, value: string): boolean {
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off)$/i.test(value)) return false;
  throw new WebfarerError('usage', `${variable} is "${value}", which is neither true nor false`, {
    next: `Set ${variable} to true or false, or leave it out.`,
  });
}
