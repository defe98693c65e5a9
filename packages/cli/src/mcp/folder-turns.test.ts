import { expect, test } from 'vitest';
import { createFolderTurns } from './folder-turns.ts';

test('one at a time for each folder, so many in all, in order, whatever fails', async () => {
  const turns = createFolderTurns(2);
  const running = new Map<string, number>();
  const order: string[] = [];
  let most = 0;
  const work = (folder: string, name: string, fails = false) =>
    turns.run(folder, async () => {
      running.set(folder, (running.get(folder) ?? 0) + 1);
      expect(running.get(folder)).toBe(1);
      most = Math.max(
        most,
        [...running.values()].reduce((sum, n) => sum + n, 0),
      );
      for (let i = 0; i < 5; i++) await Promise.resolve();
      order.push(name);
      running.set(folder, 0);
      if (fails) throw new Error(name);
      return name;
    });
  const all = await Promise.allSettled([
    work('a', 'a1', true),
    work('a', 'a2'),
    work('b', 'b1'),
    work('c', 'c1'),
    work('a', 'a3'),
  ]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', ...Array(4).fill('fulfilled')]);
  expect(order.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  expect(order).toHaveLength(5);
  expect(most).toBe(2);
});
