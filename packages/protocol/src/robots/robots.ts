import { type Field, forEachLine, readField } from './line.ts';
import {
  compileRobotsPattern,
  escapePath,
  fitsRobotsPattern,
  plainPath,
  type RobotsPattern,
  type SearchBudget,
} from './match.ts';

/** What robots.txt says, by RFC 9309. Nothing here throws, whatever the file holds. */
export interface Robots {
  /** `userAgentToken` is the product name alone (`robotsToken` of the user agent), whatever its case. */
  decide(userAgentToken: string, pathAndQuery: string): RobotsDecision;
  /** The delay asked of this agent; undefined when there is none. */
  crawlDelayMs(userAgentToken: string): number | undefined;
  /** As written: absolute or not, valid or not. */
  readonly sitemaps: readonly string[];
  /** Allow and disallow lines in the group that applies to the agent. */
  rulesFor(userAgentToken: string): number;
}

export interface RobotsDecision {
  allowed: boolean;
  /** Number of the line that decided, from 1; absent when no rule matched. */
  line?: number;
  /** That line as written, without its comment. */
  text?: string;
  /** The user agent whose group applied: our own token, or `*`; absent when there is no group for us. */
  agent?: string;
  /** Not all rules could be tried, and so the path is forbidden. */
  isCut?: true;
}

/** Bytes that are read (RFC 9309 asks for at least 500 KiB); what follows is as if it were not there. */
export const maxRobotsBytes = 500 * 1024;

/** A file of so many names of sitemaps is none that a person or a program wrote in earnest. */
const maxSitemaps = 5_000;
/**
 * Characters that the search for the stars of all rules may go over for one path, some fifty milliseconds: half a megabyte of
 * rules, each tried on a long path, would take a second and more.
 */
const maxSearched = 5_000_000;

interface Rule {
  allow: boolean;
  pattern: RobotsPattern;
  /** Another reading of the same pattern, tried as well. */
  second?: RobotsPattern;
  /** Length of the pattern as compared: the longest match decides. */
  length: number;
  line: number;
  text: string;
}

/** User agents in a row and the rules that follow them. */
interface Row {
  agents: number;
  rules: Rule[];
  /** A delay is for the agents above it in the row, not for those that follow. */
  delays: { agentsAbove: number; ms: number }[];
}

interface File {
  /** Where each agent (lower case, `*` for everybody) stands: row and place in it. */
  places: Map<string, { row: Row; place: number }[]>;
  sitemaps: string[];
}

/** All groups of an agent are one (RFC 9309, 2.2.1). */
interface Group {
  agent: string;
  rules: Rule[];
  crawlDelayMs: number | undefined;
}

export function parseRobots(body: string): Robots {
  const { places, sitemaps } = readFile(cap(body));
  // Merged only for agents that are asked for: a hostile file could name thousands with thousands of rules.
  const groups = new Map<string, Group>();
  const groupFor = (token: string): Group | undefined => {
    const own = token.toLowerCase();
    const agent = own !== '' && places.has(own) ? own : '*';
    let group = groups.get(agent);
    const found = places.get(agent);
    if (group === undefined && found !== undefined) {
      group = mergeGroups(agent, found);
      groups.set(agent, group);
    }
    return group;
  };
  return {
    sitemaps,
    crawlDelayMs: (token) => groupFor(token)?.crawlDelayMs,
    rulesFor: (token) => new Set(groupFor(token)?.rules.map((rule) => rule.line)).size,
    decide(token, pathAndQuery) {
      const group = groupFor(token);
      if (group === undefined) return { allowed: true };
      const budget = { characters: maxSearched };
      const rule = bestRule(group.rules, pathAndQuery === '' ? '/' : pathAndQuery, budget);
      if (budget.characters < 0) return { allowed: false, agent: group.agent, isCut: true };
      if (rule === undefined) return { allowed: true, agent: group.agent };
      return { allowed: rule.allow, line: rule.line, text: rule.text, agent: group.agent };
    },
  };
}

function mergeGroups(agent: string, places: readonly { row: Row; place: number }[]): Group {
  const delays = places.flatMap(({ row, place }) =>
    row.delays.filter(({ agentsAbove }) => place < agentsAbove).map(({ ms }) => ms),
  );
  return {
    agent,
    rules: [...new Set(places.map(({ row }) => row))].flatMap(({ rules }) => rules),
    // Asked for more than once, the longest delay holds.
    crawlDelayMs: delays.length === 0 ? undefined : delays.reduce((a, b) => Math.max(a, b)),
  };
}

