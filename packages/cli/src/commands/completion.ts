import { Argument } from 'commander';
import { completionScript, installHints, type Shell, shells } from '../completion/scripts.ts';
import { commandShapes, shapeOf } from '../completion/shape.ts';
import type { CommandHome } from './home.ts';

export function addCompletionCommand({ program, context }: CommandHome): void {
  const hints = shells.map((shell) => `  ${installHints[shell]}`);
  program
    .command('completion')
    .description('Prints a script that lets your shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', `\nKeep it where the shell looks for it:\n${hints.join('\n')}\n`)
    .action((shell: Shell) => {
      context.terminal.out(completionScript(shell, shapeOf(program), commandShapes(program)));
    });
}
