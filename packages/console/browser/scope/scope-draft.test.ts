import { expect, it } from 'vitest';
import { draftIn, type ScopeDraft } from './draft-in-address.ts';
import {
  draftBefore,
  draftOf,
  fieldsOfPolicy,
  problemsOf,
  scopeChanges,
  withChanges,
} from './scope-draft.ts';

const job = {
  name: 'shop',
  seeds: ['https://shop.example/'],
  contact: 'me@a.example',
  scope: { exclude: ['/cart/**', { regex: 'id=\\d+', flags: 'i' }, 'regex of a glob'] },
  limits: { pages: 10 },
};
const base = draftOf(job) as ScopeDraft;

it('shows the scope that holds, with its defaults, and patterns as lines', () => {
  expect(base).toEqual({
    stay: 'site',
    include: '',
    exclude: '/cart/**\nregex id=\\d+, flags i\nregex of a glob',
    requisites: false,
    depth: 20,
    cost: 10,
  });
  expect(draftOf({ seeds: 3 })).toBeUndefined();
});

it('sends what was changed and nothing else', () => {
  expect(scopeChanges(job, base, base)).toEqual({});
  // Blank lines and spaces around a pattern are nothing.
  expect(scopeChanges(job, base, { ...base, exclude: `\n  ${base.exclude}  \n\n` })).toEqual({});
  const after = {
    ...base,
    stay: 'host' as const,
    exclude: `${base.exclude}\nregex ^https://b, flags i\nregex x{1,2}`,
    depth: '' as const,
  };
  expect(scopeChanges(job, base, after)).toEqual({
    scope: {
      stay: 'host',
      // What the job has stays as it is written there, even where it looks like something else.
      exclude: [...job.scope.exclude, { regex: '^https://b', flags: 'i' }, { regex: 'x{1,2}' }],
    },
    limits: { depth: 'none' },
  });
});

it('tells what is wrong at its field and line', () => {
  const wrong = { ...base, include: '/a/**\n\nregex (', depth: 1.5 };
  const problems = problemsOf(job, scopeChanges(job, base, wrong), wrong);
  expect(problems.include).toMatchObject({ line: 3 });
  expect(problems.include?.message).toContain('not a valid regular expression');
  expect(Object.keys(problems).toSorted()).toEqual(['depth', 'include']);
  expect(problemsOf(job, scopeChanges(job, base, base), base)).toEqual({});
});

it('finds the way back in the history of an edit', () => {
  const after = { ...base, stay: 'web' as const, exclude: '', depth: 3 };
  const edited = withChanges(job, scopeChanges(job, base, after));
  expect(draftOf(edited)).toEqual(after);
  const history = [
    { field: 'scope.stay', to: 'web' },
    { field: 'scope.exclude', from: job.scope.exclude, to: [] },
    { field: 'limits.depth', to: 3 },
    { field: 'limits.pages', from: 4, to: 10 },
  ];
  expect(draftBefore(edited, history)).toEqual(base);
  // The same scope as a merge patch of the job that is in force.
  expect(draftOf(withChanges(edited, scopeChanges(edited, after, base)))).toEqual(base);
  const long = [{ field: 'scope.exclude', from: '(2500 characters)', to: [] }];
  expect(draftBefore(edited, long)).toBeUndefined();
});

it('knows which fields are those of the policy', () => {
  const policy = { scope: { exclude: job.scope.exclude, stay: 'host' }, limits: { depth: 4, pages: 10 } };
  expect([...fieldsOfPolicy(job, policy)]).toEqual(['exclude']);
  expect([...fieldsOfPolicy({ ...job, limits: { depth: 4 } }, policy)]).toEqual(['exclude', 'depth']);
});

it('takes from an address what can be a draft', () => {
  expect(draftIn({ stay: 'host', include: '/a', depth: 3, cost: '', requisites: true })).toEqual({
    stay: 'host',
    include: '/a',
    depth: 3,
    cost: '',
    requisites: true,
  });
  expect(
    draftIn({ stay: 'moon', include: 3, exclude: ['x'], depth: -1, cost: '1', requisites: 'yes' }),
  ).toEqual({});
  for (const none of [undefined, null, 'text', 3]) expect(draftIn(none)).toEqual({});
});
