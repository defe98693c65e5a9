import { type Field, readField } from './robots-line.ts';
import {
  compileRobotsPattern,
  escapePath,
  fitsRobotsPattern,
  plainPath,
  type RobotsPattern,
} from './robots-match.ts';

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
}

/** Bytes that are read (RFC 9309 asks for at least 500 KiB); what follows is as if it were not there. */
export const maxRobotsBytes = 500 * 1024;

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

interface File {
  /** Rules by agent in lower case, `*` for everybody: all groups of an agent are one (RFC 9309, 2.2.1). */
  rules: Map<string, Rule[]>;
  delays: Map<string, number>;
  sitemaps: string[];
}

export function parseRobots(body: string): Robots {
  const { rules, delays, sitemaps } = readFile(cap(body));
  const agentFor = (token: string): string | undefined => {
    const own = token.toLowerCase();
    if (own !== '' && rules.has(own)) return own;
    return rules.has('*') ? '*' : undefined;
  };
  return {
    sitemaps,
    crawlDelayMs: (token) => delays.get(agentFor(token) ?? ''),
    rulesFor: (token) => rules.get(agentFor(token) ?? '')?.length ?? 0,
    decide(token, pathAndQuery) {
      const agent = agentFor(token);
      if (agent === undefined) return { allowed: true };
      const rule = bestRule(rules.get(agent) ?? [], pathAndQuery === '' ? '/' : pathAndQuery);
      if (rule === undefined) return { allowed: true, agent };
      return { allowed: rule.allow, line: rule.line, text: rule.text, agent };
    },
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
  const file: File = { rules: new Map(), delays: new Map(), sitemaps: [] };
  const sitemaps = new Set<string>();
  let agents: string[] = [];
  // User agents in a row share their rules; only a rule ends the row, no other record does (2.2.4).
  let rowEnded = false;
  // A byte order mark, or the broken rest of one, which decoding has turned into U+FFFD.
  const lines = body.replace(/^[\ufeff\ufffd]/, '').split(/\r\n|\r|\n/);
  for (const [index, raw] of lines.entries()) {
    const field = readField(raw);
    switch (field?.key) {
      case 'user-agent':
        if (rowEnded) agents = [];
        rowEnded = false;
        agents.push(addAgent(file, field.value));
        break;
      case 'allow':
      case 'disallow':
        rowEnded = true;
        if (field.value !== '') addRules(file, agents, rulesOf(field, index + 1));
        break;
      case 'crawl-delay':
        for (const agent of agents) addDelay(file, agent, field.value);
        break;
      case 'sitemap':
        if (field.value !== '') sitemaps.add(field.value);
        break;
      default:
    }
  }
  file.sitemaps = [...sitemaps];
  return file;
}

/** `FooBot/1.2` and `FooBot (x)` name FooBot; a star names everybody, whatever words follow it. */
function addAgent({ rules }: File, value: string): string {
  const agent = /^\*(?:\s|$)/.test(value) ? '*' : (/^[a-z_-]*/i.exec(value)?.[0] ?? '').toLowerCase();
  if (!rules.has(agent)) rules.set(agent, []);
  return agent;
}

function addRules({ rules }: File, agents: readonly string[], added: readonly Rule[]): void {
  for (const agent of new Set(agents)) rules.get(agent)?.push(...added);
}

/** Asked for more than once, the longest delay holds. */
function addDelay({ delays }: File, agent: string, value: string): void {
  const seconds = Number(value);
  if (value === '' || !Number.isFinite(seconds) || seconds < 0) return;
  delays.set(agent, Math.max(delays.get(agent) ?? 0, Math.round(seconds * 1000)));
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

/** The longest pattern that fits decides; allow wins a tie, then the earlier line. */
function bestRule(rules: readonly Rule[], path: string): Rule | undefined {
  const plain = plainPath(escapePath(path));
  let best: Rule | undefined;
  for (const rule of rules) {
    if (best !== undefined && !outranks(rule, best)) continue;
    if (fitsRobotsPattern(rule.pattern, path) || (!rule.allow && fitsPlain(rule, plain))) best = rule;
  }
  return best;
}

function fitsPlain(rule: Rule, plainPathText: string): boolean {
  return fitsRobotsPattern(rule.second ?? rule.pattern, plainPathText);
}

function outranks(rule: Rule, best: Rule): boolean {
  return rule.length > best.length || (rule.length === best.length && rule.allow && !best.allow);
}
