import { describe, expect, test } from 'vitest';
import { toText } from '../markdown/to-text.ts';
import { isElement, readTree, type TreeNode } from '../tree/tree.ts';
import { mainContent } from './main-content.ts';

const main = (html: string) => mainContent(readTree(html, { xml: false }));
const textOf = (html: string) => toText(main(html).body);
const linesOf = (html: string) => textOf(html).split(/[\n\t]+/);

/** Of a page that says that it is an article. */
const linesOfArticle = (html: string) => linesOf(`<meta property="og:type" content="article">${html}`);

const sentence = (topic: string, at = 1) =>
  `Paragraph ${at} about ${topic} says a good deal, in whole sentences, that a reader came for.`;
const prose = (topic: string, count = 3) =>
  Array.from({ length: count }, (_, at) => `<p>${sentence(topic, at + 1)}</p>`).join('');
const lines = (topic: string, count = 3) => Array.from({ length: count }, (_, at) => sentence(topic, at + 1));

const teaser = (title: string) =>
  `<div class="item"><h3><a href="/${title}">The whole story of ${title}</a></h3><p>${sentence(title)}</p></div>`;

describe('the main content of an article', () => {
  test('is its text, without navigation, footer, comments and related links', () => {
    const found = linesOfArticle(`<html><head><title>Tides of the north - The Paper</title></head><body>
      <nav><a href="/">Home</a> <a href="/news">News</a></nav>
      <div class="page"><div class="story"><h1>Tides of the north</h1>${prose('tides')}
      <div class="related-stories"><p>${sentence('another story')}</p></div></div>
      <div id="comments">${prose('my own opinion', 5)}</div></div>
      <footer><p>${sentence('copyright')}</p></footer></body></html>`);
    expect(found).toEqual(lines('tides'));
  });

  test('leaves out comments that are longer than it', () => {
    const found = linesOfArticle(
      `<div>${prose('tides', 3)}<div class="comments">${prose('opinions', 7)}</div></div>`,
    );
    expect(found).toEqual(lines('tides'));
  });

  test('is kept in an element whose name describes the whole page', () => {
    const found = linesOfArticle(`<body><div class="with-sidebar subscriber">${prose('tides', 9)}</div>
      <div><p>${sentence('the publisher')}</p></div></body>`);
    expect(found).toEqual(lines('tides', 9));
  });

  test('ends before teasers of other pages, which have no telling names', () => {
    const found = linesOfArticle(`<body><div><h1>Tides</h1>${prose('tides', 6)}
      <div class="grid">${['wind', 'rain', 'snow', 'hail'].map(teaser).join('')}</div></div></body>`);
    expect(found).toEqual(lines('tides', 6));
  });

  test('begins at the headline, which the title of the page repeats', () => {
    const found = linesOfArticle(`<head><title>Tides of the north | The Paper</title></head><body><div>
      <p>${sentence('the ticker')}</p><h2>Tides of the north</h2>${prose('tides')}</div></body>`);
    expect(found).toEqual(lines('tides'));
  });

  test('is the article under the headline where several follow each other', () => {
    const found = linesOfArticle(`<main><article><h1>Tides</h1>${prose('tides', 2)}</article>
      <article><h2>Wind</h2>${prose('wind', 4)}</article><article>${prose('rain', 4)}</article></main>`);
    expect(found).toEqual(lines('tides', 2));
  });

  test('is what the page marks as its body', () => {
    const found = linesOfArticle(`<div><div>${prose('the weather today', 3)}</div>
      <div itemprop="articleBody">${prose('tides', 3)}</div></div>`);
    expect(found).toEqual(lines('tides'));
  });

  test('has no captions, share buttons, advertising or hidden text', () => {
    const found = linesOfArticle(`<article>${prose('tides', 2)}
      <figure><img src="a.png" alt=""><figcaption>${sentence('the photo')}</figcaption></figure>
      <div class="share-bar">Share this story with everybody you know and like</div>
      <div class="ad">A product that nobody needs, for a price that nobody has.</div>
      <div style="display: none">${sentence('hidden')}</div><p hidden>${sentence('hidden')}</p>
      <script>var a = "${sentence('script')}";</script><style>p { color: red }</style>
      <noscript>${sentence('noscript')}</noscript><p>${sentence('tides', 3)}</p></article>`);
    expect(found).toEqual(lines('tides'));
  });

  test('keeps a quotation that is embedded from a social network', () => {
    const found = linesOfArticle(`<article>${prose('tides', 3)}
      <div class="social-embed"><blockquote>${sentence('a quote')}</blockquote></div></article>`);
    expect(found).toEqual([...lines('tides'), sentence('a quote')]);
  });

  test('has no lines that only lead elsewhere, but keeps links within sentences', () => {
    const linked = `Its <a href="/moon">connection with the moon</a> is what the second part of this text is about.`;
    const found =
      linesOfArticle(`<article>${prose('tides', 2)}<p>Read more: <a href="/w">All about the wind</a></p>
      <p>${linked}</p><p><a href="/r">And about the rain</a></p>${prose('tides', 1)}</article>`);
    expect(found).toEqual([...lines('tides', 2), linked.replaceAll(/<[^>]+>/g, ''), sentence('tides', 1)]);
  });

  test('ends with a sentence or a list, not with a heading that nothing follows', () => {
    const body = `${prose('tides', 3)}<h2>Sources</h2><ul><li>A book about the sea</li></ul>`;
    const found = linesOfArticle(
      `<article>${body}<h2>More on this</h2><p>By our reporter</p><p>See also:</p></article>`,
    );
    expect(found).toEqual([...lines('tides'), 'Sources', 'A book about the sea']);
  });
});

