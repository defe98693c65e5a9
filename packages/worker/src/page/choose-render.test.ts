import { type Entry, systemClock, type Url } from '@webfarer/protocol';
import { renderChooser, resolveJob } from '@webfarer/protocol/job';
import { createScope, normaliser } from '@webfarer/protocol/url';
import { expect, it } from 'vitest';
import { createRenderChoice } from '../context/render-choice.ts';
import { typePolicy } from '../context/type-rules.ts';
import type { FetchedPage } from '../fetch/fetch.ts';
import { linksScraper } from '../scrape/built-in.ts';
import { openAccount } from '../shares/account.ts';
import { choose, learnFrom } from './choose-render.ts';

const seed = 'https://a.example/' as Url;

function contextOf() {
  const job = resolveJob({ seeds: [seed], contact: 'me@lab.test', render: 'auto' });
  return {
    job,
    account: openAccount(),
    clock: systemClock(),
    normalise: normaliser(job.normalise),
    scope: createScope(job, [seed]),
    agentToken: 'webfarer',
    types: typePolicy(job.fetch.types),
    scraper: linksScraper(),
    ownCode: false,
    choice: createRenderChoice(renderChooser(job, [])),
  };
}

/** Pages as they come and as a browser shows them; answers why each was shown or not. */
async function meet(pages: { path: string; html: string; shown: string }[]): Promise<string[]> {
  const context = contextOf();
  const whys: string[] = [];
  for (const { path, html, shown } of pages) {
    const url = `https://a.example${path}` as Url;
    const entry: Entry = { url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 };
    const page = { url, headers: [['Content-Type', 'text/html']], body: Buffer.from(html) } as FetchedPage;
    const plain = await choose(context, entry, page);
    if (!plain) throw new Error('it cannot be read');
    whys.push(plain.decision.why);
    const rendered = {
      html: shown,
      own: shown,
      movedTo: undefined,
      restless: false,
      errors: [],
      durationMs: 1,
      leftOut: [],
      pictures: [],
      picture: async () => undefined,
    };
    if (plain.decision.show) learnFrom(context, entry, plain, rendered);
  }
  return whys;
}

const words = 'Many words that stand here without any script. '.repeat(20);
const made = (count: number, one: (n: number) => { path: string; html: string; add: string }) =>
  Array.from({ length: count }, (_, n) => {
    const { path, html, add } = one(n);
    return { path, html, shown: html.replace('<hr>', add) };
  });
const counts = (whys: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    ['sample', 'gains', 'gains-nothing'].map((why) => [why, whys.filter((one) => one === why).length]),
  );

it('sees text that scripts add to a page with much text', async () => {
  const review = (n: number) => `<p>${`Review of a customer about article ${'abcdefgh'[n]} `.repeat(4)}</p>`;
  const pages = made(8, (n) => ({
    path: `/p/${n}`,
    html: `<p>${words}<hr><script src=/r.js></script>`,
    add: review(n),
  }));
  expect(counts(await meet(pages))).toEqual({ sample: 1, gains: 7, 'gains-nothing': 0 });
});

it('a banner, a clock and an advertisement on every page are no reason', async () => {
  const aside = (n: number) =>
    `<p>We and our partners keep cookies on your device to choose what you are shown.</p><a href=/privacy>more</a>
     <p>It is 12:0${n} and you are visitor ${n * 77} of this page today, welcome to all that you can find here.</p>
     <a href="https://ads.example/click?id=${n * 991}">ad</a>`;
  const html = `<p>${words}<hr><script src=/tag.js></script>`;
  const pages = made(12, (n) => ({ path: `/news/${n}`, html, add: aside(n) }));
  expect(counts(await meet(pages))).toEqual({ sample: 1, gains: 1, 'gains-nothing': 10 });
});

it('pages that each have a folder of their own are of one kind', async () => {
  const html = '<h1>Saw</h1><script src=/count.js></script>';
  const pages = made(30, (n) => ({ path: `/20${n}/${'abc'[n % 3]}/name-${n}/`, html, add: '' }));
  expect(counts(await meet(pages))).toEqual({ sample: 2, gains: 0, 'gains-nothing': 28 });
});

it('places that scripts fill, and what scripts in the page call, tell pages of one folder apart', async () => {
  const script = '<script src=/site.js></script>';
  const kinds = [
    { html: `<p>${words}${script}<hr>`, add: '' },
    { html: `<p>${words}<div id=list-7></div>${script}<hr>`, add: '<a href=/only/N>one</a>' },
    {
      html: `<p>${words}<script>drawAll({"a": "b(c)"})</script>${script}<hr>`,
      add: '<a href=/drawn/N>one</a>',
    },
  ];
  const pages = made(30, (n) => {
    const { html, add } = kinds[n % 3] as (typeof kinds)[number];
    return { path: `/x/${n}`, html, add: add.replace('N', String(n)) };
  });
  expect(counts(await meet(pages))).toEqual({ sample: 4, gains: 18, 'gains-nothing': 8 });
});

it('reads a hostile page in time', async () => {
  const hostile = `${'<div '.repeat(50_000)}${'<script>"'.repeat(50_000)}<b>${' '.repeat(100_000)}`;
  const whys = await meet([{ path: '/', html: `<script></script>${hostile}`, shown: '' }]);
  expect(whys).toEqual(['sample']);
});
