import type { ApiScope } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { testClock } from '../../frontier/suite/clock.fixture.ts';
import { openPolicies } from '../../registry/policies.ts';
import { gateWith } from '../../admission/job-gate.fixture.ts';
import { memoryRegistry } from '../../schedule/schedule.fixture.ts';
import { mostOwn, mostVersions } from '../../teams/own-documents.ts';
import { policyHandlers } from './policies.ts';

const params = { policy: 'keys' };

function open() {
  const clock = testClock(0);
  const policies = openPolicies(
    memoryRegistry(() => 0) as unknown as Parameters<typeof openPolicies>[0],
    clock,
  );
  const handlers = policyHandlers({ policies, jobs: gateWith() } as unknown as Parameters<
    typeof policyHandlers
  >[0]);
  const as = (scope: ApiScope, team: string) => ({
    principal: { id: scope, scope, team },
    query: { limit: 10, after: '' },
  });
  return { handlers: handlers as unknown as Record<string, (call: unknown) => Promise<unknown>>, as };
}

it('shows the values of request headers to those who may write the policy, their names to others', async () => {
  const { handlers, as } = open();
  const policy = { fetch: { headers: { 'X-Key': 'swordfish' } } };
  await handlers['putPolicy']?.({
    ...as('operator', 'press'),
    params,
    body: { policy, note: '', users: [] },
  });
  const seenBy = async (scope: ApiScope, team: string) =>
    JSON.stringify([
      await handlers['getPolicy']?.({ ...as(scope, team), params }),
      await handlers['listPolicies']?.(as(scope, team)),
      await handlers['listPolicyVersions']?.({ ...as(scope, team), params }),
    ]);
  for (const [scope, team] of [
    ['viewer', 'press'],
    ['operator', 'shop'],
    ['viewer', 'shop'],
  ] as const) {
    expect(await seenBy(scope, team)).toContain('X-Key');
    expect(await seenBy(scope, team)).not.toContain('swordfish');
  }
  for (const [scope, team] of [
    ['operator', 'press'],
    ['admin', 'default'],
  ] as const)
    expect((await seenBy(scope, team)).split('swordfish')).toHaveLength(4);
});

it('takes no more policies of a team than it may have, removed ones included, and no more versions of one', async () => {
  const { handlers, as } = open();
  const body = { policy: {}, note: '', users: [] };
  const put = (policy: string, team = 'press', scope: ApiScope = 'operator') =>
    handlers['putPolicy']?.({ ...as(scope, team), params: { policy }, body });
  for (let n = 0; n < mostOwn.policy; n++) await put(`p${n}`);
  await handlers['deletePolicy']?.({ ...as('operator', 'press'), params: { policy: 'p0' } });
  await expect(put('more')).rejects.toMatchObject({ code: 'quota' });
  await expect(put('more', 'web')).resolves.toMatchObject({ version: 1 });
  for (let n = 1; n < mostVersions; n++) await put('p1');
  await expect(put('p1')).rejects.toThrow('1000 versions of this policy');
  await expect(put('p1', 'default', 'admin')).resolves.toMatchObject({ version: 1_001, team: 'press' });
});
