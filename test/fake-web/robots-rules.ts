import { type Host, twinIndex } from './hosts.ts';
import type { WebBase } from './pages.ts';

/** A robots.txt by its lines, and the few rules in it that concern us. Written here, so the truth is known. */
export interface RobotsFile {
  lines: string[];
  /** Rules of the group that applies to webfarer. `line` counts from 1. */
  rules: { allow: boolean; pattern: string; line: number }[];
}

export interface RobotsTruth {
  allowed: boolean;
  /** The line that decided; absent when none fits. */
  line?: number;
  /** That line without its comment. */
  text?: string;
}

/** The crawl-delay, in seconds, that no policy accepts. */
export const patienceSeconds = 3_600;

/** The file of a host that answers 200 to /robots.txt; undefined where it answers otherwise. */
export function robotsFile(host: Host, sitemapUrl: string): RobotsFile | undefined {
  switch (host.robots) {
    case 'empty':
      return file(['# nothing to hide', 'User-agent: *', 'Disallow:']);
    case 'rules':
      return file([
        '# the shop',
        'User-agent: otherbot',
        'Disallow: /',
        '',
        'User-agent: *',
        'Disallow: /private/   # accounts',
        'Allow: /private/open/',
        'Disallow: /search',
      ]);
    case 'wildcard':
      return file(['User-agent: *', 'Disallow: /*.cgi$', 'Disallow: /*?print=']);
    case 'only-us':
      return file([
        'User-agent: *',
        'Disallow: /',
        '',
        'User-Agent: Webfarer',
        'User-agent: friendbot',
        'disallow: /private/',
        'allow: /private/open/',
      ]);
    case 'closed':
      return file(['User-agent: *', 'Disallow: /']);
    case 'not-us':
      return file(['User-agent: *', 'Allow: /', '', 'User-agent: webfarer', 'Disallow: /']);
    case 'delay':
      return file(['User-agent: *', `Crawl-delay: ${host.crawlDelayMs / 1_000}`, 'Disallow: /never/']);
    case 'patience':
      return file(['User-agent: *', `Crawl-delay: ${patienceSeconds}`]);
    case 'sitemap':
      return file(['User-agent: *', 'Disallow: /never/', '', `Sitemap: ${sitemapUrl}`]);
    case 'absent':
    case 'forbidden-403':
    case 'broken-500':
    case 'twin':
      return undefined;
  }
}

/** What robots.txt says of a path: longest pattern first, allow before disallow (RFC 9309, 2.2.2). */
export function robotsTruth(base: WebBase, host: Host, path: string): RobotsTruth {
  const source = host.robots === 'twin' ? base.host(twinIndex(host)) : host;
  const found = rulesOf(source);
  if (found === undefined) return { allowed: true };
  let best: RobotsFile['rules'][number] | undefined;
  for (const rule of found.rules) {
    if (!fits(rule.pattern, path)) continue;
    const longer = best === undefined || rule.pattern.length > best.pattern.length;
    if (longer || (rule.pattern.length === best?.pattern.length && rule.allow)) best = rule;
  }
  if (best === undefined) return { allowed: true };
  return { allowed: best.allow, line: best.line, text: withoutComment(found.lines[best.line - 1]) };
}

const parsed = new WeakMap<Host, RobotsFile | 'none'>();

/** Asked for each URL, so the file is parsed once a host; where the sitemap stands does not matter here. */
function rulesOf(host: Host): RobotsFile | undefined {
  let found = parsed.get(host);
  if (found === undefined) {
    found = robotsFile(host, '') ?? 'none';
    parsed.set(host, found);
  }
  return found === 'none' ? undefined : found;
}

/** Prefixes, and one star with an optional end mark: all that these files use. */
function fits(pattern: string, path: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return path.startsWith(pattern);
  const head = pattern.slice(0, star);
  const tail = pattern.slice(star + 1);
  if (!path.startsWith(head)) return false;
  return tail.endsWith('$') ? path.endsWith(tail.slice(0, -1)) : path.includes(tail, head.length);
}

function file(lines: string[]): RobotsFile {
  const groups: { agents: string[]; rules: RobotsFile['rules'] }[] = [];
  let open = false;
  lines.forEach((text, n) => {
    const [key = '', value = ''] = withoutComment(text)
      .split(':')
      .map((part) => part.trim());
    const field = key.toLowerCase();
    if (field === 'user-agent') {
      if (!open) groups.push({ agents: [], rules: [] });
      open = true;
      groups.at(-1)?.agents.push(value.toLowerCase());
    } else if (field === 'allow' || field === 'disallow') {
      open = false;
      if (value !== '') groups.at(-1)?.rules.push({ allow: field === 'allow', pattern: value, line: n + 1 });
    } else if (field === 'crawl-delay') {
      open = false;
    }
  });
  const own = groups.find((g) => g.agents.includes('webfarer')) ?? groups.find((g) => g.agents.includes('*'));
  return { lines, rules: own?.rules ?? [] };
}

function withoutComment(line = ''): string {
  return (line.split('#')[0] as string).trim();
}
