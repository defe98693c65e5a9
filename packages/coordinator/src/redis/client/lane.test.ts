import { describe, expect, it } from 'vitest';
import type { Connection } from '../wire/connection.ts';
import { type Job, type LaneOptions, openLane, type Outcome } from './lane.ts';
import { createRunTimes } from './run-times.ts';
import { type Command, type Reply, ReplyError } from '../wire/resp.ts';

/** A connection that notes what is sent and answers when and what the test says. */
function fakeConnection(answer: (command: Command) => Reply) {
  const sent: Command[][] = [];
  let release: (() => void) | undefined;
  let held: Promise<void> | undefined;
  let dead = false;
  const connection: Connection = {
    get dead() {
      return dead;
    },
    async pipeline(commands) {
      sent.push([...commands]);
      await held;
      if (dead) throw new Error('ended');
      return commands.map(answer);
    },
    end() {
      dead = true;
      release?.();
    },
  };
  return {
    connection,
    sent,
    /** Answers wait until `go`. */
    hold() {
      held = new Promise((done) => {
        release = done;
      });
    },
    go: () => release?.(),
  };
}

function job(name: string, more: Partial<Job> = {}): { job: Job; outcome: Promise<Outcome> } {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const made: Job = {
    calls: [{ key: name, args: ['SET', name, 1] }],
    bytes: 10,
    durable: true,
    epoch: undefined,
    left: false,
    stillHere: () => true,
    note: () => {},
    settle: resolve,
    ...more,
  };
  return { job: made, outcome: promise };
}

const info = (id: string) => `role:master\r\nmaster_replid:${id}\r\n`;

function laneOver(connection: Connection, replicas = 1, more: Partial<LaneOptions> = {}) {
  return openLane({
    open: () => Promise.resolve(connection),
    connections: 1,
    replicas: () => replicas,
    mark: { name: 'mark', sha: 'abc', text: 'library' },
    refresh: () => Promise.resolve(),
    epoch: { now: 'now' },
    runTimes: createRunTimes(),
    clock: { now: () => 0 },
    met: () => undefined,
    ...more,
  });
}

