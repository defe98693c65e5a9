import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agreementOn, referenceLinks } from './links-reference.fixture.ts';
import { extractLinks } from './links.ts';

const corpora = process.env.WEBFARER_CORPORA;
const url = 'https://page.example/dir/page.html';

it.skipIf(corpora === undefined)('finds the links the reference parser finds on real pages', () => {
  const { links, recall, precision, differences } = agreementOn(join(corpora as string, 'html-pages'));
  console.log(`links ${links}  recall ${recall.toFixed(5)}  precision ${precision.toFixed(5)}`);
  if (differences.length > 0) console.log(differences.slice(0, 10).join('\n'));
  expect(recall).toBeGreaterThanOrEqual(0.999);
  expect(precision).toBeGreaterThanOrEqual(0.999);
});

// The last piece is a space.
const pieces = (
  '<a href=1>|<a href="2">|<a\nhref=\'3\'/>|<a href=4/>|<a href=&amp;5>|</a>|<img src=6>|<iframe src=7>|</iframe>|' +
  '<div>|</div>|<p>|<p title="|<table>|</table>|<td>|<span>|<b>|<br/>|text|<title>|</title>|<style>|</style>|' +
  '<script>|</script>|<script><!--<script>|<textarea>|</textarea>|<xmp>|</xmp>|<noframes>|</noframes>|<noscript>|' +
  '</noscript>|<template>|</template>|<svg>|</svg>|<math>|</math>|<foreignObject>|</foreignObject>|<desc>|</desc>|' +
  '<mi>|</mi>|<path/>|<![CDATA[|]]>|<!--|-->|<!-->|--!>|<|>|"|\'|=|/| '
).split('|');

it('agrees with the reference parser on nearly all rubbish', () => {
  let seed = 12_345;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const sizes = 5_000;
  let equal = 0;
  for (let i = 0; i < sizes; i += 1) {
    let html = '<body>';
    for (let left = random(14) + 2; left > 0; left -= 1) html += pieces[random(pieces.length)];
    const ours = extractLinks(html, { url }).links.map((link) => `${link.rel} ${link.url}`);
    const theirs = [...referenceLinks(html, url)];
    if (ours.toSorted().join('|') === theirs.toSorted().join('|')) equal += 1;
  }
  // What differs needs the whole stack of open elements: SVG that is closed by something else.
  expect(equal / sizes).toBeGreaterThan(0.995);
});
