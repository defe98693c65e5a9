import { Parser } from 'htmlparser2';
import { crawlBare } from './bare-loop.ts';

/** The bare engine with htmlparser2: what a person would write by hand. */
await crawlBare((body, url) => {
  const links = new Set<string>();
  let base = url;
  let inAnchor = false;
  let inBase = false;
  const parser = new Parser({
    onopentagname(name) {
      inAnchor = name === 'a' || name === 'area';
      inBase = name === 'base';
    },
    onattribute(name, value) {
      if (name !== 'href') return;
      if (inBase) base = URL.parse(value, url)?.href ?? base;
      if (!inAnchor) return;
      const target = URL.parse(value, base);
      if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:')) return;
      target.hash = '';
      links.add(target.href);
    },
  });
  parser.end(body.toString('utf8'));
  return links;
});
