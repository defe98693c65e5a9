import { expect, test } from 'vitest';
import { Hint, hintOf } from './hints.ts';

const cases: [string, Hint][] = [
  ['comments', Hint.beside],
  ['post sidebar-right', Hint.beside],
  ['with-sidebar', Hint.outside],
  ['relatedPosts', Hint.beside],
  ['article__newsletter', Hint.outside],
  ['top-nav', Hint.outside],
  ['navy', Hint.none],
  ['ad', Hint.outside],
  ['header-shadow', Hint.none],
  ['post-meta', Hint.inset],
  ['metal', Hint.none],
  ['socialShare', Hint.inset],
  ['article-body', Hint.none],
];

for (const [names, hint] of cases) test(`"${names}"`, () => expect(hintOf(names)).toBe(hint));
