import { expect, it } from 'vitest';
import { shows, stepsOf } from './recipe-page.ts';

const fence = (opening: string, text: string) => `\`\`\`${opening}\n${text}\n\`\`\`\n`;

it('reads what to run, what to write and what to expect, in the order of the page', () => {
  const page = [
    fence('yaml', '# job.yml\nseeds: []'),
    fence('yaml', 'other: way'),
    fence('sh exit=4', 'webfarer run job.yml'),
    fence('sh server', 'wayback'),
    fence('text output', 'done'),
    fence('json x.crawl/items.jsonl', '{}'),
  ].join('words\n');
  expect(stepsOf(page)).toEqual([
    { do: 'write', file: 'job.yml', text: '# job.yml\nseeds: []\n' },
    { do: 'run', text: 'webfarer run job.yml\n', exit: 4 },
    { do: 'serve', text: 'wayback\n' },
    { do: 'expect', file: undefined, text: 'done\n' },
    { do: 'expect', file: 'x.crawl/items.jsonl', text: '{}\n' },
  ]);
});

it('finds stated lines that follow each other, with gaps only where the page has an ellipsis', () => {
  const text = 'first\n  url: "https://a.example/"\n\nat 12:30\nlast\n';
  expect(shows(text, 'url: "https://a.example/"\nat …')).toBe(true);
  expect(shows(text, 'first\n…\nlast')).toBe(true);
  expect(shows(text, 'first\nlast')).toBe(false);
  expect(shows(text, 'url: "https://b.example/"')).toBe(false);
  expect(shows(text, 'at 12')).toBe(false);
});
