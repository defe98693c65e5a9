import { closest } from '@webfarer/protocol/job';
import type { Command } from 'commander';
import type { CliContext } from '../context/context.ts';
import { variableOf, wordsVariable } from './environment.ts';

/** Read besides the options of services: by every command, by steps of jobs, and by the check of the container. */
const others = [
  'STATE',
  'TOKEN',
  'AT',
  'CREDENTIALS',
  'IDENTITY_KEY',
  'ACCOUNTS_KEY',
  'SAVE_REDIS',
  'HEALTH_URL',
  'BROWSER',
  'BROWSER_PROXY',
].map((name) => `WEBFARER_${name}`);
/** Passwords that steps of jobs fill in, and what Kubernetes adds to each container for a service named webfarer. */
const byPattern = /^WEBFARER_(TYPE_\w+|(\w+_)?SERVICE_(HOST|PORT\w*)|(\w+_)?PORT(_\d+_\w+)?)$/;

/**
 * Warns of variables that nothing reads. A version that does not know WEBFARER_STORE_FILE would otherwise begin an empty
 * coordinator, and nobody would see why. They are no errors: an environment may be shared with other programs.
 */
export async function warnOfUnknownVariables(
  { environment = {}, terminal, version }: CliContext,
  allCommands: () => Promise<readonly Command[]>,
): Promise<void> {
  const given = Object.keys(environment).filter(
    (name) => name.startsWith('WEBFARER_') && environment[name]?.trim() !== '' && !byPattern.test(name),
  );
  if (given.length === 0) return;
  const known = new Set([...others, ...(await allCommands()).flatMap(variablesOf)]);
  for (const name of given.filter((one) => !known.has(one)).toSorted()) {
    const near = closest(name, known);
    const meant = near === undefined ? '' : ` Did you mean ${near}?`;
    terminal.err(`  ! ${name} is set, but Webfarer ${version} reads no such variable.${meant}\n`);
  }
}

function variablesOf(command: Command): string[] {
  const name = command.name();
  const all = [...command.options.map((option) => variableOf(name, option)), wordsVariable(name)];
  return all.flatMap((variable) => variable ?? []);
}
