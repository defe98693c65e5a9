import { expect, it } from 'vitest';
import { hostLedgerPath, type Surroundings } from './state-folder.ts';

const linux: Surroundings = { env: {}, platform: 'linux', home: '/home/ada', machine: 'box' };

it.each<[string, Partial<Surroundings>, string]>([
  ['below the home folder', {}, '/home/ada/.local/state/webfarer/hosts-box.db'],
  ['where XDG says', { env: { XDG_STATE_HOME: '/state' } }, '/state/webfarer/hosts-box.db'],
  [
    'not where XDG says nothing',
    { env: { XDG_STATE_HOME: 'x' } },
    '/home/ada/.local/state/webfarer/hosts-box.db',
  ],
  [
    'where it was moved to',
    { env: { WEBFARER_STATE: '/mine', XDG_STATE_HOME: '/state' } },
    '/mine/hosts-box.db',
  ],
  ['with a name that is safe', { machine: '../x y' }, '/home/ada/.local/state/webfarer/hosts-.._x_y.db'],
  ['on macOS', { platform: 'darwin' }, '/home/ada/Library/Application Support/webfarer/hosts.db'],
])('the ledger is %s', (_, changes, path) => {
  expect(hostLedgerPath({ ...linux, ...changes })).toBe(path);
});

it('tests have a ledger of their own', () => {
  expect(hostLedgerPath()).toContain('webfarer-test-state-');
});
