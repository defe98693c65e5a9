import { WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { compareWhole } from './use-comparison.ts';

type Client = Parameters<typeof compareWhole>[0];

/** Answers in turn; undefined: the comparison is not known here. */
function coordinator(answers: ({ id: string; ready: boolean } | undefined)[]) {
  const asked: string[] = [];
  const client = {
    compareCrawls: ({ query }: { query: { id: string } }) => {
      asked.push(query.id);
      const answer = answers[asked.length - 1];
      return answer ? Promise.resolve(answer) : Promise.reject(new WebfarerError('cursor-stale', 'gone'));
    },
  } as unknown as Client;
  return { client, asked };
}

async function compared(answers: Parameters<typeof coordinator>[0]) {
  const { client, asked } = coordinator(answers);
  const told: boolean[] = [];
  const { signal } = new AbortController();
  await compareWhole(
    client,
    { crawl: 'a', other: 'b' },
    { signal, tell: ({ ready }) => void told.push(ready) },
  );
  return { asked, told };
}

it('asks about the same comparison until it is ready', async () => {
  const { asked, told } = await compared([
    { id: 'x', ready: false },
    { id: 'x', ready: false },
    { id: 'x', ready: true },
  ]);
  expect([asked, told]).toEqual([
    ['', 'x', 'x'],
    [false, false, true],
  ]);
});

it('begins anew where the comparison was forgotten, but not for ever', async () => {
  expect((await compared([{ id: 'x', ready: false }, undefined, { id: 'y', ready: true }])).asked).toEqual([
    '',
    'x',
    '',
  ]);
  await expect(compared([])).rejects.toMatchObject({ code: 'cursor-stale' });
});
