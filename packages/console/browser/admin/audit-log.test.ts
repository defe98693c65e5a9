import { expect, it } from 'vitest';
import { auditQuery, detailWords } from './audit-log.ts';

it('asks for days of the reader, the last one included', () => {
  expect(auditQuery({})).toEqual({ who: '', action: '', what: '' });
  expect(auditQuery({ show: 'audit', who: 'red', action: 'put', what: 'n2' })).toEqual({
    who: 'red',
    action: 'put',
    what: 'n2',
  });
  expect(auditQuery({ from: '2026-11-02', to: '2026-11-03' })).toMatchObject({
    fromMs: new Date(2026, 10, 2).getTime(),
    toMs: new Date(2026, 10, 4).getTime(),
  });
  expect(auditQuery({ from: '0001-01-01' })).toMatchObject({ fromMs: 0 });
});

it('says of a change what its path does not', () => {
  const words = (what: string, detail: string) => detailWords({ what, detail });
  expect(words('/v1/crawls', '{"id":"c1","name":"museum","version":4}')).toBe('id c1 · name museum');
  expect(words('/v1/teams/red', '{"name":"red","version":4}')).toBe('');
  expect(words('/v1/x', 'not JSON')).toBe('not JSON');
});
