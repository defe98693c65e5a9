import type { Command, Option } from 'commander';

/** What a shell needs to know of a command, read off the program itself: it cannot go stale. */
export interface CommandShape {
  name: string;
  summary: string;
  options: OptionShape[];
  /** Commands below it, or words its first argument may be. */
  words: { name: string; summary: string }[];
}

export interface OptionShape {
  /** `--limit`, and `-V` where there is one. */
  long: string;
  short?: string;
  summary: string;
  takesValue: boolean;
  /** The only values it may have. */
  choices: readonly string[];
}

export function shapeOf(program: Command): CommandShape {
  const help = program.createHelp();
  return {
    name: program.name(),
    summary: help.subcommandDescription(program),
    options: help.visibleOptions(program).flatMap(optionOf),
    words: [...wordsOf(program), ...choicesOf(program)],
  };
}

/** All commands that help shows, one level below the program. */
export function commandShapes(program: Command): CommandShape[] {
  return visible(program).map(shapeOf);
}

function visible(program: Command): Command[] {
  return program.createHelp().visibleCommands(program);
}

function wordsOf(command: Command): CommandShape['words'] {
  const help = command.createHelp();
  return visible(command).map((sub) => ({ name: sub.name(), summary: help.subcommandDescription(sub) }));
}

function choicesOf(command: Command): CommandShape['words'] {
  const [first] = command.registeredArguments;
  return (first?.argChoices ?? []).map((name) => ({ name, summary: '' }));
}

function optionOf({ long, short, description, argChoices, required, optional }: Option): OptionShape[] {
  if (!long) return [];
  return [
    {
      long,
      ...(short ? { short } : {}),
      summary: description,
      takesValue: required || optional,
      choices: argChoices ?? [],
    },
  ];
}
