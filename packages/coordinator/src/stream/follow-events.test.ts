import { type CrawlId, systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createEventBus } from '../events/event-bus.ts';
import { followEvents } from './follow-events.ts';

const clock = systemClock();
const crawl = 'c' as CrawlId;
const open = (boot: string) => {
  return createEventBus({
    clock,
    boot,
    kept: 8,
    failed: (error) => {
      throw error;
    },
  });
};
type Bus = ReturnType<typeof open>;
const say = (bus: Bus, text: string) => bus.publish({ type: 'worker-lost', crawl, text });

function follow(bus: Bus, after?: string) {
  const { signal } = new AbortController();
  return followEvents({ bus, crawl: undefined, after, signal, clock, heartbeatMs: 20, team: undefined });
}

async function next(source: ReturnType<typeof follow>) {
  const { value } = await source.next();
  if (!value) throw new Error('it has ended');
  return value;
}
const textsIn = (frame: Awaited<ReturnType<typeof next>>) =>
  frame.type === 'events' ? frame.events.map(({ text }) => text) : frame;

it('tells what happens from now on, with a token behind it, and that nothing does', async () => {
  const bus = open('one');
  say(bus, 'before');
  const source = follow(bus);
  expect(await next(source)).toMatchObject({ type: 'snapshot', why: 'first' });
  say(bus, 'a');
  say(bus, 'b');
  const frame = await next(source);
  expect(textsIn(frame)).toEqual(['a', 'b']);
  expect(await next(source)).toEqual({ type: 'bookmark', token: frame.token });
  say(bus, 'c');
  expect(textsIn(await next(source))).toEqual(['c']);
  await source.return();
});

it('continues behind a token; where events are missing it says so and begins with the oldest', async () => {
  const bus = open('one');
  const first = follow(bus);
  const { token } = await next(first);
  await first.return();
  say(bus, 'a');
  const again = follow(bus, token);
  expect(await next(again)).toEqual({ type: 'resumed', token });
  expect(textsIn(await next(again))).toEqual(['a']);
  await again.return();
  for (let n = 0; n < 20; n++) say(bus, String(n));
  const late = follow(bus, token);
  expect(await next(late)).toMatchObject({ type: 'snapshot', why: 'too-old' });
  expect(textsIn(await next(late))).toEqual(['12', '13', '14', '15', '16', '17', '18', '19']);
  await late.return();
  const restarted = open('two');
  say(restarted, 'new');
  const other = follow(restarted, token);
  expect(await next(other)).toMatchObject({ type: 'snapshot', why: 'other-generation' });
  expect(textsIn(await next(other))).toEqual(['new']);
  await other.return();
});
