import type { CommandHome } from './home.ts';
export function addWarcCommand(_home: CommandHome): void {}
