import { isListed } from './not-run.ts';
import type { DocCommand } from './page-commands.ts';
import { scenes } from './scenes.ts';

/** Commands that are neither run in a scene nor listed with a reason. */
export function uncovered(commands: readonly DocCommand[]): DocCommand[] {
  const run = new Set(scenes.flatMap(({ pages }) => pages));
  return commands.filter((command) => !run.has(command.page) && !isListed(command));
}
