import { archive } from './jobs/archive.ts';
import { brokenLinks } from './jobs/broken-links.ts';
import { domains } from './jobs/domains.ts';
import { login } from './jobs/login.ts';
import { markdown } from './jobs/markdown.ts';
import { mirror } from './jobs/mirror.ts';
import { pdfs } from './jobs/pdfs.ts';
import { recrawl } from './jobs/recrawl.ts';
import { resume } from './jobs/resume.ts';
import { shop } from './jobs/shop.ts';
import { tutorial } from './jobs/tutorial.ts';
import type { Recipe } from './recipe.ts';

const many = { quick: 60, full: 10_000 };

/** The ten jobs and the tutorial, each with the sites that its page names. */
export function recipesOf({ quick }: { quick: boolean }): Recipe[] {
  const ready = [archive, brokenLinks, login, markdown, mirror, pdfs, resume, shop, tutorial];
  return [...ready, recrawl(), domains(quick ? many.quick : many.full)];
}