describe('the heading of the main content', () => {
  const headlineOf = (html: string) => {
    const { headline, body } = main(html);
    expect(toText(body)).toBe(lines('tides').join('\n\n'));
    return headline && isElement(headline) ? `${headline.name} ${toText([headline])}` : undefined;
  };

  test('is that of the page, within the content, above it or in its header', () => {
    expect(headlineOf(`<article><h1>Tides</h1>${prose('tides')}</article>`)).toBe('h1 Tides');
    expect(headlineOf(`<div><h1>Tides</h1></div><div>${prose('tides')}</div>`)).toBe('h1 Tides');
    expect(
      headlineOf(
        `<title>Tides - The Paper</title><header><h1>Tides</h1></header><div>${prose('tides')}</div>`,
      ),
    ).toBe('h1 Tides');
  });

  test('is the one that the title repeats', () => {
    const title = '<title>Tides of the north | The Paper</title>';
    expect(
      headlineOf(`${title}<h1>The Paper</h1><article><h2>Tides of the north</h2>${prose('tides')}</article>`),
    ).toBe('h2 Tides of the north');
  });

  test('is the title where the only heading names the site, or there is none', () => {
    const title = '<title>Tides | The Paper</title>';
    expect(headlineOf(`${title}<header><h1>The Paper</h1></header><div>${prose('tides')}</div>`)).toBe(
      'h1 Tides | The Paper',
    );
    expect(headlineOf(`${title}<div>${prose('tides')}</div>`)).toBe('h1 Tides | The Paper');
    expect(headlineOf(`<div>${prose('tides')}</div>`)).toBeUndefined();
  });
});

