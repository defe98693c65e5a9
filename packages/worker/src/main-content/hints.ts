/** What the names an author gave an element (class and id) say about it. */
export const Hint = {
  none: 0,
  /** Set into the content, but no part of its text: share buttons, captions, bylines. */
  inset: 1,
  /** Around the content: navigation, advertising, subscriptions. */
  outside: 2,
  /** The same, and may hold more prose than the content: comments, related stories. */
  beside: 3,
} as const;
export type Hint = (typeof Hint)[keyof typeof Hint];

const oneOf = (...lists: string[]) => lists.join(' ').split(' ').join('|');

/** Where a name begins with it: `has-sidebar` describes a page, `sidebar-left` is one. */
const beside = new RegExp(`(?:^| )(?:${oneOf('comment footer sidebar disqus related recommend')})`, 'i');

/** In any part of a name, as in `morePromotions`. */
const outside = new RegExp(
  oneOf(
    'comment disqus related recommend side-?bar footer masthead breadcrumb pagination next-?prev prev-?next',
    'newsletter subscri sign-?up paywall cookie consent popup advert sponsor promo(?!te) outbrain taboola',
    'trending most-?(?:read|popular) also-?(?:read|like) read-?(?:more|next) more-?(?:stories|news|from)',
  ),
  'i',
);
const inset = new RegExp(
  oneOf(
    'share sharing social byline author-?(?:bio|box|info) widget slideshow gallery carousel banner modal caption',
  ),
  'i',
);

/** As a whole word only, as in `post-meta`: `nav` is also a part of `navy`. */
const outsideWords = oneOf('ads? adv nav navbar menu login donate copyright rail reviews');
const insetWords = oneOf(
  'meta tags? credit toolbar tools hidden skip print rating dateline timestamp kicker',
);
const words = new RegExp(`(?:^|[-_ ])(?:(${outsideWords})|${insetWords})(?=$|[-_ ])`, 'i');

export function hintOf(names: string): Hint {
  if (beside.test(names)) return Hint.beside;
  if (outside.test(names)) return Hint.outside;
  const word = words.exec(names);
  if (word) return word[1] === undefined ? Hint.inset : Hint.outside;
  return inset.test(names) ? Hint.inset : Hint.none;
}
