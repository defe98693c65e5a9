import { expect, it } from 'vitest';
import type { HostKey, Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { stepChooser } from './step-chooser.ts';

const seedHosts = ['a.example' as HostKey];
function chooser(steps: unknown, env: Record<string, string> = {}) {
  const { steps: rules } = resolveJob({ seeds: ['https://a.example/'], render: 'auto', steps });
  const choose = stepChooser({ rules, seedHosts, typedText: (name) => env[name] });
  return (url: string) => choose(url as Url).map(({ at }) => at);
}

it('takes the steps of all rules that fit, in the order of the job', () => {
  const steps = chooser([
    { do: [{ dismiss: '#ok' }] },
    { pages: '/list/**', do: [{ scroll: 'end' }, { expand: '.more' }] },
    { pages: ['/p/*', '/list/1'], do: [{ click: 'a' }] },
  ]);
  expect(steps('https://a.example/')).toEqual(['steps[0].do[0]']);
  expect(steps('https://a.example/list/2')).toEqual(['steps[0].do[0]', 'steps[1].do[0]', 'steps[1].do[1]']);
  expect(steps('https://a.example/list/1')).toHaveLength(4);
});

it('types what is secret on the sites of the seeds only', () => {
  const type = { type: { into: '#p', fromEnv: 'WEBFARER_TYPE_P' } };
  const steps = chooser([{ pages: '/login', do: [type] }], { WEBFARER_TYPE_P: 'sesame' });
  expect(steps('https://a.example/login')).toHaveLength(1);
  expect(steps('https://www.a.example/login')).toHaveLength(1);
  expect(steps('https://b.example/login')).toHaveLength(0);
});

it('refuses what is not set, or too short to be masked', () => {
  const steps = [{ do: [{ type: { into: '#p', fromEnv: 'WEBFARER_TYPE_P' } }] }];
  expect(() => chooser(steps)).toThrow(
    'steps[0].do[0] types what WEBFARER_TYPE_P holds, which is not set here',
  );
  expect(() => chooser(steps, { WEBFARER_TYPE_P: 'abc' })).toThrow('shorter than 4 characters');
});