describe('what stands between the headline and the text', () => {
  const textOfArticle = (html: string) => {
    const { headline, lead, body } = main(`<meta property="og:type" content="article">${html}`);
    return toText([...(headline ? [headline] : []), ...lead, ...body]).split('\n\n');
  };

  test('is kept where it is the summary and the author, wherever the page puts them', () => {
    const html = `<header><h1>Tides</h1><div class="standfirst">${sentence('the summary')}</div>
      <div class="share"><a href="/s">Share</a></div><p class="byline">By Ann Doe</p></header>
      <div class="story">${prose('tides')}</div>`;
    expect(textOfArticle(html)).toEqual(['Tides', sentence('the summary'), 'By Ann Doe', ...lines('tides')]);
    expect(textOfArticle(`<p>By Ann Doe</p><h1>Tides</h1><div>${prose('tides')}</div>`)).toEqual([
      'Tides',
      'By Ann Doe',
      ...lines('tides'),
    ]);
  });

  test('is part of the text where it is how that begins', () => {
    const html = `<div><h1>Tides</h1><p>${sentence('the beginning')}</p><div>${prose('tides', 9)}</div></div>`;
    expect(textOfArticle(html)).toEqual(['Tides', sentence('the beginning'), ...lines('tides', 9)]);
  });
});

describe('what a page marks as its content', () => {
  const parts = ['apt', 'brew', 'pip'].map(
    (name) => `<h2>${name}</h2><pre><code>${name} install the-tool-of-${name}-users</code></pre>`,
  );
  const install = `<title>Install</title><nav><a href="/">Home</a></nav>
    <main><h1>Install</h1>${parts.join('')}</main><footer>Copyright</footer>`;
  const declared = '<meta property="og:type" content="article">';

  test.each([
    ['a page', ''],
    ['an article', declared],
  ])('is kept whole where little of %s is prose', (_, head) => {
    expect(linesOf(head + install)).toEqual(
      ['apt', 'brew', 'pip'].flatMap((name) => [name, `${name} install the-tool-of-${name}-users`]),
    );
  });

  test('is kept whole where an article without it would be much less', () => {
    const figures = Array.from({ length: 20 }, (_, at) => `<p>Port ${at}: 3.4 m</p>`);
    const html = `${declared}<article><h1>Tides</h1><div>${prose('tides', 1)}</div><div>${figures.join('')}</div></article>`;
    expect(linesOf(html)).toHaveLength(21);
  });

  test('of an article is not what stands around its text', () => {
    const links = Array.from(
      { length: 9 },
      (_, at) => `<p><a href="/${at}">Another story, number ${at}</a></p>`,
    ).join('');
    const html = `${declared}<main><article><h1>Tides</h1>${prose('tides', 4)}</article>${links}
      <article><h2>Wind</h2>${prose('wind', 6)}</article></main>`;
    expect(linesOf(html)).toEqual(lines('tides', 4));
  });

  test('has lists of links, but none that lead to its own parts', () => {
    const html = `<main><h1>Docs</h1><ul><li><a href="#a">Part a</a><li><a href="#b">Part b</a></ul>
      <h2>Guides</h2><ul><li><a href="/a">Getting started</a><li><a href="/b">Settings</a></ul></main>`;
    expect(linesOf(html)).toEqual(['Guides', 'Getting started', 'Settings']);
  });

  test('has sections that are named like what stands around others', () => {
    const sections = ['comments', 'sharing', 'related', 'signature', 'last-modified']
      .map((id) => `<section id="${id}"><h2>${id}</h2><pre>${id} --all</pre></section>`)
      .join('');
    expect(
      linesOf(`<main><h1>API</h1>${sections}<div id="comments-box" class="comments">x y</div></main>`),
    ).toEqual(
      ['comments', 'sharing', 'related', 'signature', 'last-modified'].flatMap((id) => [id, `${id} --all`]),
    );
  });

  test('is no more than a part where the page marks only that', () => {
    const html = `<main><h1>Search</h1><p>Find a port.</p></main><div class="results">${prose('tides', 6)}</div>`;
    expect(linesOf(html)).toEqual(expect.arrayContaining(lines('tides', 6)));
  });

  test('has the heading that stands in it, whatever the title of the page', () => {
    const html =
      '<title>Acme - the tool</title><main><header><h1>Guide</h1></header><h2>a</h2><pre>run a</pre></main>';
    const { headline, body } = main(html);
    expect([headline && toText([headline]), toText(body)]).toEqual(['Guide', 'a\n\nrun a']);
  });

  test('has notes in whatever element they stand, and headings that are buttons', () => {
    const html = `<main><h1>FAQ</h1><h2><button>Why?</button></h2><p>Because.</p>
      <aside class="note"><p>Take care.</p></aside><div class="alert alert-warning" role="alert">It is hot.</div></main>`;
    expect(linesOf(html)).toEqual(['Why?', 'Because.', 'Take care.', 'It is hot.']);
  });
});

