import { describe, expect, it } from 'vitest';
import { checkPolicy, policyIn, withPolicy } from './named-policy.ts';
import { checkJob, resolveJob } from './resolve.ts';

const ref = { name: 'gentle', version: 3 };
const seeds = ['https://shop.example/'];

describe('a policy', () => {
  it('holds what decides, and neither seeds nor places', () => {
    expect(checkPolicy({ scope: { stay: 'host' }, fetch: { userAgent: 'x/1 (+{contact})' } })).toMatchObject({
      ok: true,
    });
    for (const field of ['seeds', 'save', 'store', 'name', 'policy'])
      expect(checkPolicy({ [field]: 'x' })).toMatchObject({ ok: false, problems: [{ path: [field] }] });
    expect(checkPolicy({ limits: { page: 5 } })).toMatchObject({
      problems: [{ message: 'unknown field "page"; did you mean "pages"?' }],
    });
    expect(checkPolicy('text')).toMatchObject({ ok: false });
  });

  it('holds no password', () => {
    const proxy = (use: string) => checkPolicy({ fetch: { proxy: [{ use }] } });
    expect(proxy('http://proxy.example:8080')).toMatchObject({ ok: true });
    expect(proxy('http://me:secret@proxy.example:8080')).toMatchObject({ ok: false });
  });

  it('is named with or without a version', () => {
    expect(policyIn({ policy: 'gentle' })).toEqual({ name: 'gentle' });
    expect(policyIn({ policy: 'gentle@12' })).toEqual({ name: 'gentle', version: 12 });
    expect(policyIn({ policy: ref })).toBeUndefined();
    expect(policyIn({ seeds })).toBeUndefined();
    expect(checkJob({ seeds, policy: 'gentle@0' })).toMatchObject({ ok: false });
    expect(checkJob({ seeds, policy: 'a@b@1' })).toMatchObject({ ok: false });
  });
});

describe('a job with a policy', () => {
  it('wins field by field', () => {
    const policy = {
      limits: { pages: 10, perHost: { pages: 5 } },
      politeness: { gap: '5s', ownHosts: ['a.example'] },
      fetch: { timeout: '9s', headers: { From: 'a@b.example', 'X-Of': 'policy' } },
    };
    const input = {
      seeds,
      policy: 'gentle',
      limits: { pages: 20 },
      politeness: { ownHosts: [] },
      fetch: { headers: { 'X-Of': 'job' } },
    };
    expect(withPolicy(input, ref, policy)).toEqual({
      seeds,
      policy: ref,
      limits: { pages: 20, perHost: { pages: 5 } },
      politeness: { gap: '5s', ownHosts: [] },
      fetch: { timeout: '9s', headers: { From: 'a@b.example', 'X-Of': 'job' } },
    });
  });

  it('says none where its policy has a limit', () => {
    const job = resolveJob(
      withPolicy({ seeds, limits: { bytes: 'none' } }, ref, { limits: { pages: 3, bytes: '1MB' } }),
    );
    expect(job.limits).toMatchObject({ pages: 3 });
    expect(job.limits.bytes).toBeUndefined();
    expect(job.policy).toEqual(ref);
  });

  it('is the same with the same policy again', () => {
    const policy = { limits: { pages: 10 }, urlRules: [{ cost: 1 }] };
    const once = withPolicy({ seeds, policy: 'gentle' }, ref, policy);
    expect(withPolicy(once, ref, policy)).toEqual(once);
  });

  it('may have its contact from the policy', () => {
    const input = { seeds, scope: { stay: 'web' } };
    expect(checkJob(input)).toMatchObject({ ok: false });
    expect(checkJob({ ...input, policy: 'gentle' })).toMatchObject({ ok: true });
    expect(checkJob(withPolicy(input, ref, {}))).toMatchObject({ ok: false });
    expect(checkJob(withPolicy(input, ref, { contact: 'https://me.example/' }))).toMatchObject({ ok: true });
  });

  it('does not reach the prototype of anything', () => {
    const merged = withPolicy({ seeds }, ref, JSON.parse('{"limits":{"__proto__":{"polluted":1}}}') as never);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(checkJob(merged)).toMatchObject({ ok: false });
  });
});
