import type { Project, Source } from '../check/project.ts';
import { dependencies, type Needs } from './dependencies.ts';
import { type Header, headerOf } from './header.ts';
import { type Kind, kindOf } from './kind.ts';

/** Something that CI runs or leaves out as a whole. */
export interface Part extends Header {
  /** `prove NAME`, `bench NAME` or the path of a test file. */
  id: string;
  kind: Kind;
  file: string;
  /** Whether a change of this file may break it. */
  isNear(changed: string): boolean;
}

/** Decide how everything is installed or run: whatever depends on them, nobody can say. */
const underAll = new Set(['package-lock.json', 'package.json', '.nvmrc', '.npmrc', 'scripts/setup']);

export function partsOf(project: Project): Part[] {
  const needs = dependencies(project);
  return project.sources.flatMap((source) => {
    const kind = kindOf(source);
    return kind === undefined ? [] : [partOf(source, kind, needs)];
  });
}

const runners = { proof: 'test/prove.ts', bench: 'bench/bench.ts', test: 'vitest.config.ts' };
const verbs = { proof: 'prove', bench: 'bench' };

function partOf(source: Source, kind: Kind, needs: Needs): Part {
  const header = headerOf(source.text);
  const name = source.path.slice(source.path.lastIndexOf('/') + 1, -'.ts'.length);
  // A proof starts the whole product: what it loads of it says nothing, so it names what it is about.
  const needed = () => (kind === 'test' ? needs(source.path) : needs(source.path, 'around'));
  const isNeeded = (changed: string) =>
    needed().has(changed) && (kind === 'test' || !changed.startsWith('packages/'));
  const isWatched = (changed: string) =>
    header.watches.some((path) => changed === path || changed.startsWith(`${path}/`));
  return {
    ...header,
    id: kind === 'test' ? source.path : `${verbs[kind]} ${name}`,
    kind,
    file: source.path,
    isNear: (changed) =>
      changed === source.path ||
      underAll.has(changed) ||
      changed === runners[kind] ||
      isWatched(changed) ||
      isNeeded(changed),
  };
}
