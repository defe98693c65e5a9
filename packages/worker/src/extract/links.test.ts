import { describe, expect, it } from 'vitest';
import { type ExtractOptions, extractLinks } from './links.ts';
import { cpuMs } from '../../../../test/cpu-time.ts';

const url = 'https://a.example/dir/page.html';
const extract = (html: string, more: Partial<ExtractOptions> = {}) => extractLinks(html, { url, ...more });
/** `rel url` of every link. */
const found = (html: string, more: Partial<ExtractOptions> = {}): string[] =>
  extract(html, more).links.map(
    (link) => `${link.rel} ${link.url?.replace('https://a.example', '') ?? link.href}`,
  );

describe('links', () => {
  it.each([
    ['<a href=x>', ['a /dir/x']],
    ['<A HREF="X">', ['a /dir/X']],
    ["<a\n\thref =\n' /x '>", ['a /x']],
    ['<a href=/x/y/>z</a>', ['a /x/y/']],
    ['<a href="?a=1&amp;b=2&copy=3&lt;">', ['a /dir/page.html?a=1&b=2&copy=3%3C']],
    ['<a href="&#x2f;x&#47;y">', ['a /x/y']],
    ["<a href='a\"b'>", ['a /dir/a%22b']],
    ['<a href="x" href="y">', ['a /dir/x']],
    ['<a href="/x\ny\tz">', ['a /xyz']],
    ['<a name=top><a href>', ['a /dir/page.html']],
    ['<a href="#part">', []],
    ['<a href="page.html#part">', ['a /dir/page.html#part']],
    ['<a href="mailto:a@b"><a href="javascript:x()">', ['a mailto:a@b', 'a javascript:x()']],
    ['<a href="data:text/html,x"><img src="data:image/png;base64,xx">', []],
    ['<area href=x alt="A map">', ['area /dir/x']],
    ['<iframe src=x><a href=no></iframe><frame src=y>', ['iframe /dir/x', 'frame /dir/y']],
    ['<img src=x.png srcset="y.png 2x, z.png 3x">', ['img /dir/x.png', 'img /dir/y.png', 'img /dir/z.png']],
    [
      '<picture><source srcset="a,b.webp 1x,c.webp, d.webp"></picture>',
      ['source /dir/a,b.webp', 'source /dir/c.webp', 'source /dir/d.webp'],
    ],
    [
      '<video src=v poster=p><track src=t></video><audio src=s>',
      ['video /dir/v', 'video:poster /dir/p', 'track /dir/t', 'audio /dir/s'],
    ],
    ['<object data=o></object><embed src=e>', ['object /dir/o', 'embed /dir/e']],
    [
      '<script src=s.js></script><link rel=stylesheet href=c.css>',
      ['script /dir/s.js', 'link:stylesheet /dir/c.css'],
    ],
    [
      '<link rel="shortcut ICON" href=i><link rel="alternate stylesheet" href=c>',
      ['link:icon /dir/i', 'link:stylesheet /dir/c'],
    ],
    [
      '<link rel=canonical href=/c><link rel=next href=n><link rel=alternate hreflang=de href=/de>',
      ['link:canonical /c', 'link:next /dir/n', 'link:alternate /de'],
    ],
    ['<link rel=preconnect href=//cdn.example><link rel=dns-prefetch href=//x><link href=no-rel>', []],
    ['<link rel=EditURI href=rsd>', ['link:edituri /dir/rsd']],
    ['<form action=/search></form><button formaction=/b>', ['form /search', 'form /b']],
    [
      '<svg><a xlink:href=x></a><image href=i.png /><use xlink:href="s.svg#a"/></svg>',
      ['a /dir/x', 'svg:image /dir/i.png', 'svg:use /dir/s.svg#a'],
    ],
    ['<image src=old.gif>', ['img /dir/old.gif']],
    ['<body background=b.gif><table background=t.gif>', ['background /dir/b.gif', 'background /dir/t.gif']],
    ['<noscript><a href=x><img src=y></noscript>', ['a /dir/x', 'img /dir/y']],
    ['<a href=x><a href=x><a href="x ">', ['a /dir/x']],
    ['<a href="http://[bad">', ['a http://[bad']],
  ])('%s', (html, expected) => {
    expect(found(html)).toEqual(expected);
  });

  it.each([
    ['comments', '<!-- <a href=no> --><a href=yes><!--> <a href=yes2> <!-- > <a href=no> --!><a href=yes3>'],
    ['scripts', '<script>"<a href=no>"; </scripty> <a href=no></script ><a href=yes>'],
    ['scripts that look closed', '<script src=yes><a href=no></SCRIPT><a href=yes2>'],
    [
      'styles and titles',
      '<style><a href=no></style><title><a href=no></title><textarea><a href=no></textarea><a href=yes>',
    ],
    [
      'other raw text',
      '<xmp><a href=no></xmp><noembed><a href=no></noembed><noframes><a href=no></noframes><a href=yes>',
    ],
    ['plain text', '<a href=yes><plaintext><a href=no></plaintext><a href=no>'],
    ['attribute values', '<p title="<a href=no>"><p title=\'> <a href=no>\'><a title=">" href=yes>'],
    ['declarations', '<!DOCTYPE html><?php <a href=no ?><![CDATA[ <a href=no> ]]><a href=yes>'],
    ['templates', '<template><a href=no><template></template><a href=no></template><a href=yes>'],
    ['end tags', '</a href=no><a href=yes></ a href=no>'],
    ['unfinished tags', '<a href=yes><a href=no'],
    ['attributes named like parts of an object', '<a constructor=no __proto__=no href=yes>'],
  ])('are not looked for in %s', (_name, html) => {
    for (const link of found(html)) expect(link).toMatch(/^(?:a|script) \/dir\/yes\d?$/);
    expect(found(html).length).toBeGreaterThan(0);
  });

  it('in a shadow root count, as do those after an SVG that is never closed', () => {
    expect(found('<template shadowrootmode=open><a href=x></template>')).toEqual(['a /dir/x']);
    expect(found('<svg><title><b></title><style><a href=x></style></svg>')).toEqual(['a /dir/x']);
    expect(found('<svg><path><div><style><a href=no></style><a href=x>')).toEqual(['a /dir/x']);
  });

  it('are relative to the first base, wherever it stands', () => {
    expect(
      found('<a href=x><base target=_top><base href=/b/><base href=/c/><a href=y><a href="#z">'),
    ).toEqual(['a /b/x', 'a /b/y', 'a /b/#z']);
    expect(extract('<base href="/b/">').base).toBe('https://a.example/b/');
    for (const bad of ['javascript:x', 'data:,x', 'http://[', 'file:///etc/'])
      expect(extract(`<base href="${bad}">`).base).toBe(url);
    expect(extract(`<base href="/${'b/'.repeat(2_000)}">`).base).toBe(url);
  });

  it('come from the Link header too', () => {
    const linkHeaders = [
      '</c>; rel=canonical, <n?a,b>; title="x, <no>; rel=next"; rel="next prefetch"',
      '<x>; as=y',
      '<p>;rel=preload',
      '<q>; title="a; rel=next"; rel=prev',
    ];
    expect(found('', { linkHeaders })).toEqual([
      'link:canonical /c',
      'link:next /dir/n?a,b',
      'link:preload /dir/p',
      'link:prev /dir/q',
    ]);
  });

  it('come from a refresh', () => {
    const target = (content: string): string[] => found(`<meta http-equiv=Refresh content="${content}">`);
    for (const content of [
      '0;url=x',
      '5; URL = x',
      "0;url='x'",
      '0; x',
      '0,url=x',
      ' 3.5 ; url=x',
      '0 url=x',
      ';url=x',
    ])
      expect([content, target(content)]).toEqual([content, ['meta:refresh /dir/x']]);
    for (const content of ['5', '', '0;', '0;url='])
      expect([content, target(content)]).toEqual([content, []]);
  });

  it('are made into what the caller knows them by', () => {
    const resolve = (href: string): string | undefined => (href === 'no' ? undefined : `known:${href}`);
    const { links } = extract('<a href=yes><a href=no>', { resolve });
    expect(links.map((link) => link.url)).toEqual(['known:yes', undefined]);
  });
});

