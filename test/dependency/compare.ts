import type { Url } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import type { SourceScore } from '../../packages/graph/src/dependency/scores.ts';
import { type ReferenceScore, referenceScore, type SmallWeb } from './reference.ts';

/** How far scores are from the reference, and what else is wrong with them. */
export interface Comparison {
  maxError: number;
  /** Targets that are reported and should not be, or the other way round; counts that differ. */
  wrong: string[];
  /** Shares so close to the threshold that either side is right. */
  undecided: number;
}

/** Nearer to the threshold than this, a share may fall on either side. */
const margin = 1e-9;

export function compareScores(web: SmallWeb, scores: readonly SourceScore[], threshold: number): Comparison {
  const total: Comparison = { maxError: 0, wrong: [], undecided: 0 };
  for (const score of scores) {
    const reference = referenceScore(web, pagesOf(web, score), (url) => nameAt(score.level, url as Url));
    compareSource(score, reference, { threshold, total });
  }
  return total;
}

function pagesOf(web: SmallWeb, { level, source }: SourceScore): string[] {
  const pages = [...web.pages.keys()];
  return level === 'host' ? pages.filter((url) => hostOf(url as Url) === source) : pages;
}

function nameAt(level: SourceScore['level'], url: Url): string {
  if (level === 'page') return url;
  return level === 'host' ? hostOf(url) : siteOf(hostOf(url));
}

function compareSource(
  score: SourceScore,
  reference: ReferenceScore,
  { threshold, total }: { threshold: number; total: Comparison },
): void {
  const name = `${score.level} ${score.source}`;
  const off = (ours: number, right: number): void => {
    const error = Math.abs(ours - right);
    total.maxError = Math.max(total.maxError, Number.isNaN(error) ? Number.POSITIVE_INFINITY : error);
  };
  for (const part of ['leaves', 'stopped', 'ended', 'lost'] as const) off(score[part], reference[part]);
  if (score.targets !== reference.targets.size) total.wrong.push(`${name}: ${score.targets} targets`);
  const ours = new Map(score.dependencies.map((found) => [found.target, found]));
  let rest = 1;
  for (const [target, right] of reference.targets) {
    const found = ours.get(target);
    ours.delete(target);
    if (Math.abs(right.share - threshold) < margin) total.undecided++;
    else if ((found !== undefined) !== right.share > threshold) total.wrong.push(`${name} to ${target}`);
    if (found === undefined) continue;
    rest -= right.share;
    off(found.share, right.share);
    off(found.reachable, right.reachable);
    if (found.pages !== right.pages || found.links !== right.links)
      total.wrong.push(`${name} to ${target}: ${found.pages} pages, ${found.links} links`);
  }
  for (const target of ours.keys()) total.wrong.push(`${name} to ${target}, which is no target`);
  if (reference.targets.size > 0) off(score.rest, rest);
}
