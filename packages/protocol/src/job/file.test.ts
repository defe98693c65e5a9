import { describe, expect, it } from 'vitest';
import { parseJobFile } from './file.ts';
import { WebfarerError } from '../base/errors.ts';

const example = `name: museums
seeds: [https://museum.example/, { file: seeds.txt }, { sitemap: https://a.example/sitemap.xml }]
contact: https://lab.example/crawler
scope:
  stay: site
  exclude: ['**/login/**', { regex: '[?&]sort=' }]
  requisites: false
urlRules:
  - { match: 'https://*/collection/**', cost: +0 }
  - { cost: +1 }
normalise: { enabled: true, strip: [PHPSESSID, JSESSIONID, sid, 'utm_*'] }
limits:
  pages: 5000
  bytes: 20GB
  duration: 12h
  depth: 20
  cost: 10
  perHost: { pages: 2000 }
  perSite: { pages: 4000 }
politeness:
  gap: 1s
  perHost: 1
  crawlDelayMax: 60s
  retryAfterMax: 24h
robots: { obey: true, sitemaps: true, giveUpAfter: 10m }
fetch:
  timeout: 30s
  maxBody: 10MB
  retries: { count: 3, backoff: 10s }
  types: { save: [text/*, application/pdf], ignore: [video/*] }
  userAgent: 'webfarer/{version} (+{contact})'
  proxy: [{ match: 'https://*.onion/**', use: 'socks5://127.0.0.1:9050' }, { use: direct }]
  allowPrivate: []
  cookies: true
login: []
render: never
scraper: links
save: [{ warc: { rotate: 1GB } }, { files: { name: '{host}/{path}' } }]
thresholds: { failed: '< 1%', 5xx: '< 0.5%' }
`;

