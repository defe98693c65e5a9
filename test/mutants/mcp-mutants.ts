import type { Mutant } from './mutant.ts';

const folder = 'packages/cli/src/mcp';
const proof = (field: string) => ({ proof: 'mcp', args: ['--quick'], field });

/** Tools for agents: what an agent asks for is not what it gets. */
export const mcpMutants: readonly Mutant[] = [
  {
    name: 'agent-ignores-robots',
    why: 'An agent could read what a site has closed, under the name of its operator.',
    file: `${folder}/fetch-page.ts`,
    from: "robots: { sitemaps: false, giveUpAfter: '20s' },",
    to: "robots: { sitemaps: false, giveUpAfter: '20s', obey: false, ignoreFor: [String(seeds[0]).replace(/^https?:\\/\\/([^/:]+).*$/, '$1')] },",
    killer: proof('closedRead'),
  },
  {
    name: 'agent-chooses-its-limit',
    why: 'An agent could crawl a site of a million pages where its operator allowed 500.',
    file: `${folder}/crawl-site.ts`,
    from: 'const maxPages = Math.min(query.maxPages, rules.maxPages);',
    to: 'const { maxPages } = query;',
    killer: proof('pagesOver'),
  },
  {
    name: 'agent-crawls-without-number',
    why: 'An agent could start crawls until the machine stands still.',
    file: `${folder}/running-crawls.ts`,
    from: 'if (running.size >= most) throw tooMany(',
    to: 'if (running.size >= most * 100) throw tooMany(',
    killer: proof('crawlsOver'),
  },
  {
    name: 'agent-gap-not-shared',
    why: 'Crawls and single pages of one agent would hit a host at the same time.',
    file: `${folder}/agent-rules.ts`,
    from: 'userAgent: userAgentFor(job, version), ledger };',
    to: "userAgent: userAgentFor(job, version), ledger: `${ledger}-${folder.replaceAll('/', '-')}` };",
    killer: proof('gapViolations'),
  },
  {
    name: 'agent-needs-a-contact',
    why: 'A server without --contact would refuse every page that an agent asks for.',
    file: `${folder}/fetch-page.ts`,
    from: "stay: rules.requests.contact === undefined ? 'site' : 'web'",
    to: "stay: rules.requests.contact === 'site' ? 'site' : 'web'",
    killer: {
      test: 'test/mcp/mcp.test.ts',
      case: 'without a contact a page is fetched, and a redirect to another site refused with the way out',
    },
  },
  {
    name: 'agent-leaves-its-folder',
    why: 'An agent could read every crawl on the machine, and write anywhere.',
    file: `${folder}/agent-folders.ts`,
    from: 'if (!folderPattern.test(whole) || !isInside(root, path))',
    to: 'if (!folderPattern.test(whole) && root === whole)',
    killer: proof('outside'),
  },
  {
    name: 'agent-server-open-to-web-pages',
    why: 'Any web page could use the tools of its visitor by a name that it points at this machine.',
    file: `${folder}/serve-http.ts`,
    from: 'if (isOpen && !isLoopback(host))',
    to: "if (isOpen && host === '')",
    killer: { test: 'test/mcp/mcp.test.ts', case: 'over HTTP > a web page cannot use it' },
  },
  {
    name: 'agent-page-cut-in-a-character',
    why: 'A page read in parts would not be the page.',
    file: `${folder}/page-part.ts`,
    from: 'return isPair ? end - 1 : end;',
    to: 'return isPair ? end - 2 : end - 1;',
    killer: { test: 'packages/cli/src/mcp/page-part.test.ts', case: 'never cuts a character' },
  },
  {
    name: 'mcp-reasons-unmarked',
    why: 'A rule in robots.txt or the target of a redirect would reach a model as if the server had said it.',
    file: `${folder}/tools.ts`,
    from: "[code, asData('The reason', message),",
    to: '[code, message,',
    killer: {
      test: 'test/mcp/mcp.test.ts',
      case: 'on standard input > whatever a site says stands between the marks',
    },
  },
  {
    name: 'mcp-facts-unmarked',
    why: 'A title or a snippet would reach a model as if the server had said it.',
    file: `${folder}/tools.ts`,
    from: "const texts = [asData('The answer', JSON.stringify(facts))];",
    to: 'const texts = [JSON.stringify(facts)];',
    killer: {
      test: 'test/mcp/mcp.test.ts',
      case: 'on standard input > whatever a site says stands between the marks',
    },
  },
];
