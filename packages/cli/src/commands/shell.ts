import type { CommandHome } from './home.ts';
export function addShellCommand(_home: CommandHome): void {}
