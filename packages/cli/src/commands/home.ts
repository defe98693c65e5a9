import { WebfarerError } from '@webfarer/protocol';
import type { Command } from 'commander';
import type { CliContext } from '../context/context.ts';

/** What a command is added to, and how it hands its exit code back. */
export interface CommandHome {
  program: Command;
  context: CliContext;
  exit: (code: number) => void;
}

/** `--limit`: how many lines of a list are printed. */
export function lineLimit(text: string | undefined, usually: number): number {
  if (text === undefined) return usually;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new WebfarerError('usage', `--limit needs a whole number, not "${text}".`);
}

export { collect } from '../context/command-line.ts';
