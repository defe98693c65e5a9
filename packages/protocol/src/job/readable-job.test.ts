import { describe, expect, it } from 'vitest';
import { readableJob, resolveJob } from './resolve.ts';

const seeds = ['https://shop.example/'];
const refusedScope = { exclude: [{ regex: '(?=a)b' }] };

describe('a stored job', () => {
  it('is the same as resolved where this version takes it', () => {
    const input = { name: 'shop', seeds, limits: { pages: 5 }, save: ['warc'] };
    expect(readableJob(input)).toEqual(resolveJob(input));
  });

  it('can be read although a field of it is refused', () => {
    const input = {
      name: 'shop',
      seeds,
      scope: refusedScope,
      limits: { pages: 5 },
      retention: { keep: '1d' },
    };
    expect(() => resolveJob(input)).toThrow('lookahead');
    expect(readableJob(input)).toEqual(resolveJob({ ...input, scope: undefined }));
  });

  it('can be read although it has more regular expressions than are taken now', () => {
    const exclude = Array.from({ length: 200 }, (_, n) => ({ regex: `/${n}$` }));
    const input = { name: 'shop', seeds, scope: { exclude }, save: ['warc'] };
    expect(() => resolveJob(input)).toThrow('200 regular expressions');
    expect(readableJob(input, ['save'])).toEqual(resolveJob({ ...input, scope: undefined }));
  });

  it('can be read with fields and forms that this version does not know', () => {
    const input = { name: 'shop', seeds, later: { a: 1 }, save: [{ cloud: {} }], limits: { pages: 5 } };
    expect(readableJob(input)).toMatchObject({ name: 'shop', limits: { pages: 5 } });
  });

  it.each([[undefined], [null], ['text'], [[]], [{}], [{ seeds: 7, name: 8, contact: [] }]])(
    'can be read whatever it is: %j',
    (input) => {
      expect(readableJob(input)).toMatchObject({ limits: {}, save: expect.any(Array) as unknown });
    },
  );

  it('can be read where it needs a contact by now', () => {
    const input = { name: 'shop', seeds, scope: { stay: 'web' }, limits: { pages: 5 } };
    expect(() => resolveJob(input)).toThrow('contact');
    expect(readableJob(input)).toMatchObject({ name: 'shop', scope: { stay: 'web' }, limits: { pages: 5 } });
  });

  it('is refused where a field is needed that nobody can read', () => {
    const input = { name: 'shop', seeds, scope: refusedScope, save: [{ cloud: {} }] };
    expect(() => readableJob(input, ['save'])).toThrow('save');
    expect(() => readableJob({ ...input, save: ['warc'] }, ['save'])).not.toThrow();
  });
});
