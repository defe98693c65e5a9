import type { RobotsCopy, Url } from '@webfarer/protocol';
import { decideByRobots, parseRobots, type Robots, type RobotsVerdict } from '@webfarer/protocol/robots';
import { parseUrl } from '@webfarer/protocol/url';

/** Copies of robots.txt, each parsed once for as long as it is in use. */
export interface RobotsFiles {
  /** `userAgentToken` is the product name alone, as rules use it. */
  verdict(copy: RobotsCopy, userAgentToken: string, url: Url): RobotsVerdict;
  /** Names of sitemaps are as written; they may be relative to the origin. */
  sitemaps(copy: RobotsCopy): string[];
}

const maxFiles = 2_000;
const maxCharacters = 16_000_000;

export function createRobotsFiles(): RobotsFiles {
  /** Parsed files, least recently used first, by their text: many hosts of a site share one. */
  const files = new Map<string, Robots>();
  const byCopy = new WeakMap<RobotsCopy, Robots>();
  let characters = 0;

  function parsed(copy: RobotsCopy): Robots {
    let robots = byCopy.get(copy);
    if (robots) return robots;
    robots = files.get(copy.body);
    if (robots) files.delete(copy.body);
    else {
      robots = parseRobots(copy.body);
      characters += copy.body.length;
    }
    files.set(copy.body, robots);
    byCopy.set(copy, robots);
    while (files.size > 1 && (files.size > maxFiles || characters > maxCharacters)) {
      const oldest = files.keys().next().value as string;
      files.delete(oldest);
      characters -= oldest.length;
    }
    return robots;
  }

  return {
    verdict: (copy, userAgentToken, url) =>
      decideByRobots(copy, copy.state === 'rules' ? parsed(copy) : undefined, { userAgentToken, url }),
    sitemaps(copy) {
      if (copy.state !== 'rules') return [];
      const found = parsed(copy).sitemaps.map((text) => parseUrl(text, `${copy.origin}/`)?.href);
      return [...new Set(found.filter((url) => url !== undefined))];
    },
  };
}