describe('a job file', () => {
  it('may say everything there is to say', () => {
    const { input, job } = parseJobFile(example, 'job.yml');
    expect(input.name).toBe('museums');
    expect(job).toMatchObject({
      seeds: [
        { url: 'https://museum.example/' },
        { file: 'seeds.txt' },
        { sitemap: 'https://a.example/sitemap.xml' },
      ],
      urlRules: [{ match: 'https://*/collection/**', cost: { add: 0 } }, { cost: { add: 1 } }],
      limits: { bytes: 20e9, durationMs: 43_200_000 },
      save: [
        { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' },
        { kind: 'files', name: '{host}/{path}' },
      ],
      thresholds: [
        { of: 'failed', sign: '<', value: 1, percent: true },
        { of: '5xx', sign: '<', value: 0.5, percent: true },
      ],
    });
  });

  it('may be JSON', () => {
    const { job } = parseJobFile(
      '{"$schema": "x", "seeds": ["example.org"], "limits": {"pages": 10}}',
      'crawl.json',
    );
    expect([job.name, job.limits.pages]).toEqual(['example.org', 10]);
  });

  it('may use anchors, but not to explode', () => {
    const { job } = parseJobFile('seeds: [&a https://a.example/]\nscope: { exclude: [*a] }\n', 'job.yml');
    expect(job.scope.exclude).toEqual(['https://a.example/']);
    const lines = Array.from({ length: 9 }, (_, i) => `x${i + 1}: &x${i + 1} [${`*x${i},`.repeat(9)}]`);
    expect(fail(['x0: &x0 [a]', ...lines].join('\n'))).toContain('job.yml:1:1');
  });
});

function fail(text: string): string {
  try {
    parseJobFile(text, 'job.yml');
  } catch (error) {
    if (error instanceof WebfarerError) return `${error.code}\n${error.message}`;
    throw error;
  }
  throw new Error('the file was accepted');
}

describe('errors', () => {
  it('show the line and a caret', () => {
    expect(fail('seeds: [a.example]\nlimits:\n  page: 3\n  bytes: 3 apples\n')).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:3:3: limits: unknown field "page"; did you mean "pages"?
        3 |   page: 3
          |   ^^^^
      job.yml:4:10: limits.bytes: expected a size such as 500KB, 10MB or 20GB, or a number of bytes
        4 |   bytes: 3 apples
          |          ^^^^^^^^"
    `);
  });
  it('know fields that stand elsewhere', () => {
    expect(fail('seeds: [a.example]\ndepth: 3\nnormalize: {}\n')).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:2:1: unknown field "depth"; did you mean limits.depth?
        2 | depth: 3
          | ^^^^^
      job.yml:3:1: unknown field "normalize"; did you mean "normalise"?
        3 | normalize: {}
          | ^^^^^^^^^"
    `);
  });
  it('do not call a misspelt field missing', () => {
    expect(fail('seed: [a.example]\n')).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:1:1: unknown field "seed"; did you mean "seeds"?
        1 | seed: [a.example]
          | ^^^^"
    `);
  });
  it('look into lists and alternatives', () => {
    expect(
      fail(
        'seeds: [a.example, mailto:x, { flie: x }]\nscope: { stay: hots, exclude: [{ regx: a }, { regex: "(" }] }\nscraper: link\nsave: [wrac, { file: {} }, { warc: { rotat: 1GB } }]\n',
      ),
    ).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:1:30: seeds[2]: a seed is a URL, { file: seeds.txt } or { sitemap: https://… }; did you mean "file"?
        1 | seeds: [a.example, mailto:x, { flie: x }]
          |                              ^
      job.yml:2:16: scope.stay: expected one of path, host, site, web; did you mean "host"?
        2 | scope: { stay: hots, exclude: [{ regx: a }, { regex: "(" }] }
          |                ^^^^
      job.yml:2:34: scope.exclude[0]: unknown field "regx"; did you mean "regex"?
        2 | scope: { stay: hots, exclude: [{ regx: a }, { regex: "(" }] }
          |                                  ^^^^
      job.yml:2:54: scope.exclude[1].regex: not a valid regular expression (unterminated group)
        2 | scope: { stay: hots, exclude: [{ regx: a }, { regex: "(" }] }
          |                                                      ^^^
      job.yml:3:10: scraper: a scraper is links, site, { links: … }, { ids: … } or the path of a module such as ./my-scraper.ts; did you mean "links"?
        3 | scraper: link
          |          ^^^^
      job.yml:4:8: save[0]: a saver is warc, files, tar, markdown, redis, none, one of these with options, or the path of a module such as ./my-saver.ts; did you mean "warc"?
        4 | save: [wrac, { file: {} }, { warc: { rotat: 1GB } }]
          |        ^^^^
      job.yml:4:14: save[1]: a saver is warc, files, tar, markdown, redis, none, one of these with options, or the path of a module such as ./my-saver.ts; did you mean "files"?
        4 | save: [wrac, { file: {} }, { warc: { rotat: 1GB } }]
          |              ^
      job.yml:4:38: save[2].warc: unknown field "rotat"; did you mean "rotate"?
        4 | save: [wrac, { file: {} }, { warc: { rotat: 1GB } }]
          |                                      ^^^^^"
    `);
  });
  it('explain values', () => {
    expect(
      fail('seeds: []\npoliteness: { gap: 1, perHost: 0 }\nfetch:\n\theaders: x\n'),
    ).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:4:1: Tabs are not allowed as indentation
        4 | 	headers: x
          | ^"
    `);
    expect(
      fail(
        'seeds: [a.example]\npoliteness: { gap: 1, perHost: 0 }\nurlRules: [{ match: x }, { match: a, unless: b, cost: 1 }]\nfetch: { headers: { Host: x }, ports: [0], proxy: [{ use: ftp://x }], dns: [a.example], types: { save: [html] } }\nlimits: 3\nthresholds: { done: lots }\n',
      ),
    ).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:2:20: politeness.gap: expected a time with its unit, such as 500ms, 1s, 10m, 12h or 7d
        2 | politeness: { gap: 1, perHost: 0 }
          |                    ^
      job.yml:2:32: politeness.perHost: must be at least 1
        2 | politeness: { gap: 1, perHost: 0 }
          |                                ^
      job.yml:3:12: urlRules[0]: a rule needs cost or priority
        3 | urlRules: [{ match: x }, { match: a, unless: b, cost: 1 }]
          |            ^
      job.yml:3:26: urlRules[1]: a rule has match or unless, not both
        3 | urlRules: [{ match: x }, { match: a, unless: b, cost: 1 }]
          |                          ^
      job.yml:4:21: fetch.headers: the crawler sets this header itself
        4 | fetch: { headers: { Host: * }, ports: [0], proxy: [{ use: ftp://x }], dns: [a.example], types: { save: [html] } }
          |                     ^^^^
      job.yml:4:40: fetch.ports[0]: must be at least 1
        4 | fetch: { headers: { Host: * }, ports: [0], proxy: [{ use: ftp://x }], dns: [a.example], types: { save: [html] } }
          |                                        ^
      job.yml:4:59: fetch.proxy[0].use: expected direct or a proxy such as socks5://127.0.0.1:9050 (http, https, socks4, socks4a, socks5, socks5h)
        4 | fetch: { headers: { Host: * }, ports: [0], proxy: [{ use: ftp://x }], dns: [a.example], types: { save: [html] } }
          |                                                           ^^^^^^^
      job.yml:4:77: fetch.dns[0]: expected the IP address of a DNS server, such as 127.0.0.1:5353 or [::1]:53
        4 | fetch: { headers: { Host: * }, ports: [0], proxy: [{ use: ftp://x }], dns: [a.example], types: { save: [html] } }
          |                                                                             ^^^^^^^^^
      job.yml:4:105: fetch.types.save[0]: expected a content type such as 'text/html', 'image/*' or '*/*'
        4 | fetch: { headers: { Host: * }, ports: [0], proxy: [{ use: ftp://x }], dns: [a.example], types: { save: [html] } }
          |                                                                                                         ^^^^
      job.yml:5:9: limits: expected fields, not 3
        5 | limits: 3
          |         ^
      job.yml:6:21: thresholds.done: a threshold looks like '< 1%' or '<= 10'
        6 | thresholds: { done: lots }
          |                     ^^^^"
    `);
  });
  it('compare fields with each other', () => {
    expect(
      fail(
        'seeds: [a.example, a b]\ncontact: me\nrobots: { obey: false, maxAge: 48h }\npoliteness: { perHost: 2 }\nrender: auto\nlogin: [{ site: a.example, as: me, check: status, form: "https://b.example/" }]\nthresholds: { fialed: "< 1%" }\nscraper: ids\nsave: [none, warc]\n',
      ),
    ).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:1:20: seeds[1]: "a b" is not an http or https URL
        1 | seeds: [a.example, a b]
          |                    ^^^
      job.yml:2:10: contact: expected a web page (https://…) or an email address
        2 | contact: me
          |          ^^
      job.yml:3:17: robots.obey: false needs the hosts you own: ignoreFor: [my.example]; robots.txt is obeyed everywhere else
        3 | robots: { obey: false, maxAge: 48h }
          |                 ^^^^^
      job.yml:3:32: robots.maxAge: must be at most 24h
        3 | robots: { obey: false, maxAge: 48h }
          |                                ^^^
      job.yml:4:24: politeness.perHost: more than 1 needs the hosts you own: ownHosts: [my.example]; it stays 1 everywhere else
        4 | politeness: { perHost: 2 }
          |                        ^
      job.yml:6:57: login[0].form: must be a page of a.example
        6 | login: [{ site: a.example, as: me, check: status, form: "https://b.example/" }]
          |                                                         ^^^^^^^^^^^^^^^^^^^^
      job.yml:7:15: thresholds: "fialed" is not a verdict, reason or HTTP status; did you mean "failed"?
        7 | thresholds: { fialed: "< 1%" }
          |               ^^^^^^
      job.yml:8:10: scraper: ids needs what to find and fetch: { ids: { find: 'ID-(\\d+)', template: 'https://…/{id}' } }
        8 | scraper: ids
          |          ^^^
      job.yml:9:7: save: none cannot be combined with other savers
        9 | save: [none, warc]
          |       ^"
    `);
  });
  it('take several accounts of a site, but none twice and no site inside another', () => {
    const rule = (site: string, as: string) => `{ site: ${site}, as: ${as}, check: status }`;
    const list = [
      rule('a.example', 'ann'),
      rule('a.example', 'bob'),
      rule('a.example', 'ann'),
      rule('b.a.example', 'cy'),
    ];
    expect(
      fail(`seeds: [a.example]\nlogin:\n${list.map((one) => `  - ${one}\n`).join('')}`),
    ).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:5:28: login[2].as: ann of a.example is login[0] already
        5 |   - { site: a.example, as: ann, check: status }
          |                            ^^^
      job.yml:6:13: login[3].site: must be a.example too, or a domain apart from it: login[0] is for hosts of both
        6 |   - { site: b.a.example, as: cy, check: status }
          |             ^^^^^^^^^^^"
    `);
  });
  it('say that pictures need a browser', () => {
    const wanted = 'seeds: [a.example]\nscreenshots: view\npdf: true\n';
    expect(fail(wanted)).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:2:14: screenshots: only pages in a browser have pictures: set render: auto or always
        2 | screenshots: view
          |              ^^^^
      job.yml:3:6: pdf: only pages in a browser have pictures: set render: auto or always
        3 | pdf: true
          |      ^^^^"
    `);
    const { job } = parseJobFile(`${wanted}render: auto\n`, 'job.yml');
    expect(job).toMatchObject({ render: 'auto', screenshots: ['view'], pdf: true });
  });
  it('say that a priority needs an order', () => {
    const rules = 'seeds: [a.example]\nurlRules: [{ match: /a, priority: 2 }]\n';
    expect(fail(rules)).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:2:35: urlRules[0].priority: only works together with order: best-first
        2 | urlRules: [{ match: /a, priority: 2 }]
          |                                   ^"
    `);
    expect(parseJobFile(`${rules}order: best-first\n`, 'job.yml').job).toMatchObject({
      order: 'best-first',
      urlRules: [{ match: '/a', cost: { add: 0 }, priority: 2 }],
    });
  });
  it('name the entry of politeness.hosts', () => {
    expect(
      fail(
        [
          'seeds: [a.example]',
          'politeness:',
          '  ownHosts: [own.example]',
          '  hosts:',
          '    - { match: "*.own.example", connections: 4 }',
          '    - { match: other.example, connections: 4 }',
          '    - { match: other.example, gap: 5s }',
          '    - { match: b.example }',
          '    - { match: c.example, gap: 5s, block: true }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:6:44: politeness.hosts[1].connections: more than 1 needs the hosts you own: politeness.ownHosts: [my.example]
        6 |     - { match: other.example, connections: 4 }
          |                                            ^
      job.yml:7:16: politeness.hosts[2].match: other.example is listed twice
        7 |     - { match: other.example, gap: 5s }
          |                ^^^^^^^^^^^^^
      job.yml:8:7: politeness.hosts[3]: an entry needs gap, connections or block: true
        8 |     - { match: b.example }
          |       ^
      job.yml:9:43: politeness.hosts[4].block: a blocked host has neither gap nor connections
        9 |     - { match: c.example, gap: 5s, block: true }
          |                                           ^^^^"
    `);
    expect(
      fail('seeds: [a.example]\npoliteness:\n  hosts: [{ match: "http://x", gap: 5 }, { mach: x }]\n'),
    ).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:3:20: politeness.hosts[0].match: expected a host name, or *.example.org for a domain and all hosts below it
        3 |   hosts: [{ match: "http://x", gap: 5 }, { mach: x }]
          |                    ^^^^^^^^^^
      job.yml:3:37: politeness.hosts[0].gap: expected a time with its unit, such as 500ms, 1s, 10m, 12h or 7d
        3 |   hosts: [{ match: "http://x", gap: 5 }, { mach: x }]
          |                                     ^
      job.yml:3:44: politeness.hosts[1]: unknown field "mach"; did you mean "match"?
        3 |   hosts: [{ match: "http://x", gap: 5 }, { mach: x }]
          |                                            ^^^^"
    `);
  });
  it('ask for a contact beyond one registered domain', () => {
    expect(fail('seeds: [a.example, b.example]')).toMatchInlineSnapshot(`
      "contact-missing
      job.yml:1:8: seeds: a crawl of more than one registered domain needs a contact, so that site owners can reach you
        1 | seeds: [a.example, b.example]
          |        ^"
    `);
  });
  it('are about syntax first', () => {
    expect(fail('seeds: [a.example\nname: x')).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]
        2 | name: x
          | ^"
    `);
    expect(fail('name: x\nname: y')).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:2:1: Map keys must be unique
        2 | name: y
          | ^"
    `);
  });
  it('are about files that are no job', () => {
    expect([fail(''), fail('# nothing'), fail('just text'), fail('- a\n- b')]).toMatchInlineSnapshot(`
      [
        "job-invalid
      job.yml:1:1: the file is empty; a job needs at least seeds
        1 | 
          | ^",
        "job-invalid
      job.yml:1:1: the file is empty; a job needs at least seeds
        1 | # nothing
          | ^",
        "job-invalid
      job.yml:1:1: expected fields, not "just text"
        1 | just text
          | ^^^^^^^^^",
        "job-invalid
      job.yml:1:1: expected fields, not ["a","b"]
        1 | - a
          | ^",
      ]
    `);
    expect(fail('x'.repeat(1_000_001))).toMatchInlineSnapshot(`
      "job-invalid
      job.yml:1:1: the file is too long for a job file
        1 | 
          | ^"
    `);
  });
});

