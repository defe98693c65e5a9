import type { Mutant } from './mutant.ts';

const folder = 'packages/cli/src/link-check';
const site = (name: string) => ({
  test: 'test/link-check/check-links.test.ts',
  case: `a site with every kind of broken link > ${name}`,
});
const again = (name: string) => ({
  test: 'test/link-check/check-links.test.ts',
  case: `asked again > ${name}`,
});
const redirects = {
  test: 'test/library/site-scraper.test.ts',
  case: 'checks where redirects lead: out of the site with HEAD, and back into it as a page',
};

/** Checks of links: what is broken, where, and what the exit code says. */
export const linkCheckMutants: readonly Mutant[] = [
  {
    name: 'broken-link-on-first-page-only',
    why: 'Whoever fixes the named page would believe that the link is gone from the site.',
    file: `${folder}/link-report.ts`,
    from: 'if (!on) return;',
    to: 'if (!on || target.on.length > 0) return;',
    killer: site('each is found with all its pages, and nothing else'),
  },
  {
    name: 'robots-refused-link-is-broken',
    why: 'A link would be reported as broken although nobody has asked for it.',
    file: `${folder}/judge-record.ts`,
    from: "answered.has(reason) ? { is: 'good', depth } : { is: 'unchecked', ...why }",
    to: "answered.has(reason) ? { is: 'good', depth } : { is: 'broken', ...why }",
    killer: site('each is found with all its pages, and nothing else'),
  },
  {
    name: 'redirect-to-broken-page-is-good',
    why: 'A link that ends at a missing page behind a redirect would not be found.',
    file: `${folder}/judge-links.ts`,
    from: "if (judgement?.is !== 'redirect') return { url, judgement, via };",
    to: "if (judgement?.is !== 'redirect') return { url, judgement: via.length > 0 ? { is: 'good', depth: 0 } : judgement, via };",
    killer: site('each is found with all its pages, and nothing else'),
  },
  {
    name: 'anchor-of-escaped-name-not-found',
    why: 'Every link to a heading in another script than Latin would be reported as broken.',
    file: `${folder}/check-anchors.ts`,
    from: 'return places.has(fragment) || places.has(decoded(fragment));',
    to: 'return places.has(fragment);',
    killer: site('each is found with all its pages, and nothing else'),
  },
  {
    name: 'second-check-passes',
    why: 'A build with broken links would turn green by being run again.',
    file: 'packages/cli/src/commands/check.ts',
    from: 'const missed = report.broken.length > judge.allowed;',
    to: "const missed = report.broken.length > judge.allowed && check.done === 'checked';",
    killer: again('it exits with 4 again, and says that nothing was requested'),
  },
  {
    name: 'redirect-out-of-site-unchecked',
    why: 'A page that redirects to a dead place on another site would pass as good.',
    file: 'packages/worker/src/page/pipeline.ts',
    from: "return kind === 'check' || (kind === 'page' && scraper.kind === 'site' && scraper.check);",
    to: "return kind === 'check' && scraper.kind === 'site';",
    killer: redirects,
  },
  {
    name: 'failed-head-believed',
    why: 'A server that fails on HEAD alone would be reported as broken.',
    file: 'packages/worker/src/page/request.ts',
    from: ' && entry.attempt === 0 ?',
    to: ' && entry.attempt >= 0 ?',
    killer: redirects,
  },
];
