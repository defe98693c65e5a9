import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import { pictureScreens, seePicture, showHostilePictures } from './picture-walk.ts';
import { readSaved } from './saved-walk.ts';
import { gallery } from './sites.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

const crawl = 'gallery';
const at = `/crawls/${crawl}`;
const texts = `${at}/data?view=texts`;
/** Saves texts as files of their own. */
const withFiles = 'press.example';

/** Texts of pages that a browser drew, as lines of one file: found, read and downloaded. */
export async function walkTexts({ page }: Visitor, world: World): Promise<string[]> {
  await openGallery(page, world);
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.getByRole('link', { name: 'Texts', exact: true }).click();
  return [
    ...(await findText(page)),
    ...(await readOne(page)),
    ...(await downloadAll(page, world)),
    ...(await teach(page, world.url)),
    ...(await seePicture(page, world)),
    ...(await readSaved(page, world)),
  ];
}

/** Its crawl, with a browser, is begun unless it was, and waited for. */
async function openGallery(page: Page, { api, url }: World): Promise<void> {
  const job = {
    name: crawl,
    seeds: ['http://gallery.example/'],
    contact: 'mailto:console@webfarer.test',
    politeness: { gap: '20ms' },
    render: 'always',
    screenshots: ['view'],
    save: ['warc', { markdown: { as: 'jsonl' } }],
  };
  const known = await api.getCrawl({ params: { crawl: job.name } }).catch(() => undefined);
  if (!known) await api.createCrawl({ body: { job } });
  await page.goto(`${url}${at}`);
  await page.locator('.crawl-head .state', { hasText: 'finished' }).waitFor();
}

async function findText(page: Page): Promise<string[]> {
  await page.getByText(`That is all: ${gallery.length} texts.`).waitFor();
  const wrong: string[] = [];
  const titles = await page.locator('.data-room .row-button').allTextContents();
  const right = gallery.map(({ title }) => title);
  if (titles.toSorted().join() !== right.toSorted().join()) wrong.push(`the texts are ${titles.join()}`);
  const languages = await page.locator('.data-room [role=cell]:nth-child(3)').allTextContents();
  if (
    languages.toSorted().join() !==
    gallery
      .map(({ language }) => language)
      .toSorted()
      .join()
  )
    wrong.push(`the languages are ${languages.join()}`);
  await page.keyboard.press('/');
  await page.keyboard.type('SEESTÜCK');
  wrong.push(
    ...(await expectWithin(page.getByText('That is all: 1 text.').waitFor(), 'a text is not found')),
  );
  if (!page.url().includes('view=texts')) wrong.push(`the search left the texts: ${page.url()}`);
  return wrong;
}

async function readOne(page: Page): Promise<string[]> {
  await page.locator('.row-button').first().click();
  const wrong = await expectWithin(
    page.locator('.item-whole').getByText('# Das Seestück').waitFor(),
    'a text is not shown',
  );
  const shown = await page.locator('.item-whole').innerText();
  // What a script drew is there; what is Markdown stays Markdown.
  if (!shown.includes('[Catalogue](http://gallery.example/)')) wrong.push(`the text is ${shown}`);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = await coming;
  let text = '';
  for await (const piece of await file.createReadStream()) text += String(piece);
  if (text.trim() !== shown.trim() || !file.suggestedFilename().endsWith('.md'))
    wrong.push(`the download ${file.suggestedFilename()} is ${text}`);
  await page.keyboard.press('Escape');
  return wrong;
}

/** The command brings home what is listed, where there is a jq. */
async function downloadAll(page: Page, { api, url, token }: World): Promise<string[]> {
  await page.goto(`${url}/crawls/${withFiles}/data?view=texts`);
  const { items } = await api.listFiles({
    params: { crawl: withFiles },
    query: { after: 'markdown/', limit: 1_000 },
  });
  const right = items.filter(({ path }) => path.startsWith('markdown/')).map(({ path }) => path);
  const all = page.locator('[aria-labelledby=all-texts] pre');
  await page.getByText(`That is all: ${right.length} texts.`).waitFor();
  const command = (await all.allInnerTexts()).find((text) => text.includes('curl')) ?? 'exit 1';
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-texts-'));
  try {
    if ((await run('command -v jq', folder, token)) !== 0) return [];
    const code = await run(command, folder, token);
    const got = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    return code === 0 && got.length === right.length
      ? []
      : [`the command for all texts ended with ${code}, and ${got.length} of ${right.length} files`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const run = (command: string, cwd: string, token: string): Promise<number> =>
  new Promise((done) => {
    const env = { ...process.env, WEBFARER_TOKEN: token };
    execFile('sh', ['-c', command], { cwd, env }, (error) => done(error ? Number(error.code ?? 1) : 0));
  });

async function teach(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}/crawls/ill.example/data?view=texts`);
  return await expectWithin(
    page.getByText('This crawl saved no texts').waitFor(),
    'it is not explained how a crawl comes to have texts',
  );
}

/** Hostile texts in titles, languages, names of files and the texts themselves. */
export async function showHostileTexts(
  { page }: Visitor,
  world: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  await openGallery(page, world);
  await showHostilePictures(page, world, judge);
  const lines = hostileStrings.map((text, n) => ({
    kind: 'record',
    record: {
      url: `http://gallery.example/${encodeURIComponent(text.toWellFormed())}`,
      title: text,
      language: text,
      startedAtMs: 1,
      saved: [{ saver: 'markdown', file: `markdown/${text}.md`, length: n + 1 }],
    },
  }));
  const bookmark = { kind: 'bookmark', token: 't', more: false, state: 'finished', over: true };
  await page.route('**/results?*', (route) =>
    route.fulfill({
      contentType: 'application/x-ndjson',
      body: [...lines, bookmark].map((line) => `${JSON.stringify(line)}\n`).join(''),
    }),
  );
  const body = `# ${hostileStrings.join('\n\n')}\n\n![x](http://elsewhere.example/x.png) <script>window.__ran=1</script>`;
  await page.route('**/files/*', (route) => route.fulfill({ status: 206, body }));
  await page.goto(world.url + texts);
  await page.locator('[data-row="3"]').waitFor();
  await judge('hostile texts');
  for (const row of [0, 2, 4, 6]) {
    await page.locator(`[data-row="${row}"] .row-button`).click();
    await page.locator('.item-whole').waitFor();
    await judge(`the hostile text ${row}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
  await page.unroute('**/files/*');
  await page.unroute('**/results?*');
}

export const textScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  ...pictureScreens,
  {
    name: 'data-texts',
    path: `/crawls/${withFiles}/data?view=texts`,
    ready: async (page) => await page.getByText('That is all').waitFor(),
  },
  {
    name: 'data-text',
    path: texts,
    async ready(page) {
      await page.getByRole('button', { name: 'Das Seestück' }).click();
      await page.locator('.item-whole').waitFor();
    },
  },
  {
    name: 'data-no-texts',
    path: '/crawls/ill.example/data?view=texts',
    ready: async (page) => await page.getByText('This crawl saved no texts').waitFor(),
  },
];