it('reads a file of very many keys, aliases or levels in a time that grows with its length', () => {
  const many = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n');
  // Comparing each key with every other, or looking each alias up from the start, would take minutes.
  const cases: [text: string, says: string][] = [
    [many(70_000, (n) => `k${n}: 1`), 'seeds: is missing'],
    [`seeds:\n${many(30_000, (n) => `- &a${n} a\n- *a${n}`)}`, 'aliases'],
    ['['.repeat(400_000), 'nested too deeply'],
    ['{a: '.repeat(200_000), 'nested too deeply'],
  ];
  for (const [text, says] of cases) {
    const message = messageOf(() => parseJobFile(text, 'job.yml'));
    expect(message).toContain(says);
    expect(message.length).toBeLessThan(20_000);
  }
});

it('still refuses a key that stands twice', () => {
  const message = messageOf(() => parseJobFile('seeds: [a.test]\nscope: {}\nseeds: [b.test]', 'job.yml'));
  expect(message).toContain('job.yml:3:1: Map keys must be unique');
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

it('values of request headers are not repeated: they may be keys', () => {
  const problem = (text: string) => {
    try {
      parseJobFile(`seeds: [a.example]\n${text}`, 'job.yml');
    } catch (error) {
      return String(error);
    }
    return '';
  };
  const shown = problem('fetch: { headers: { X-Key: s3cret, Authorization: "Bearer s3cret" }, ports: [0] }');
  expect(shown).toContain(
    'fetch: { headers: { X-Key: ******, Authorization: *************** }, ports: [0] }',
  );
  expect(shown).toContain('by --credentials-file or WEBFARER_CREDENTIALS');
  expect(problem('fetch:\n  headers:\n    Cookie: |\n      s3cret\n      s3cret\n')).not.toContain('s3cret');
});
