import { describe, expect, it } from 'vitest';
import { resolveJob } from './resolve.ts';

describe('an identity', () => {
  const identityOf = (identity: object) => resolveJob({ seeds: ['example.org'], identity }).identity;

  it('is named by an https origin, also where its well-known address was given', () => {
    const all = { directory: 'https://me.test', hosts: ['*'] };
    expect(identityOf({ directory: 'https://ME.test:443/' })).toEqual(all);
    const document = 'https://me.test/.well-known/http-message-signatures-directory';
    expect(identityOf({ directory: document, key: 'my.key' })).toEqual({ ...all, keyFile: 'my.key' });
    expect(identityOf({ directory: 'https://me.test:8443', hosts: ['*.B.test'] })).toEqual({
      directory: 'https://me.test:8443',
      hosts: ['*.b.test'],
    });
  });

  it.each(['http://me.test', 'https://me.test/keys', 'https://me.test/?a', 'https://u:p@me.test', 'me.test'])(
    '%s is none',
    (directory) => {
      expect(() => identityOf({ directory })).toThrow('expected an https origin');
    },
  );
});