describe('a lane to one primary', () => {
  it('waits right behind the calls, on their connection', async () => {
    const fake = fakeConnection(([name]) => (name === 'WAIT' ? 1 : name === 'INFO' ? info('a') : 'OK'));
    const { job: only, outcome } = job('k');
    laneOver(fake.connection).submit(only);
    expect(await outcome).toEqual({ replies: ['OK'] });
    expect(fake.sent.at(-1)).toEqual([
      ['SET', 'k', 1],
      ['WAIT', 1, expect.any(Number)],
    ]);
  });

  it('sends what keeps the server busy for long in smaller pipelines', async () => {
    let now = 0;
    const fake = fakeConnection(([name]) => {
      if (name === 'SLOW') now += 2;
      return name === 'INFO' ? info('a') : 1;
    });
    const lane = laneOver(fake.connection, 0, { clock: { now: () => now } });
    const many = (name: string) =>
      job('k', { calls: Array.from({ length: 40 }, () => ({ key: 'k', args: [name] })) });
    const sizesOf = async (name: string) => {
      fake.sent.length = 0;
      const jobs = [many(name), many(name), many(name)];
      for (const one of jobs) lane.submit(one.job);
      await Promise.all(jobs.map(({ outcome }) => outcome));
      return fake.sent.map(({ length }) => length).filter((length) => length >= 40);
    };
    await sizesOf('SLOW');
    await sizesOf('FAST');
    expect(await sizesOf('SLOW')).toEqual([40, 40, 40]);
    expect(await sizesOf('FAST')).toEqual([40, 80]);
    expect(lane.runMs({ key: 'k', args: ['SLOW'] })).toBe(2);
    expect(lane.runMs({ key: 'k', args: ['FAST'] })).toBe(0);
  });

  it('writes a mark before WAIT where that would not wait after a mere look', async () => {
    const sent = async (version: string, answerAt: (key: string) => Reply) => {
      const fake = fakeConnection(([name, first, , key]) => {
        if (name === 'INFO') return `${info('a')}${version}\r\n`;
        if (name === 'GET') return answerAt(String(first));
        return name === 'WAIT' ? 1 : name === 'FCALL' ? answerAt(String(key)) : 'OK';
      });
      const { job: only, outcome } = job('k', {
        calls: [
          { key: 'gone', args: ['GET', 'gone'] },
          { key: 'k', args: ['GET', 'k'] },
        ],
      });
      laneOver(fake.connection).submit(only);
      await outcome;
      return fake.sent.slice(1).map((commands) => commands.map((command) => command.join(' ')));
    };
    const load = 'FUNCTION LOAD library';
    const calls = ['GET gone', 'GET k'];
    expect(await sent('redis_version:7.0.15', () => 'OK')).toEqual([[...calls, 'WAIT 1 500']]);
    for (const version of ['redis_version:7.2.4\r\nvalkey_version:8.0.1', 'redis_version:8.0.0'])
      expect(await sent(version, () => 'OK')).toEqual([[load, ...calls, 'FCALL mark 1 gone', 'WAIT 1 500']]);
    // The first key belongs elsewhere by now, and so does its mark.
    const moved = (key: string) => (key === 'gone' ? new ReplyError('MOVED 1 a:1') : 'OK');
    const [, again] = await sent('redis_version:8.0.0', moved);
    expect(again).toEqual(['FCALL mark 1 k', 'WAIT 1 500']);
  });

  it('waits again while replicas are missing', async () => {
    let waits = 0;
    const fake = fakeConnection(([name]) =>
      name === 'WAIT' ? (++waits < 3 ? 0 : 1) : name === 'INFO' ? info('a') : 'OK',
    );
    const notes: string[] = [];
    const { job: only, outcome } = job('k', { note: (why) => notes.push(why) });
    laneOver(fake.connection).submit(only);
    expect(await outcome).toEqual({ replies: ['OK'] });
    expect(notes).toEqual(['0 of 1 replicas have it', '0 of 1 replicas have it']);
  });

  it('waits for every replica, not for the first of them', async () => {
    let waits = 0;
    const fake = fakeConnection(([name]) =>
      name === 'WAIT' ? Math.min(2, ++waits) : name === 'INFO' ? info('a') : 'OK',
    );
    const notes: string[] = [];
    const { job: only, outcome } = job('k', { note: (why) => notes.push(why) });
    laneOver(fake.connection, 2).submit(only);
    expect(await outcome).toEqual({ replies: ['OK'] });
    expect(notes).toEqual(['1 of 2 replicas have it']);
    expect(fake.sent.flat().filter(([name]) => name === 'WAIT')).toEqual([
      ['WAIT', 2, expect.any(Number)],
      ['WAIT', 2, expect.any(Number)],
    ]);
  });

  it('does not believe a later WAIT of a primary that was replaced in between and came back', async () => {
    let infos = 0;
    let waits = 0;
    const fake = fakeConnection(([name]) =>
      name === 'WAIT' ? waits++ : name === 'INFO' ? info(infos++ === 0 ? 'a' : 'b') : 'OK',
    );
    const { job: only, outcome } = job('k');
    laneOver(fake.connection).submit(only);
    expect(await outcome).toHaveProperty('unsure');
    expect(fake.connection.dead).toBe(true);
  });

  it('is unsure when WAIT fails, and when the calls belong elsewhere by now', async () => {
    const demoted = fakeConnection(([name]) =>
      name === 'WAIT' ? new ReplyError('ERR WAIT cannot be used with replica instances') : info('a'),
    );
    const first = job('k');
    laneOver(demoted.connection).submit(first.job);
    expect(await first.outcome).toHaveProperty('unsure');
    const short = fakeConnection(([name]) => (name === 'WAIT' ? 0 : info('a')));
    const second = job('k', { stillHere: () => false });
    laneOver(short.connection).submit(second.job);
    expect(await second.outcome).toHaveProperty('unsure');
  });

  it('sends what waited meanwhile together, with one WAIT, but durable and other calls apart', async () => {
    const fake = fakeConnection(([name]) => (name === 'WAIT' ? 1 : name === 'INFO' ? info('a') : 'OK'));
    const lane = laneOver(fake.connection);
    fake.hold();
    const jobs = [job('a'), job('b'), job('c', { left: true }), job('d'), job('e', { durable: false })];
    for (const each of jobs) lane.submit(each.job);
    fake.go();
    await Promise.all([jobs[0]?.outcome, jobs[1]?.outcome, jobs[3]?.outcome, jobs[4]?.outcome]);
    const names = fake.sent.slice(1).map((commands) => commands.map(([name, key]) => `${name} ${key}`));
    expect(names).toEqual([['SET a', 'WAIT 1'], ['SET b', 'SET d', 'WAIT 1'], ['SET e']]);
  });

  it('ends a pipeline that nobody waits for', async () => {
    const fake = fakeConnection(([name]) => (name === 'INFO' ? info('a') : 'OK'));
    const lane = laneOver(fake.connection, 0);
    const before = job('before');
    lane.submit(before.job);
    await before.outcome;
    fake.hold();
    const { job: only, outcome } = job('k');
    lane.submit(only);
    await expect.poll(() => fake.sent.at(-1)).toEqual([['SET', 'k', 1]]);
    lane.dropLeft();
    expect(fake.connection.dead).toBe(false);
    only.left = true;
    lane.dropLeft();
    expect(fake.connection.dead).toBe(true);
    expect(await outcome).toHaveProperty('unsure');
  });

  it('gives the error of a script that cannot be loaded to its own calls only', async () => {
    const bad = { name: 'bad', sha: 'f00', text: 'no Lua' };
    const fake = fakeConnection(([name]) =>
      name === 'FUNCTION'
        ? new ReplyError('ERR compiling')
        : name === 'FCALL'
          ? new ReplyError('ERR Function not found')
          : 'OK',
    );
    const { job: only, outcome } = job('k', {
      calls: [
        { key: 'k', args: ['SET', 'k', 1] },
        { key: 'k', script: bad, args: [] },
      ],
    });
    laneOver(fake.connection, 0).submit(only);
    expect(await outcome).toEqual({ replies: ['OK', new ReplyError('ERR compiling')] });
  });

  it('says whom a connection leads to, and sends nothing there that belongs to another epoch', async () => {
    const fake = fakeConnection(([name, what]) =>
      name === 'INFO' ? (what === 'server' ? 'run_id:abc\r\n' : info('history')) : 'OK',
    );
    const epoch = { now: 'e1' };
    const met: string[] = [];
    const lane = laneOver(fake.connection, 0, {
      epoch,
      met(run) {
        met.push(run);
        // Another process than the one that was there before.
        epoch.now = 'e2';
      },
    });
    const jobs = [job('old', { epoch: 'e1' }), job('any'), job('new', { epoch: 'e2' })];
    for (const each of jobs) lane.submit(each.job);
    const [old, any, fresh] = await Promise.all(jobs.map(({ outcome }) => outcome));
    expect(met).toEqual(['abc history']);
    expect(old).toEqual({ replies: [expect.objectContaining({ code: 'EPOCH' })] });
    expect([any, fresh]).toEqual([{ replies: ['OK'] }, { replies: ['OK'] }]);
    expect(fake.sent.flat().map(([, key]) => key)).not.toContain('old');
  });
});
