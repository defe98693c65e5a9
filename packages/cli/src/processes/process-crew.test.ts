import { type CoordinatorLink, type Pause, systemClock, type WorkerId } from '@webfarer/protocol';
import { createCookieJar } from '@webfarer/worker';
import { expect, test } from 'vitest';
import type { ChildCalls, ParentCalls, WorkerTask } from './calls.ts';
import type { WorkerProcess } from './fork-worker.ts';
import { portPair } from './port.fixture.ts';
import { MAX_RESTARTS, openProcessCrew, type ProcessCrewOptions } from './process-crew.ts';
import { createWire, sentError, type Wire } from './wire.ts';

/** A process that does what the test says. */
interface FakeProcess {
  task: WorkerTask | undefined;
  told: string[];
  parent: Wire<ParentCalls>;
  die(how: string): void;
}

interface World {
  processes: FakeProcess[];
  released: WorkerId[];
  lost: string[];
  pauses: (Pause | undefined)[];
  failures: unknown[];
  options: ProcessCrewOptions;
}

function world(changes: Partial<ProcessCrewOptions> = {}, child: Partial<ChildCalls> = {}): World {
  const it: Omit<World, 'options'> = { processes: [], released: [], lost: [], pauses: [], failures: [] };
  function startProcess(): WorkerProcess {
    const pair = portPair();
    const ended = Promise.withResolvers<string>();
    const told: string[] = [];
    const calls: ChildCalls = {
      open(task) {
        fake.task = task;
        return Promise.resolve({ files: 1, bytes: 10 });
      },
      start: () => void told.push('start'),
      release: () => void told.push('release'),
      moreDue: () => void told.push('moreDue'),
      cookiesSet: (set) => void told.push(`cookies of ${set.map(({ url }) => url).join()}`),
      look: () => ({ inFlight: 2, waiting: [], written: { files: 1, bytes: 30 } }),
      stop: ({ now }) => {
        told.push(now ? 'drop' : 'stop');
        return Promise.resolve({ files: 2, bytes: 50 });
      },
      ...child,
    };
    const die = (how: string) => {
      pair.close();
      ended.resolve(how);
    };
    const fake: FakeProcess = {
      task: undefined,
      told,
      parent: createWire<ParentCalls>(pair.b, { ...calls }),
      die,
    };
    it.processes.push(fake);
    return {
      port: pair.a,
      ended: ended.promise,
      disconnect: () => die('exit 0'),
      kill: () => die('SIGKILL'),
    };
  }
  const options = {
    count: 2,
    task: {} as WorkerTask,
    link: {} as CoordinatorLink,
    clock: systemClock(),
    cookies: undefined,
    archive: { files: 5, bytes: 100 },
    hostsQueued: () => Promise.resolve(1),
    releaseLeases: async (worker: WorkerId) => void it.released.push(worker),
    lost: (text: string) => void it.lost.push(text),
    pauseChanged: (pause: Pause | undefined) => void it.pauses.push(pause),
    failed: (error: unknown) => void it.failures.push(error),
    startProcess,
    ...changes,
  };
  return { ...it, options };
}

