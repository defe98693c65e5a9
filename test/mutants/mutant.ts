import type { Change } from '../faults/changed-source.ts';

/**
 * A fault put into the product on purpose. The proof named for it must notice: a proof that stays green with the
 * rule gone proves nothing about the rule.
 */
export interface Mutant extends Change {
  /** What is wrong with it, in a few words with hyphens; unique. */
  name: string;
  /** What would happen to a user. */
  why: string;
  /** What must fail. */
  killer: TestKiller | ProofKiller;
  /** Further places that change together with the first. */
  more?: readonly Change[];
}

export interface TestKiller {
  /** A vitest file. */
  test: string;
  /** Part of the name of the case that must fail; ` > ` stands between it and its describe blocks. */
  case: string;
  /**
   * The case must fail in an assertion. A case whose failure is an error of another kind, such as a condition that
   * never comes true, says here what its message has in it.
   */
  says?: string;
}

export interface ProofKiller {
  proof: string;
  args: readonly string[];
  /** A field of the proof's line of JSON, `part.field` within a part, that differs from the one of the unchanged product. */
  field: string;
}

/** Unique for each run that kills: mutants share the run against the unchanged product. */
export function killerName(killer: Mutant['killer']): string {
  return 'test' in killer ? killer.test : `prove ${killer.proof} ${killer.args.join(' ')}`;
}

export function changesOf({ file, from, to, more = [] }: Mutant): Change[] {
  return [{ file, from, to }, ...more];
}
