import type { Url } from '../base/brands.ts';
import type { RobotsCopy } from '../link/link.ts';
import { pathOf } from '../url/url.ts';
import { parseRobots, type Robots } from './robots.ts';

export interface RobotsVerdict {
  allowed: boolean;
  /** What decided, in words: `robots.txt line 14 "Disallow: /search" (User-agent: *)`. */
  rule?: string;
  line?: number;
  crawlDelayMs?: number;
}

/** What a copy of robots.txt says about a URL. */
export function robotsVerdict(copy: RobotsCopy, userAgentToken: string, url: Url): RobotsVerdict {
  const robots = copy.state === 'rules' ? parseRobots(copy.body) : undefined;
  return decideByRobots(copy, robots, { userAgentToken, url });
}

/** The same for a copy that was parsed before. `userAgentToken` is the product name alone, as rules use it. */
export function decideByRobots(
  copy: RobotsCopy,
  robots: Robots | undefined,
  { userAgentToken, url }: { userAgentToken: string; url: Url },
): RobotsVerdict {
  if (copy.state === 'unreachable') return { allowed: false, rule: 'robots.txt could not be read' };
  if (copy.state === 'absent' || !robots) return { allowed: true };
  const delay = robots.crawlDelayMs(userAgentToken);
  const crawlDelay = delay === undefined ? {} : { crawlDelayMs: delay };
  const path = pathOf(url);
  // The file itself is implicitly allowed (RFC 9309, 2.2.2).
  if (path === '/robots.txt') return { allowed: true, ...crawlDelay };
  const { allowed, line, text, agent, isCut } = robots.decide(userAgentToken, path);
  if (isCut) return { allowed, rule: 'robots.txt has more rules than are tried on one URL', ...crawlDelay };
  if (line === undefined) return { allowed, ...crawlDelay };
  return { allowed, line, rule: `robots.txt line ${line} "${text}" (User-agent: ${agent})`, ...crawlDelay };
}