describe('the main content of other pages', () => {
  test('a table whose rows all begin with a link: all of its rows', () => {
    const row = (at: number) =>
      `<tr><td><a href="/${at}">package-number-${at} 1.0</a></td><td>What package ${at} is for, in a few words</td></tr>`;
    const rows = Array.from({ length: 9 }, (_, at) => row(at));
    const found =
      linesOf(`<body><div class="menu"><a href="/">Home</a></div><h1>Index</h1>${prose('packages')}
      <table>${rows.join('')}</table></body>`);
    expect(found).toHaveLength(3 + 18);
  });

  test('a list of teasers: the teasers', () => {
    const topics = Array.from({ length: 20 }, (_, at) => `wind ${at}`);
    const found = linesOf(`<body><nav><a href="/">Home page of this site</a></nav>
      <div>${prose('this blog', 4)}</div><div class="list">${topics.map(teaser).join('')}</div><footer>Imprint</footer></body>`);
    expect(found).toEqual(expect.arrayContaining(topics.map((topic) => sentence(topic))));
    expect(found).not.toContain('Home page of this site');
  });

  test('a list of links: the links', () => {
    const items = Array.from({ length: 20 }, (_, at) => `Document number ${at} of the archive`);
    const found = linesOf(`<body><nav><a href="/">Home</a></nav><h1>Archive</h1>
      <ul>${items.map((item) => `<li><a href="/d">${item}</a></li>`).join('')}</ul>
      <p>A line of text.</p></body>`);
    expect(found).toEqual(expect.arrayContaining(items));
    expect(found).not.toContain('Home');
  });

  test('a forum: question and answers in their order', () => {
    const posts = ['question', 'first answer', 'second answer'];
    const found = linesOf(`<body><div id="nav"><a href="/">Forum</a></div><h1>How do tides work?</h1>
      <div id="thread">${posts.map((post) => `<div class="post"><div class="avatar"></div><div>${prose(post, 2)}</div></div>`).join('')}</div></body>`);
    expect(found).toEqual(posts.flatMap((post) => lines(post, 2)));
  });

  test('documentation: code, lists and tables with the text', () => {
    const found = linesOf(`<body><aside><ul><li><a href="/a">Getting started</a></li></ul></aside>
      <main><h1>Tide tables</h1>${prose('tide tables', 2)}<h2>Usage</h2><pre><code>tide --port north</code></pre>
      <table><tr><th>Option</th><th>Meaning</th></tr><tr><td>--port</td><td>the port to compute for</td></tr></table>
      <ol><li>Install</li><li>Run</li></ol></main></body>`);
    expect(found).toEqual([
      ...lines('tide tables', 2),
      'Usage',
      'tide --port north',
      'Option',
      'Meaning',
      '--port',
      'the port to compute for',
      'Install',
      'Run',
    ]);
  });

  test('a page without an article: its few words', () => {
    expect(linesOf('<body><h1>Hello</h1><p>It works.</p></body>')).toContain('It works.');
  });

  test('a page of lines that breaks separate', () => {
    const found = linesOf(`<body><table><tr><td><a href="/">Home</a><br><a href="/b">Next page</a></td>
      <td>${sentence('tides', 1)}<br><br>${sentence('tides', 2)}</td></tr></table></body>`);
    expect(found).toEqual(lines('tides', 2));
  });

  test('a page without a body element: all of its paragraphs', () => {
    expect(linesOf(`<!doctype html><title>Tides</title>${prose('tides')}`)).toEqual(lines('tides'));
    expect(linesOf('Nothing but a line of text')).toEqual(['Nothing but a line of text']);
  });

  test('a page without text: nothing', () => {
    expect(main('')).toEqual({ headline: undefined, lead: [], body: [] });
    expect(main('<body><script>1</script></body>')).toEqual({ headline: undefined, lead: [], body: [] });
  });
});

