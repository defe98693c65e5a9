import type { WorkerId } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { NetworkStatus, WorkerStatus } from '@webfarer/coordinator';
import { sampleSnapshot } from '../view/snapshot.fixture.ts';
import { devLine, devLines } from './dev-lines.ts';
import type { DevLook, DevMember } from './dev-network.ts';
import type { KeptProcess } from './kept-process.ts';

function member(name: string, state: KeptProcess['state'] = 'running'): DevMember {
  const process = { name, state, lives: 2, pid: state === 'running' ? 4711 : undefined } as KeptProcess;
  return {
    role: name.startsWith('c') ? 'coordinator' : 'worker',
    process,
    folder: '/',
    url: () => undefined,
  };
}

const linked: WorkerStatus = {
  worker: 'w1' as WorkerId,
  trust: 'own',
  address: '127.0.0.1',
  version: '0',
  connections: 20,
  held: 7,
  hungry: false,
  cordoned: false,
  linkedMs: 1_000,
  pages: 1_234,
  pagesPerSecond: 5.5,
};

function lookAt(coordinator: DevMember, worker: DevMember): DevLook {
  const status: NetworkStatus = {
    coordinator: { id: 'c', version: '0', url: 'http://127.0.0.1:1', upMs: 0 },
    crawls: [sampleSnapshot()],
    workers: [linked],
    peers: [],
  };
  return {
    coordinators: new Map([[coordinator, status]]),
    workers: new Map([[worker, { at: coordinator, status: linked }]]),
    store: [],
  };
}

const size = { columns: 110, colour: false, keys: true };

it('shows every process under its key, who serves whom, and what is dead', () => {
  const members = [member('coordinator-1'), member('worker-1'), member('worker-2', 'starting again')];
  const lines = devLines(members, lookAt(members[0] as DevMember, members[1] as DevMember), size);
  expect(lines.find((line) => line.includes('coordinator-1'))).toMatch(
    /^ {2}1 .*4711 +2 +serving 1 worker +7$/,
  );
  expect(lines.find((line) => /^ {2}2/.test(line))).toMatch(/connected to coordinator-1 +7 +1,234 +5\.5$/);
  expect(lines.find((line) => /^ {2}3/.test(line))).toContain('dead, restarting');
  expect(lines).toContain('  1 of 1 coordinators   1 of 2 workers');
  expect(lines.join('\n')).toContain('adds up');
});

it('says so when nobody answers, and has one line for a log', () => {
  const members = [member('coordinator-1', 'starting again'), member('worker-1')];
  const nobody: DevLook = { coordinators: new Map(), workers: new Map(), store: [] };
  const lines = devLines(members, nobody, size).join('\n');
  expect(lines).toContain('no coordinator responds');
  expect(lines).toContain('looking for a coordinator');
  expect(devLine(members, nobody)).toContain('1 of 2 processes running');
});
