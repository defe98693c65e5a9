import { WebfarerError } from '@webfarer/protocol';
import type { ShownComparison } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { compared, compareWhole, notCompared, pagesOf } from './use-comparison.ts';

type Client = Parameters<typeof compareWhole>[0];
type Answer = { id: string; ready: boolean; atMs?: number; items?: object[]; next?: string };

/** Answers in turn; undefined: the comparison is not known here. */
function coordinator(answers: (Answer | undefined)[]) {
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

async function whole(answers: Parameters<typeof coordinator>[0]) {
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
  const { asked, told } = await whole([
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
  expect((await whole([{ id: 'x', ready: false }, undefined, { id: 'y', ready: true }])).asked).toEqual([
    '',
    'x',
    '',
  ]);
  await expect(whole([])).rejects.toMatchObject({ code: 'cursor-stale' });
});

it('takes the first comparison that is ready, whichever coordinator has it, but does not wait for ever', async () => {
  const turns: Answer[] = ['a', 'b', 'c', 'a', 'b'].map((id) => ({
    id,
    ready: false,
    atMs: id.charCodeAt(0),
  }));
  const { asked, told } = await whole([...turns, { id: 'c', ready: true }]);
  expect([asked, told.at(-1)]).toEqual([['', 'a', 'b', 'c', 'a', 'b'], true]);
  const anew = Array.from({ length: 100 }, (_, atMs) => ({ id: 'x', ready: false, atMs }));
  await expect(whole(anew)).rejects.toMatchObject({ code: 'busy' });
});

it('reads a list from the coordinator that keeps its comparison, and says so where none does', async () => {
  const page = { id: 'x', ready: true, items: [{ url: 'http://a.test/' }], next: 'x.http://a.test/' };
  const listed = async (answers: (Answer | undefined)[]) => {
    const { client, asked } = coordinator(answers);
    const pages = pagesOf(client, { crawl: 'a', other: 'b', id: 'x', change: 'new' });
    const answer = await pages('', new AbortController().signal).catch((error: WebfarerError) => error.code);
    return { asked, answer };
  };
  expect(await listed([undefined, undefined, page])).toEqual({
    asked: ['x', 'x', 'x'],
    answer: { items: page.items, next: page.next, searched: 1 },
  });
  const nowhere = await listed([]);
  expect([nowhere.answer, nowhere.asked.length]).toEqual(['cursor-stale', 20]);
});

const told = (id: string, ready: boolean, read: number): ShownComparison =>
  ({ id, ready, now: { read, known: 100 }, before: { read: 0, known: 100 } }) as ShownComparison;

it('shows a comparison until it is made anew, and how far the furthest coordinator is', () => {
  let state = notCompared('a b');
  const tell = (answer: ShownComparison) => (state = compared(state, { pair: 'a b', is: 'told', answer }));
  tell(told('x', true, 100));
  state = compared(state, { pair: 'a b', is: 'again' });
  expect(state.shown?.id).toBe('x');
  for (const [id, read] of [
    ['y', 50],
    ['z', 20],
    ['y', 90],
    ['z', 60],
  ] as const)
    tell(told(id, false, read));
  expect([state.shown?.id, state.progress?.now.read]).toEqual(['x', 90]);
  state = compared(state, { pair: 'a b', is: 'failed', error: 'trouble' });
  expect([state.shown?.id, state.progress, state.error]).toEqual(['x', undefined, 'trouble']);
  tell(told('z', true, 100));
  expect(state).toMatchObject({ shown: { id: 'z' } });
  expect([state.progress, state.error]).toEqual([undefined, undefined]);
  expect(compared(state, { pair: 'a c', is: 'again' }).shown).toBeUndefined();
});

it('compares anew by itself where a list is lost, but not for ever', () => {
  let state = notCompared('a b');
  const lose = () => {
    state = compared(state, { pair: 'a b', is: 'told', answer: told('x', true, 100) });
    state = compared(state, { pair: 'a b', is: 'lost' });
  };
  for (let times = 0; times < 10; times++) lose();
  expect([state.round, state.shown?.id]).toEqual([3, 'x']);
  state = compared(state, { pair: 'a b', is: 'again' });
  lose();
  expect(state.round).toBe(5);
});