describe('a link', () => {
  it('has its text, folded and cut', () => {
    const texts = (html: string): string[] => extract(html).links.map((link) => link.text);
    expect(texts('<a href=x> The <b>quick\n&amp; brown</b>&nbsp;fox </a> no')).toEqual([
      'The quick & brown fox',
    ]);
    expect(texts('<a href=x>one<a href=y>two</a>')).toEqual(['one', 'two']);
    expect(texts('<a href=x><img alt=" A  cat " src=data:,></a>')).toEqual(['A cat']);
    expect(texts('<a href=x><img alt="cat" src=data:,>dog</a>')).toEqual(['dog']);
    expect(texts('<area href=x alt="A map">')).toEqual(['A map']);
    expect(texts('<a href=x><script>no()</script><style>no</style>yes</a>')).toEqual(['yes']);
    expect(texts('<a href=x>open to the end')).toEqual(['open to the end']);
    expect(texts(`<a href=x>${'a'.repeat(199)}😀b</a>`)).toEqual(['a'.repeat(199)]);
  });

  it('says nofollow and what it is for', () => {
    const links = extract(
      '<a href=1 rel="external NOFOLLOW"><a href=2 rel=nofollows><img src=3><form action=4>',
    ).links;
    expect(links.map((link) => [link.nofollow, link.use])).toEqual([
      [true, 'page'],
      [false, 'page'],
      [false, 'requisite'],
      [false, 'edge'],
    ]);
  });
});

