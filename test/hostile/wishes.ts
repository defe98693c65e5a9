import { type BadServer, reply } from './bad-server.ts';

/**
 * Pages that say in every way there is that their links are not to be followed. The page itself is read; what it leads
 * to must not be asked for.
 */
const wish = (name: string, page: string, headers: string[] = []): BadServer => ({
  name: `wish-${name}`,
  expects: ['ok'],
  forbidden: /^\/never/,
  answer: (socket) => reply(socket, `${page}<a href="/never">a secret</a>`, { headers }),
});
const meta = (content: string, name = 'robots'): string => `<meta name="${name}" content="${content}">`;

export const wishServers: BadServer[] = [
  wish('meta-nofollow', meta('nofollow')),
  wish('meta-none', meta('NONE')),
  wish('meta-list', meta('noarchive , NoFollow,max-snippet:5')),
  wish('meta-twice', meta('index') + meta('nofollow')),
  wish('meta-ours', meta('all') + meta('nofollow', 'webfarer')),
  wish('meta-in-body', `<body><p>text</p>${meta('nofollow')}`),
  wish('meta-behind-link', `<a href="/never-first">first</a>${meta('nofollow')}`),
  wish('header-nofollow', '', ['X-Robots-Tag: nofollow']),
  wish('header-ours', '', ['X-Robots-Tag: otherbot: all', 'X-Robots-Tag: webfarer: none']),
  wish('header-after-date', '', ['X-Robots-Tag: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow']),
  wish('header-against-meta', meta('index, follow'), ['X-Robots-Tag: nofollow']),
  {
    ...wish('rel-nofollow', ''),
    answer: (socket) => reply(socket, '<a rel="external NoFollow" href="/never">a secret</a>'),
  },
  {
    ...wish('robots-rule', ''),
    robots: 'User-agent: other\nDisallow:\n\nUser-agent: webfarer\nUser-agent: x\nDisallow: /never\n',
  },
];
