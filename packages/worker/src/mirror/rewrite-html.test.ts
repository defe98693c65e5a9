import { parseUrl } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import type { Redirected } from './edits.ts';
import { rewriteHtml } from './rewrite-html.ts';

const url = 'http://a.test/docs/page';
const resolveBase = (href: string, base: string) => parseUrl(href, base)?.href;

/** Whatever is on a.test is in the folder as FILE plus its path, all else is not. */
const redirected: Redirected = (href, base) => {
  const parsed = parseUrl(href, base);
  if (!parsed?.protocol.startsWith('http')) return undefined;
  const kept = parsed.host === 'a.test';
  return { href: kept ? `FILE${parsed.pathname}${parsed.hash}` : parsed.href, kept };
};

const rewritten = (html: string, xml = false, shown = false) =>
  rewriteHtml(html, { url, xml, shown, redirected, resolveBase });

describe('references of a page', () => {
  it.each([
    ['<a href="x#y">', '<a href="FILE/docs/x#y">'],
    ['<a href=/x>', '<a href="FILE/x">'],
    ["<a href='/x?a&amp;b'>", "<a href='FILE/x'>"],
    ['<a href="//b.test/?q=1&amp;r">', '<a href="http://b.test/?q=1&amp;r">'],
    ['<A HREF = "../x">', '<A HREF = "FILE/x">'],
    ['<a href="#top">', '<a href="#top">'],
    ['<a href="">', '<a href="">'],
    ['<a href>', '<a href>'],
    ['<a href="mailto:a@b.test">', '<a href="mailto:a@b.test">'],
    [
      '<img src=i.png srcset="i.png 1x, /j.png 2x">',
      '<img src="FILE/docs/i.png" srcset="FILE/docs/i.png 1x, FILE/j.png 2x">',
    ],
    ['<link rel=preload imagesrcset="/a 1x">', '<link rel=preload imagesrcset="FILE/a 1x">'],
    ['<video poster="/p.png"></video>', '<video poster="FILE/p.png"></video>'],
    ['<object data=/o></object><embed src=/e>', '<object data="FILE/o"></object><embed src="FILE/e">'],
    ['<form action=/f><button formaction=/g>', '<form action="FILE/f"><button formaction="FILE/g">'],
    ['<div style="background:url(/b.png)">', '<div style="background:url(&quot;FILE/b.png&quot;)">'],
    [
      '<style>@import "/s.css"; a{b:url( c.png )}</style>',
      '<style>@import "FILE/s.css"; a{b:url( "FILE/docs/c.png")}</style>',
    ],
    [
      '<svg><style>a{b:url(c.png)}</style><image href="/i"/></svg>',
      '<svg><style>a{b:url("FILE/docs/c.png")}</style><image href="FILE/i"/></svg>',
    ],
    ['<svg><use xlink:href="#id"/></svg>', '<svg><use xlink:href="#id"/></svg>'],
    [
      `<meta http-equiv=refresh content="3; url='/x'">`,
      `<meta http-equiv=refresh content="3; url='FILE/x'">`,
    ],
    ['<iframe srcdoc="<img src=/i>"></iframe>', '<iframe srcdoc="&lt;img src=&quot;FILE/i&quot;>"></iframe>'],
    ['<iframe srcdoc src=/i>', '<iframe srcdoc src="FILE/i">'],
    ['<constructor x=/i>', '<constructor x=/i>'],
    ['<template><img src=/i></template>', '<template><img src="FILE/i"></template>'],
    ['<link rel=canonical href="/x">', '<link rel=canonical href="http://a.test/x">'],
  ])('%s', (html, expected) => {
    expect(rewritten(html)).toBe(expected);
  });

  it('are seen from the base, which goes', () => {
    const html = '<link rel=stylesheet href=s.css><base target=_top href="/other/"><a href="x"><a href="#y">';
    expect(rewritten(html)).toBe(
      '<link rel=stylesheet href="FILE/other/s.css"><base target=_top><a href="FILE/other/x"><a href="FILE/other/#y">',
    );
  });

  it('are left alone in scripts, comments and texts', () => {
    const html =
      '<script>load("/x"); a = "<img src=/y>"</script><!-- <a href="/x"> --><textarea><a href="/x"></textarea>';
    expect(rewritten(html)).toBe(html);
  });
});

describe('a page as its scripts left it', () => {
  it('has none that would run again, but keeps their data', () => {
    const html =
      '<script src="/x" defer></script><script type="module">draw("</p>")</script><p onclick="x()">drawn</p><script type="application/ld+json">{"a":1}</script>';
    expect(rewritten(html, false, true)).toBe(
      '<script defer></script><script type="module"></script><p onclick="x()">drawn</p><script type="application/ld+json">{"a":1}</script>',
    );
  });
});

describe('what would block local files', () => {
  it('goes where the target is in the folder', () => {
    expect(rewritten('<script src=/x integrity="sha256-x" crossorigin></script>')).toBe(
      '<script src="FILE/x"></script>',
    );
    expect(rewritten(`<link crossorigin='anonymous' rel="stylesheet" integrity = sha256-x href="/x">`)).toBe(
      '<link rel="stylesheet" href="FILE/x">',
    );
  });

  it('stays where it is not', () => {
    const html = '<script src="http://b.test/x" integrity="sha256-x" crossorigin></script>';
    expect(rewritten(html)).toBe(html);
  });

  it('goes with a policy of the page', () => {
    expect(rewritten(`<meta http-equiv="Content-Security-Policy" content="default-src 'self'"><p>`)).toBe(
      '<meta><p>',
    );
  });
});