describe('the main content in scripts of the world', () => {
  const texts = {
    Japanese: '潮の満ち引きは月の引力によって起こる現象です。港ごとに時刻が異なります。',
    Chinese: '潮汐是海水周期性的涨落现象。',
    Korean: '조석은 달과 태양의 인력 때문에 바닷물이 오르내리는 현상이다.',
    Arabic: 'المد والجزر ظاهرة طبيعية تحدث بسبب جاذبية القمر والشمس على مياه البحر.',
    Thai: 'น้ำขึ้นน้ำลงเกิดจากแรงดึงดูดของดวงจันทร์และดวงอาทิตย์ที่กระทำต่อโลก',
    Russian: 'Приливы и отливы вызваны притяжением Луны и Солнца.',
  };
  for (const [script, text] of Object.entries(texts))
    test(script, () => {
      const links = ['一覧', 'الرئيسية', 'Новости']
        .map((name) => `<li><a href="/">${name}</a></li>`)
        .join('');
      const found = linesOf(`<body><div><ul>${links}</ul></div>
        <div class="c"><h1>1</h1>${`<p>${text}</p>`.repeat(4)}</div><div class="comments"><p>${text}</p></div>
        <div><p>This page is the work of its publisher.</p></div></body>`);
      expect(found).toEqual([text, text, text, text]);
    });
});

describe('the nodes of the main content', () => {
  test('are copies, and the shared tree stays as it was', () => {
    const html = `<div>${prose('tides')}<div class="share">Share this</div></div>`;
    const tree = readTree(html, { xml: false });
    const { body } = mainContent(tree);
    expect(childrenOf(body[0])).toHaveLength(3);
    expect(childrenOf(tree.children[0])).toHaveLength(4);
    for (const copy of childrenOf(body[0])) {
      expect(copy.parent).toBe(body[0]);
      expect(childrenOf(tree.children[0])).not.toContain(copy);
    }
  });

  const childrenOf = (node: TreeNode | undefined) => (node && isElement(node) ? node.children : []);
});

// With work that grows with the square of the size, each of these would take minutes.
describe('pages made to exhaust', { timeout: 60_000 }, () => {
  test('50,000 nested elements', () => {
    const depth = 50_000;
    const found = linesOf(`${'<div>'.repeat(depth)}${prose('tides')}${'</div>'.repeat(depth)}`);
    expect(found).toEqual(lines('tides'));
  });

  test('10,000 nested elements with something to drop in each', () => {
    const level = `<div><div class="ad">${sentence('a product')}</div><h3><a href="/">A title that is a link</a></h3>`;
    expect(linesOf(`${level.repeat(10_000)}${prose('tides', 9)}`)).toEqual(
      expect.arrayContaining(lines('tides')),
    );
  });

  test('50,000 nested links', () => {
    // What stands within links is no prose.
    expect(textOf(`${'<a href="/"><b>'.repeat(50_000)}${prose('tides')}`)).toBe('');
  });

  test('a page of 1.7 MB', () => {
    const count = Math.ceil(1_700_000 / sentence('tides').length);
    const found = linesOf(
      `<body><nav>${'<a href="/">Link</a> '.repeat(1000)}</nav><div>${prose('tides', count)}</div>`,
    );
    expect(found).toHaveLength(count);
  });

  test('24,000 links side by side', () => {
    expect(linesOf(`<ul>${'<li><a href="/">Link</a> and text'.repeat(24_000)}</ul>`)).toHaveLength(24_000);
  });
});