/** Cuts at the size limit in UTF-8 bytes and then at a line end, so that half a rule is no rule. */
function cap(body: string): string {
  if (body.length * 3 <= maxRobotsBytes) return body;
  const bytes = new TextEncoder().encode(body);
  if (bytes.length <= maxRobotsBytes) return body;
  const text = new TextDecoder().decode(bytes.subarray(0, maxRobotsBytes));
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

function readFile(body: string): File {
  const places: File['places'] = new Map();
  const sitemaps = new Set<string>();
  let row: Row | undefined;
  // Only a rule ends a row of user agents, no other record does (2.2.4).
  let rowEnded = false;
  // A byte order mark, or the broken rest of one, which decoding has turned into U+FFFD.
  forEachLine(body.replace(/^[\ufeff\ufffd]/, ''), (raw, line) => {
    const field = readField(raw);
    switch (field?.key) {
      case 'user-agent': {
        if (row === undefined || rowEnded) row = { agents: 0, rules: [], delays: [] };
        rowEnded = false;
        const agent = agentName(field.value);
        const known = places.get(agent);
        const here = { row, place: row.agents++ };
        if (known === undefined) places.set(agent, [here]);
        else if (known.at(-1)?.row !== row) known.push(here);
        break;
      }
      case 'allow':
      case 'disallow':
        rowEnded = true;
        if (field.value !== '') row?.rules.push(...rulesOf(field, line));
        break;
      case 'crawl-delay': {
        const ms = delayMs(field.value);
        if (ms !== undefined) row?.delays.push({ agentsAbove: row.agents, ms });
        break;
      }
      case 'sitemap':
        if (field.value !== '' && sitemaps.size < maxSitemaps) sitemaps.add(field.value);
        break;
      default:
    }
  });
  return { places, sitemaps: [...sitemaps] };
}

/** `FooBot/1.2` and `FooBot (x)` name FooBot; a star names everybody, whatever words follow it. */
function agentName(value: string): string {
  return /^\*(?:\s|$)/.test(value) ? '*' : (/^[a-z_-]*/i.exec(value)?.[0] ?? '').toLowerCase();
}

function delayMs(value: string): number | undefined {
  const seconds = Number(value);
  return value === '' || !Number.isFinite(seconds) || seconds < 0 ? undefined : Math.round(seconds * 1000);
}

/**
 * Escapes of plain letters (`/%62az`) are compared both as written and undone where that forbids; an
 * `Allow` must fit as written. So what either reading of the standard forbids is forbidden.
 */
function rulesOf(field: Field, line: number): Rule[] {
  const allow = field.key === 'allow';
  const escaped = escapePath(field.value);
  const plain = plainPath(escaped);
  const rule: Rule = {
    allow,
    pattern: compileRobotsPattern(escaped),
    ...(allow || plain === escaped ? {} : { second: compileRobotsPattern(plain) }),
    length: escaped.length,
    line,
    text: field.text,
  };
  // Allowing /x/index.html means allowing /x/ as well, as Google reads it.
  const folder = allow ? /^(.*\/)index\.htm[^/]*$/.exec(escaped)?.[1] : undefined;
  if (folder === undefined) return [rule];
  return [rule, { ...rule, pattern: compileRobotsPattern(`${folder}$`), length: folder.length + 1 }];
}

/** The longest pattern that fits decides; allow wins a tie, then the earlier line. Ends early where the budget does. */
function bestRule(rules: readonly Rule[], path: string, budget: SearchBudget): Rule | undefined {
  const plain = plainPath(escapePath(path));
  const fitsPlain = ({ pattern, second }: Rule): boolean =>
    (second !== undefined || plain !== path) && fitsRobotsPattern(second ?? pattern, plain, budget);
  let best: Rule | undefined;
  for (const rule of rules) {
    if (best !== undefined && !outranks(rule, best)) continue;
    if (fitsRobotsPattern(rule.pattern, path, budget) || (!rule.allow && fitsPlain(rule))) best = rule;
    if (budget.characters < 0) return undefined;
  }
  return best;
}

function outranks(rule: Rule, best: Rule): boolean {
  return rule.length > best.length || (rule.length === best.length && rule.allow && !best.allow);
}
