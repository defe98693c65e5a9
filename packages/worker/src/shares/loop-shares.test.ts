import { describe, expect, it } from 'vitest';
import { openAccount } from './account.ts';
import type { Block } from './block-watch.ts';
import type { Stage } from './handling.ts';
import { createLoopShares } from './loop-shares.ts';

let teams = 0;

/** A main thread on which time passes only when pages are computed, and turns of the loop come when they are told to. */
function steppedLoop() {
  let nowMs = 0;
  let cpuMs = 0;
  let look = () => {};
  const waiting: (() => void)[] = [];
  const loop = createLoopShares({
    nowMs: () => nowMs,
    cpuMs: () => cpuMs,
    later: (then) => void waiting.push(then),
    every(_ms, then) {
      look = then;
      return () => (look = () => {});
    },
  });
  const blocks: [string, Block][] = [];
  const begun: string[] = [];
  const team = `team ${teams++}`;
  const accountOf = (name: string) => openAccount(`${team} ${name.charAt(0)}`);
  const accounts = new Map(['a', 'b'].map((name) => [name, accountOf(name)]));
  const account = (name: string) => accounts.get(name) as ReturnType<typeof openAccount>;
  function compute(name: string, ms: number): void {
    loop.run({ account: account(name), url: name, stage: 'read' }, () => {
      begun.push(name);
      pass(ms);
    });
  }
  /** Computing, unless it says otherwise. */
  function pass(ms: number, computedMs = ms): void {
    nowMs += ms;
    cpuMs += computedMs;
  }
  /** Everything that waits for the loop, each as a callback of its own. */
  async function turnOver(): Promise<void> {
    for (const then of waiting.splice(0)) {
      then();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return {
    loop,
    begun,
    account,
    compute,
    pass,
    blocks,
    look: () => look(),
    join: (name: string) => loop.join(account(name), (block) => blocks.push([name, block])),
    handling: (name: string, stage: Stage) => ({ account: account(name), url: `/${name}`, stage }),
    /** Whether it had to wait. */
    page(name: string, ms: number): boolean {
      const turn = loop.turn(account(name));
      if (turn) void turn.then(() => compute(name, ms));
      else compute(name, ms);
      return turn !== undefined;
    },
    turnOver,
    async settle(): Promise<void> {
      while (waiting.length > 0) await turnOver();
    },
  };
}

describe('the main thread', () => {
  it('makes a crawl that is alone wait for nothing', () => {
    const { loop, account, page, join } = steppedLoop();
    join('a');
    expect([1, 2, 3].map(() => page('a', 400))).toEqual([false, false, false]);
    join('b');
    loop.leave(account('b'));
    expect(page('a', 400)).toBe(false);
  });

  it('lets pages in at once that take little', () => {
    const { page, join } = steppedLoop();
    for (const name of ['a', 'b']) join(name);
    expect(['a', 'b', 'a', 'b'].map((name) => page(name, 1))).toEqual([false, false, false, false]);
  });

  it('lets a crawl wait that computes more than another', async () => {
    const { page, join, begun, settle } = steppedLoop();
    for (const name of ['a', 'b']) join(name);
    page('a', 40);
    for (let i = 0; i < 3; i++) page('a', 40);
    for (let i = 0; i < 6; i++) page('b', 2);
    await settle();
    expect(begun.join('')).toBe('abbbbbbaaa');
  });

  it('has one page for each turn of the loop, so that what comes meanwhile may go first', async () => {
    const { page, join, begun, turnOver, settle } = steppedLoop();
    for (const name of ['a', 'b']) join(name);
    for (let i = 0; i < 3; i++) page('a', 40);
    await turnOver();
    page('b', 2);
    await settle();
    expect(begun.join('')).toBe('aaba');
  });

  it('charges what is computed to the crawl it is computed for', () => {
    const { loop, account, compute } = steppedLoop();
    compute('a', 30);
    compute('b', 20);
    loop.run({ account: account('a'), url: 'a', stage: 'handler' }, () => compute('a', 5));
    const charged = ['a', 'b'].map((name) => account(name).loop.crawl.chargedMs);
    expect(charged).toEqual([35, 20]);
    expect(['a', 'b'].map((name) => account(name).loop.team.chargedMs)).toEqual([35, 20]);
  });

  it('charges what fails', () => {
    const { loop, account, pass } = steppedLoop();
    const fails = () => {
      pass(7);
      throw new Error('broken');
    };
    expect(() => loop.run({ account: account('a'), url: 'a', stage: 'handler' }, fails)).toThrow('broken');
    expect(account('a').loop.crawl.chargedMs).toBe(7);
    expect(loop.current).toBeUndefined();
  });

  it('charges what is computed after others had their turn', async () => {
    const { loop, account, pass, compute, settle } = steppedLoop();
    const handling = { account: account('a'), url: 'a', stage: 'read' } as const;
    const rest = loop.resume(handling).then(() => {
      expect(loop.current).toBe(handling);
      pass(50);
    });
    compute('b', 10);
    await settle();
    await rest;
    expect(['a', 'b'].map((name) => account(name).loop.crawl.chargedMs)).toEqual([50, 10]);
    expect(loop.current).toBeUndefined();
  });

  it('tells of a page that holds up everything else for a second, and of no shorter one', () => {
    const { loop, pass, join, handling, blocks } = steppedLoop();
    for (const name of ['a', 'b']) join(name);
    loop.run(handling('a', 'read'), () => pass(999));
    expect(blocks).toEqual([]);
    loop.run(handling('a', 'save'), () => pass(1_200));
    expect(blocks).toEqual([['a', { url: '/a', stage: 'save', ms: 1_200 }]]);
  });

  it('blames no page for a process that was stopped or had no processor', () => {
    const { loop, pass, join, handling, blocks, look } = steppedLoop();
    join('a');
    loop.run(handling('a', 'handler'), () => pass(60_000, 300));
    look();
    expect(blocks).toEqual([]);
  });

  it('sees user code that blocks after it waited, also if it is done with it', async () => {
    const { loop, pass, join, handling, blocks, look } = steppedLoop();
    for (const name of ['a', 'b']) join(name);
    const end = Promise.withResolvers<void>();
    const a = loop.runOwn(handling('a', 'handler'), () => end.promise);
    pass(250);
    look();
    // Done before the block.
    await loop.runOwn(handling('b', 'handler'), () => Promise.resolve());
    pass(1_650);
    end.resolve();
    await a;
    // Begun after it.
    await loop.runOwn(handling('b', 'handler'), () => Promise.resolve());
    look();
    expect(blocks).toEqual([['a', { url: '/a', stage: 'handler', ms: 1_400 }]]);
    // None is under way any more.
    pass(5_000);
    look();
    expect(blocks).toHaveLength(1);
  });

  it('blames no crawl for user code that can be of several, or for what was charged', async () => {
    const { loop, pass, join, handling, blocks, look } = steppedLoop();
    for (const name of ['a', 'b']) join(name);
    const end = Promise.withResolvers<void>();
    const both = ['a', 'b'].map((name) => loop.runOwn(handling(name, 'handler'), () => end.promise));
    pass(5_000);
    look();
    loop.run(handling('a', 'read'), () => pass(900));
    pass(300);
    look();
    expect(blocks).toEqual([]);
    end.resolve();
    await Promise.all(both);
  });

  it('says what it computes on before it begins', () => {
    const { loop, handling } = steppedLoop();
    const said: string[] = [];
    loop.follow({ begins: ({ url }) => said.push(`begins ${url}`), ends: () => said.push('ends') });
    loop.run(handling('a', 'read'), () => said.push('computes'));
    loop.follow(undefined);
    loop.run(handling('a', 'read'), () => undefined);
    expect(said).toEqual(['begins /a', 'computes', 'ends']);
  });
});
