/** What the names an author gave an element (class and id) suggest about it. */
export const Hint = { none: 0, boilerplate: 1, content: 2 } as const;
export type Hint = (typeof Hint)[keyof typeof Hint];

const boilerplate =
  /comment|disqus|related|recommend|newsletter|subscri|sidebar|side-?bar|breadcrumb|footer|masthead|share|sharing|social|promo|advert|sponsor|cookie|consent|paywall|popup|modal|banner|trending|most-?(?:read|popular)|outbrain|taboola|author-?(?:bio|box|info)|byline|pagination|pager|tags?-?list|widget|signup|sign-up|login|also-?(?:read|like)|read-?(?:more|next)|more-?(?:stories|news|from)|(?:^|[-_ ])(?:ad|ads|adv|nav|navbar|menu|meta|tags?|caption|credit|toolbar|hidden|skip|print|copyright|tools|rating|reviews|donate)(?:$|[-_ ])/i;

const content = /article|content|entry|story|post|body|main|text/i;

export function hintOf(names: string): Hint {
  if (boilerplate.test(names)) return Hint.boilerplate;
  return content.test(names) ? Hint.content : Hint.none;
}
