import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { withField } from './edit-text.ts';

const job = `# what the museum asked for
name: museum   # short
seeds:
- https://museum.example/   # the front
- https://shop.museum.example/

# gently
politeness: { gap: 2s }
limits:
    pages: 5_000 # enough
    # of a day
    depth: 20
`;

it('changes a value and leaves the rest of the text as it was', () => {
  expect(withField(job, ['limits', 'depth'], 3)).toBe(job.replace('depth: 20', 'depth: 3'));
  expect(withField(job, ['name'], 'a: b')).toBe(job.replace('name: museum ', 'name: "a: b" '));
  expect(withField(job, ['name'], 'museum')).toBe(job);
});

it('keeps the comments and the order of a section that is written anew', () => {
  const made = withField(job, ['limits', 'bytes'], '1GB');
  expect(made.slice(0, made.indexOf('limits:'))).toBe(job.slice(0, job.indexOf('limits:')));
  expect(made).toContain('# enough');
  expect(made).toContain('# of a day');
  expect(parse(made).limits).toEqual({ pages: '5_000', depth: 20, bytes: '1GB' });
  const longer = withField(job, ['seeds'], ['https://museum.example/', 'https://else.example/']);
  expect(longer).toContain('# the front');
  expect(longer.slice(longer.indexOf('\n# gently'))).toBe(job.slice(job.indexOf('\n# gently')));
});

it('puts a new field where the schema has it, and removes what is empty', () => {
  const made = withField(job, ['scope', 'stay'], 'host');
  expect(made).toBe(
    job.replace('\n# gently', 'scope:\n  stay: host\n\n# gently').replace('\n\nscope', '\nscope'),
  );
  expect(withField(made, ['scope', 'stay'], undefined)).toBe(job);
  expect(withField(job, ['politeness', 'gap'], undefined)).not.toContain('politeness');
  expect(withField('', ['seeds'], ['a.example'])).toBe('seeds:\n  - a.example\n');
  expect(withField('limits:\n', ['limits', 'pages'], 5)).toBe('limits:\n  pages: 5\n');
});

const paths = [
  ['name'],
  ['seeds'],
  ['policy'],
  ['contact'],
  ['scope', 'stay'],
  ['scope', 'exclude'],
  ['limits', 'pages'],
  ['limits', 'perHost', 'pages'],
  ['politeness', 'gap'],
  ['save'],
];
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    '# no comment',
    '- x',
    '{a: b}',
    'null',
    'true',
    '1e3',
    '~',
    "it's",
    'a\nb',
    ' ',
    '@',
    '*',
    '<script>',
  ),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.constantFrom(undefined, true, false),
  fc.array(fc.oneof(text, fc.record({ regex: text })), { maxLength: 4 }),
);
const beginnings = [
  job,
  '',
  '# nothing yet\n',
  'seeds: [a.example, b.example] # two',
  '{"seeds":["a.example"]}',
  'a: &x {b: 1}\nlimits: *x\n',
];

it('leaves YAML that says what the edits said, whatever they were, with every comment', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...beginnings),
      fc.array(fc.tuple(fc.constantFrom(...paths), value), { maxLength: 12 }),
      (beginning, edits) => {
        let made = beginning;
        for (const [path, next] of edits) {
          made = withField(made, path, next);
          const said = path.reduce<unknown>(
            (at, key) => (at as Record<string, unknown> | undefined)?.[key],
            parse(made) ?? {},
          );
          expect(said).toEqual(next);
        }
        const first = beginning.match(/^# .*/)?.[0] ?? '';
        expect(made).toContain(first);
      },
    ),
    { numRuns: 120 },
  );
});