describe('a page', () => {
  it('has the first title, language and meta robots', () => {
    const page = extract(
      '<html lang=de-AT><svg><title>no</title></svg><title> One &amp; <b>two</b>\n</title><title>no</title>' +
        '<meta name=robots content="noindex"><meta name=otherbot content="none"><meta name=author content="index finger, none">',
    );
    expect(page.title).toBe('One & <b>two</b>');
    expect(page.lang).toBe('de-AT');
    expect(page.metaRobots).toEqual([
      { agent: 'robots', content: 'noindex' },
      { agent: 'otherbot', content: 'none' },
    ]);
    expect(extract('<title>  </title>').title).toBeUndefined();
    expect(extract('').title).toBeUndefined();
    expect(extract(`<title>${'x'.repeat(10_000)}`).title).toHaveLength(500);
  });

  it('looks empty when it is made by scripts alone', () => {
    const shell =
      '<html><head><title>App</title><script src=app.js></script></head><body><div id=root></div>';
    expect(extract(shell).looksEmpty).toBe(true);
    expect(
      extract(`${shell}<noscript>${'You need to enable JavaScript. '.repeat(20)}</noscript>`).looksEmpty,
    ).toBe(true);
    expect(extract(`${shell}<p>${'Words of its own. '.repeat(20)}`).looksEmpty).toBe(false);
    expect(extract(`${shell}<a href=1>1</a><a href=2>2</a><a href=3>3</a>`).looksEmpty).toBe(false);
    expect(extract('<p>short</p>').looksEmpty).toBe(false);
  });

  it.each(['application/ld+json', 'application/json', 'importmap', 'text/template', 'speculationrules'])(
    'does not take a block of %s for a script',
    (type) => {
      expect(extract(`<h1>Saw</h1><script type="${type}">{"name": "Saw"}</script>`).looksEmpty).toBe(false);
    },
  );

  it.each(['', ' type=module', ' type="text/javascript; charset=utf-8"', ' type="application/x-javascript"'])(
    'takes <script%s> for one',
    (type) => expect(extract(`<h1>Saw</h1><script${type}>draw()</script>`).looksEmpty).toBe(true),
  );

  it('in XHTML may close its scripts at once', () => {
    const xhtml = '<html><script src="s.js"/><title/><a href="x">y</a></html>';
    expect(found(xhtml, { xml: true })).toEqual(['script /dir/s.js', 'a /dir/x']);
    expect(found(xhtml)).toEqual(['script /dir/s.js']);
  });
});

