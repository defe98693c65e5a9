/** robots.txt after RFC 9309. */
export { maxRobotsBytes, parseRobots, type Robots, type RobotsDecision } from './robots.ts';
export { decideByRobots, type RobotsVerdict, robotsVerdict } from './verdict.ts';