/** Lets everything that is due happen; nothing here waits for time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

test('all processes are opened, started, told and stopped, and their figures are summed', async () => {
  const w = world();
  const crew = await openProcessCrew(w.options);
  expect(w.processes.map(({ task }) => task?.process)).toEqual([1, 2]);
  crew.start();
  crew.release();
  // Of the 5 files that were there before, 1 is counted by each process itself.
  expect(await crew.look()).toEqual({ inFlight: 4, waiting: [], archive: { files: 5, bytes: 140 } });
  await crew.stop();
  expect(w.processes.map(({ told }) => told)).toEqual(Array(2).fill(['start', 'release', 'stop']));
  expect((await crew.look()).archive).toEqual({ files: 7, bytes: 180 });
  expect([w.lost, w.failures]).toEqual([[], []]);
});

test('the leases of a process that dies are released at once, and another takes its place', async () => {
  const w = world();
  const crew = await openProcessCrew(w.options);
  crew.start();
  w.processes[0]?.die('SIGKILL');
  await settle();
  expect(w.released).toEqual(['local-1']);
  expect(w.lost).toEqual([
    'Worker process 1 ended unexpectedly (SIGKILL); its URLs are back in the queue. It is restarted (1 of 5).',
  ]);
  expect(w.processes[2]).toMatchObject({ task: { process: 1 }, told: ['start'] });
  expect((await crew.look()).inFlight).toBe(4);
  await crew.stop();
});

test('one that ends again and again is left out, and without any the crawl says so', async () => {
  const w = world();
  const crew = await openProcessCrew(w.options);
  crew.start();
  for (let i = 0; i <= MAX_RESTARTS; i++) {
    w.processes.findLast(({ task }) => task?.process === 1)?.die('exit 134');
    await settle();
  }
  expect(w.processes).toHaveLength(2 + MAX_RESTARTS);
  expect(w.lost.at(-1)).toContain('It has ended 6 times and is not restarted; 1 of 2 continue.');
  expect(w.failures).toEqual([]);
  for (let i = 0; i <= MAX_RESTARTS; i++) {
    w.processes.findLast(({ task }) => task?.process === 2)?.die('exit 134');
    await settle();
  }
  expect(w.failures).toMatchObject([
    { code: 'internal', message: expect.stringContaining('exit 134') as string },
  ]);
  await crew.stop();
});

test('a process that dies while it is being made ready is dealt with like any other', async () => {
  const w = world();
  const crew = await openProcessCrew(w.options);
  crew.start();
  w.processes[0]?.die('SIGKILL');
  await Promise.resolve();
  await settle();
  w.processes[2]?.die('SIGKILL');
  await settle();
  expect(w.released).toEqual(['local-1', 'local-1']);
  expect(w.processes).toHaveLength(4);
  await crew.stop();
  expect(w.failures).toEqual([]);
});

test('a job that a process cannot open is told with its own words, and no process is left', async () => {
  const open = () => Promise.reject(Object.assign(new Error('cannot load the scraper')));
  const w = world({}, { open });
  await expect(openProcessCrew(w.options)).rejects.toThrow('cannot load the scraper');
  expect(w.lost).toEqual([]);
});

test('cookies that one process is given reach all others before the host can, and whoever comes later', async () => {
  const jar = createCookieJar();
  const w = world({ cookies: jar });
  const crew = await openProcessCrew(w.options);
  crew.start();
  w.processes[0]?.parent.tell('cookiesSet', [{ url: 'http://a.test/', lines: ['seen=1'] }]);
  await settle();
  expect(jar.header('http://a.test/')).toBe('seen=1');
  expect(w.processes.map(({ told }) => told)).toEqual([['start'], ['start', 'cookies of http://a.test/']]);
  w.processes[1]?.die('SIGKILL');
  await settle();
  expect(w.processes[2]?.task?.cookies).toContain('seen');
  await crew.stop();
});

test('a fault in one process ends the crawl, and a pause is told once', async () => {
  const w = world();
  const crew = await openProcessCrew(w.options);
  crew.start();
  w.processes[0]?.parent.tell('pauseChanged', { cause: 'disk', text: '1 MB left' });
  w.processes[1]?.parent.tell('pauseChanged', { cause: 'disk', text: '1 MB left' });
  w.processes[1]?.parent.tell('failed', sentError(new TypeError('a defect')));
  await settle();
  expect(w.pauses).toEqual([{ cause: 'disk', text: '1 MB left' }]);
  expect(crew.pause).toMatchObject({ cause: 'disk' });
  expect(w.failures).toMatchObject([{ message: 'a defect' }]);
  await crew.stop();
});

test('a process that is busy is shown as it was, and one that drops nothing is ended', async () => {
  const never = new Promise<never>(() => {});
  let fast: ((ms: number) => void) | undefined;
  const clock = { now: () => 0, sleep: () => new Promise<void>((resolve) => (fast = () => resolve())) };
  const w = world({ clock, count: 1 }, { look: () => never as never, stop: () => never });
  const crew = await openProcessCrew(w.options);
  crew.start();
  const look = crew.look();
  fast?.(0);
  expect(await look).toMatchObject({ inFlight: 0, archive: { files: 5, bytes: 100 } });
  crew.drop();
  const stopped = crew.stop();
  fast?.(0);
  await stopped;
  expect(w.lost).toEqual([]);
});