describe('styles', () => {
  it.each([
    ['<style>@import "a.css";b{c:url(d.png)}</style>', ['css:import /dir/a.css', 'css /dir/d.png']],
    ['<p style="background:url(&quot;x y.png&quot;)">', ['css /dir/x%20y.png']],
    ["<p STYLE='a:url(x)' style='a:url(y)'><b style=color:red>", ['css /dir/x', 'css /dir/y']],
    ['<base href=/other/><i style="a:url(x)">', ['css /other/x']],
    [
      '<svg><style>a{b:url(x)}</style><g style="filter:url(#f);c:url(y)"/></svg>',
      ['css /dir/x', 'css /dir/y'],
    ],
    ['<svg><style><![CDATA[a{b:url(x)}]]></style>url(no)</svg>', ['css /dir/x']],
    ['<template><style>a{b:url(x)}</style><p style="a:url(y)"></template>', []],
    ['<script>a{b:url(x)}</script><xmp>a{b:url(x)}</xmp><p>url(x)', []],
    ['<a href=1 style="a:url(2)">', ['css /dir/2', 'a /dir/1']],
  ])('of %s', (html, expected) => {
    expect(found(html, { styles: true })).toEqual(expected);
    expect(extract(html, { styles: true }).links.filter((link) => link.rel.startsWith('css'))).toEqual(
      extract(html, { styles: true }).links.filter((link) => link.use === 'requisite'),
    );
  });

  it('are left alone unless they are asked for', () => {
    expect(found('<style>b{c:url(d.png)}</style><p style="a:url(x)">')).toEqual([]);
  });
});

describe('a hostile page', () => {
  const many = 100_000;
  it.each([
    ['nested without end', '<div>'.repeat(many) + '<a href=x>', 1],
    ['of many forms of nesting', '<svg><math><foreignObject><template>'.repeat(many / 4), 0],
    ['of end tags', '</a></div></svg>'.repeat(many), 0],
    ['of many attributes', `<a ${'b=c '.repeat(999)} href=x>`, 1],
    ['of more attributes than are looked at', `<a ${'b=c '.repeat(many)} href=x>`, 0],
    ['of one attribute', `<a href="${'x'.repeat(5_000_000)}">`, 0],
    ['of the same attribute', `<a ${'href=x '.repeat(many)}>`, 1],
    ['of one text', `<a href=x>${'y '.repeat(2_000_000)}`, 1],
    ['of references', `<a href="${'&amp;'.repeat(10_000)}">${'&lt;&bogus;&#x110000;&#0;'.repeat(50_000)}`, 1],
    ['of open comments', '<!--'.repeat(many), 0],
    ['of open scripts', '<script>'.repeat(many), 0],
    ['of many scripts', '<script>x</script>'.repeat(many * 3), 0],
    ['of half-closed scripts', `<script>${'</scrip'.repeat(many)}`, 0],
    ['of signs', '<'.repeat(many * 5), 0],
    ['of quotes', `<a href='${'"'.repeat(60_000)}'>`, 1],
    ['of srcsets', `<img srcset="${'('.repeat(60_000)}">`, 1],
    ['of commas', `<img srcset="${','.repeat(60_000)}">`, 0],
    ['of links', '<a href=x>'.repeat(many), 1],
  ])('%s is read in bounded time', (_name, html, count) => {
    const startedAt = cpuMs();
    expect(extract(html).links).toHaveLength(count);
    expect(cpuMs() - startedAt).toBeLessThan(3_000);
  });

  it('of very many links is cut, and the rest counted', () => {
    const html = Array.from({ length: 6_000 }, (_, i) => `<a href=${i}>`).join('');
    const page = extract(html);
    expect(page.links).toHaveLength(5_000);
    expect(page.skipped).toBe(1_000);
    expect(extract(html, { maxLinks: 10 }).links).toHaveLength(10);
  });
});
