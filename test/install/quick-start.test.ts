import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fencedBlock, quickStart } from './quick-start.ts';

const markdown = `
Intro
<!-- quick-start -->
\`\`\`sh
npx webfarer crawl example.org   # first
echo other
npx webfarer status
\`\`\`
<!-- /quick-start -->
`;

test('commands are taken verbatim', () => {
  expect(quickStart(markdown)).toEqual(['npx webfarer crawl example.org   # first', 'npx webfarer status']);
});

test('a missing or unfenced block is an error, not an empty list', () => {
  expect(() => fencedBlock(markdown, 'library')).toThrow('no fenced block marked library');
  expect(() => quickStart(markdown.replaceAll('```', ''))).toThrow('no fenced block');
  expect(() => quickStart(markdown.replace('/quick-start', 'quick'))).toThrow('no fenced block');
});

test('the README has commands to type and a library example', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  expect(quickStart(readme).length).toBeGreaterThanOrEqual(4);
  expect(fencedBlock(readme, 'library')).toContain("from 'webfarer'");
});
