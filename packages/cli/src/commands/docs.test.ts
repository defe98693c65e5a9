import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';

async function cli(...argv: string[]) {
  const world = fakeWorld('/', {}, argv);
  return { exit: await runCli(argv, world.context), out: world.out(), err: world.err() };
}

it('lists the guides with their titles and where they are', async () => {
  const { exit, out } = await cli('docs');
  expect(exit).toBe(0);
  expect(out).toMatch(/library +The library/);
  expect(out).toMatch(/in \/.*\/docs\n$/);
});

it('prints a guide whole, and names the others where there is none of that name', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/library.md'), 'utf8');
  expect((await cli('docs', 'library')).out).toBe(text);
  expect(await cli('docs', 'nothing')).toMatchObject({ exit: 2, err: expect.stringContaining('library') });
});

it('has the recipes, with their table of contents', async () => {
  const recipe = (name: string) =>
    readFileSync(join(import.meta.dirname, `../../../../docs/recipes/${name}.md`), 'utf8');
  expect((await cli('docs')).out).toMatch(/recipes\/markdown +Markdown of a site/);
  expect((await cli('docs', 'recipes')).out).toBe(recipe('README'));
  expect((await cli('docs', 'recipes/markdown')).out).toBe(recipe('markdown'));
});
