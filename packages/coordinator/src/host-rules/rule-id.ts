/**
 * The ids of host rules and opt-outs in the registry: the pattern alone for all crawls, followed by the name of a team
 * where the rule is for the crawls of that team. Neither of the two has a space.
 */
export interface RuleId {
  match: string;
  /** Absent: it holds in all crawls. */
  team?: string;
}

export function ruleId({ match, team }: { match: string; team: string | undefined }): string {
  return team === undefined ? match : `${match} ${team}`;
}

export function ruleIn(id: string): RuleId {
  const [match = '', team] = id.split(' ');
  return team === undefined ? { match } : { match, team };
}
