import { spawnSync } from 'node:child_process';

/** What git knows of the checkout. */
export interface History {
  head: string;
  /** Commits that lead to the head. */
  count: number;
  /** Why the commits of the ledger cannot be compared with; undefined where they can be. */
  missing: string | undefined;
  /** Files that differ from a commit, those not committed included; undefined for a commit that is not an ancestor. */
  changedSince(commit: string): string[] | undefined;
  /** Commits since then. */
  ageOf(commit: string): number;
  /** Files that differ from the head. */
  uncommitted(): string[];
}

export function historyOf(root: string): History {
  const git = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', ['-c', 'core.quotePath=false', ...args], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    return status === 0 ? stdout : undefined;
  };
  const lines = (text: string | undefined) => (text ?? '').split('\n').filter((line) => line !== '');
  const head = git('rev-parse', 'HEAD')?.trim();
  const untracked = () => lines(git('ls-files', '--others', '--exclude-standard'));
  const differing = (commit: string) => [
    ...lines(git('diff', '--no-renames', '--name-only', commit)),
    ...untracked(),
  ];
  const isShallow = git('rev-parse', '--is-shallow-repository')?.trim() !== 'false';
  const missing =
    head === undefined ? 'this is not a git checkout' : isShallow ? 'the clone is shallow' : undefined;
  return {
    head: head ?? '',
    count: Number(git('rev-list', '--count', 'HEAD') ?? 0),
    missing,
    changedSince: (commit) =>
      git('merge-base', '--is-ancestor', commit, 'HEAD') === undefined ? undefined : differing(commit),
    ageOf: (commit) => Number(git('rev-list', '--count', `${commit}..HEAD`) ?? 0),
    uncommitted: () => differing('HEAD'),
  };
}
