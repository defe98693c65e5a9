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

// allow(expression): of the words of this file
const anyCase = (source: string) => new RegExp(source, 'i');
const oneOf = (...lists: string[]) => lists.join(' ').split(' ').join('|');

/** Where a name begins with it: `has-sidebar` describes a page, `sidebar-left` is one. */
const beside = anyCase(`(?:^| )(?:${oneOf('comment footer sidebar disqus related recommend')})`);

/** In any part of a name, as in `morePromotions`. */
const outside = anyCase(
  oneOf(
    'comment disqus related recommend side-?bar footer masthead breadcrumb pagination next-?prev prev-?next',
    'newsletter subscri sign-?up paywall cookie consent popup advert sponsor promo(?!te) outbrain taboola',
    'trending most-?(?:read|popular) also-?(?:read|like) read-?(?:more|next) more-?(?:stories|news|from)',
  ),
);
const inset = anyCase(
  oneOf(
    'share sharing social byline author-?(?:bio|box|info) widget slideshow gallery carousel banner modal caption',
  ),
);

/** As a whole word only, as in `post-meta`: `nav` is also a part of `navy`. */
const outsideWords = oneOf('ads? adv nav navbar menu login donate copyright rail reviews');
const insetWords = oneOf(
  'meta tags? credit toolbar tools hidden skip print rating dateline timestamp kicker',
);
const words = anyCase(`(?:^|[-_ ])(?:(${outsideWords})|${insetWords})(?=$|[-_ ])`);

export function hintOf(names: string): Hint {
  if (beside.test(names)) return Hint.beside;
  if (outside.test(names)) return Hint.outside;
  const word = words.exec(names);
  if (word) return word[1] === undefined ? Hint.inset : Hint.outside;
  return inset.test(names) ? Hint.inset : Hint.none;
}

/** What tools of documentation set around a text: ways to change it, to judge it and to go on. */
const utility = anyCase(
  oneOf(
    'edit-?(?:page|this|link|on|section) page-?(?:nav|actions|footer|feedback|meta) helpful feedback back-?to-?top',
    'table-?of-?contents on-?this-?page skip-?(?:link|nav|to) last-?(?:updated|modified) pager contributors',
    'doc-?(?:nav|footer) add-?to-?cart quick-?reply post-?(?:actions|buttons|controls) signature user-?(?:panel|card)',
  ),
);
const utilityWords = anyCase(
  `(?:^|[-_ ])(?:${oneOf('toc catlinks navbox headerlink permalink postprofile')})(?=$|[-_ ])`,
);

/** Ids name sections too: that of a signature or of the header Last-Modified. */
export function namesUtility({ class: names }: Record<string, string>): boolean {
  return names !== undefined && (utility.test(names) || utilityWords.test(names));
}
