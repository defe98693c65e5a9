import { borders } from './borders.ts';
import { browserSafe } from './browser-safe.ts';
import { ciHeaders } from './ci-headers.ts';
import { confined } from './confined.ts';
import { cycles, folderCycles } from './cycles.ts';
import { dependencies } from './dependencies.ts';
import { namedExports } from './exports.ts';
import { figures } from './figures.ts';
import { folderSize, functionSize } from './limits.ts';
import { mutantsFit } from './mutants.ts';
import { namesInGuides } from './names.ts';
import { ports } from './ports.ts';
import type { Rule } from './project.ts';
import { references } from './references.ts';
import { size } from './size.ts';
import { workerStages } from './stages.ts';
import { threats } from './threats.ts';

/** The rules no ready-made tool checks for us, in the order they are run. */
export const rules: readonly Rule[] = [
  cycles,
  folderCycles,
  borders,
  workerStages,
  browserSafe,
  size,
  functionSize,
  folderSize,
  dependencies,
  confined,
  namedExports,
  ports,
  mutantsFit,
  ciHeaders,
  references,
  figures,
  namesInGuides,
  threats,
];
