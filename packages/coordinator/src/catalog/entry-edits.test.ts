import { expect, it } from 'vitest';
import { mostEdits, noEdits, pendingSweep, settingChanges, withEdit, withSweep } from './entry-edits.ts';

const sweep = { state: 'pending', dropped: 0, restored: 0, linksNotKnown: {} } as const;
const edit = { atMs: 5, by: 'ana', changes: [] };

it('says which settings changed, from what to what', () => {
  const before = { name: 'x', limits: { pages: 5, depth: 2 }, scope: { exclude: ['/a/**'] } };
  const after = { name: 'x', limits: { pages: 9 }, scope: { exclude: ['/b/**'] }, politeness: { gap: '2s' } };
  expect(settingChanges(before, after)).toEqual([
    { field: 'limits.pages', from: 5, to: 9 },
    { field: 'limits.depth', from: 2 },
    { field: 'scope.exclude', from: ['/a/**'], to: ['/b/**'] },
    { field: 'politeness.gap', to: '2s' },
  ]);
  expect(settingChanges(before, before)).toEqual([]);
});

it('keeps values of headers and very long values out of the history', () => {
  const before = { fetch: { headers: { 'x-key': 'secret-1' } }, seeds: ['a'] };
  const after = { fetch: { headers: { 'x-key': 'secret-2' } }, seeds: ['b'.repeat(5_000)] };
  const changes = settingChanges(before, after);
  expect(changes).toEqual([
    { field: 'fetch.headers', from: '***', to: '***' },
    { field: 'seeds', from: ['a'], to: '(5004 characters)' },
  ]);
  expect(JSON.stringify(settingChanges({}, after))).not.toContain('secret');
});

it('counts edits and keeps the latest', () => {
  let edits = noEdits;
  for (let n = 0; n < mostEdits + 3; n++) edits = withEdit(edits, edit);
  expect([edits.earlier, edits.kept.length, edits.kept[0]?.seq, edits.kept.at(-1)?.seq]).toEqual([
    3,
    mostEdits,
    4,
    mostEdits + 3,
  ]);
});

it('one sweep carries out all changes of the scope up to an edit', () => {
  const two = withEdit(withEdit(noEdits, { ...edit, sweep }), { ...edit, sweep });
  const edits = withEdit(withEdit(two, edit), { ...edit, sweep });
  expect(pendingSweep(edits)).toBe(4);
  const done = { dropped: 3, restored: 1, linksNotKnown: { depth: 2 } };
  const after = withSweep(edits, 2, done);
  expect(after.kept.map((one) => one.sweep)).toEqual([
    { state: 'done', dropped: 0, restored: 0, linksNotKnown: {} },
    { state: 'done', ...done },
    undefined,
    sweep,
  ]);
  expect(pendingSweep(after)).toBe(4);
  expect(pendingSweep(withSweep(after, 4, done))).toBeUndefined();
  // A second coordinator had swept for the same edit.
  const both = withSweep(after, 2, { dropped: 5, restored: 0, linksNotKnown: {} });
  expect(both.kept[1]?.sweep).toEqual({ state: 'done', ...done, dropped: 8 });
});
