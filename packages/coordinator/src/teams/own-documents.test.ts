import { expect, it } from 'vitest';
import { docsOf } from '../registry/docs-of.ts';
import { mostOwn, mostVersions, requireRoom, requireVersions } from './own-documents.ts';

const operator = { scope: 'operator', team: 'press' } as const;
const admin = { scope: 'admin', team: 'press' } as const;

it('leaves a team no room for more documents of a kind than it may have, and an admin always', async () => {
  for (const [kind, most] of Object.entries(mostOwn) as [keyof typeof mostOwn, number][]) {
    const docs = (count: number) => Array.from({ length: count }, (_, n) => n);
    await expect(requireRoom(kind, operator, docs(most - 1))).resolves.toBeUndefined();
    await expect(requireRoom(kind, operator, docs(most))).rejects.toMatchObject({
      code: 'quota',
      message: expect.stringContaining(`the team press has ${most} `) as string,
    });
    await expect(requireRoom(kind, admin, docs(most))).resolves.toBeUndefined();
  }
});

it('bounds the versions of a policy', () => {
  expect(() => requireVersions(operator, mostVersions - 1)).not.toThrow();
  expect(() => requireVersions(operator, mostVersions)).toThrow('1000 versions');
  expect(() => requireVersions(admin, mostVersions)).not.toThrow();
});

it('reads no further than it must, over all pages', async () => {
  const asked: string[] = [];
  const registry = {
    list: (_kind: string, { after, limit }: { after: string; limit: number }) => {
      asked.push(after);
      const from = Number(after || 0);
      const docs = Array.from({ length: limit }, (_, n) => ({
        kind: 'schedule' as const,
        id: String(from + n + 1),
        version: 1,
        changedAtMs: 0,
        value: {},
      }));
      return Promise.resolve({ docs, next: from + limit < 2_000 ? String(from + limit) : undefined });
    },
  };
  await expect(requireRoom('schedule', operator, docsOf(registry, 'schedule'))).rejects.toThrow(
    '500 schedules',
  );
  expect(asked).toEqual(['']);
  await requireRoom('host-rule', operator, docsOf(registry, 'host-rule'));
  expect(asked).toEqual(['', '', '500', '1000', '1500']);
});
