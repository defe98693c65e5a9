import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { forwardMetrics, type ProcessNews } from './forwarded-metrics.ts';

/** A second that never passes. */
const clock = {
  ...systemClock(),
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_done, fail) => signal?.addEventListener('abort', () => fail(new Error('over')))),
};

function forwarded() {
  const sent: Pick<ProcessNews, 'forgotten' | 'counted' | 'observed'>[] = [];
  const send = ({ forgotten, counted, observed }: ProcessNews) => {
    sent.push({ forgotten, counted, observed });
    return Promise.resolve();
  };
  return { sent, ...forwardMetrics({ clock, send }) };
}

it('what was counted since the last second is sent before the process ends, summed', async () => {
  const { metrics, sent, stop } = forwarded();
  metrics.count('webfarer_worker_bytes_total', { crawl: 'a' }, 2);
  metrics.count('webfarer_worker_bytes_total', { crawl: 'b' }, 5);
  metrics.count('webfarer_worker_bytes_total', { crawl: 'a' }, 3);
  for (const seconds of [1, 2]) metrics.observe('webfarer_worker_fetch_seconds', { result: 'ok' }, seconds);
  await stop();
  expect(sent).toEqual([
    {
      forgotten: [],
      counted: [
        ['webfarer_worker_bytes_total', { crawl: 'a' }, 5],
        ['webfarer_worker_bytes_total', { crawl: 'b' }, 5],
      ],
      observed: [['webfarer_worker_fetch_seconds', { result: 'ok' }, [1, 2]]],
    },
  ]);
});

it('a label that is forgotten takes along what was counted before it, and nothing that came after', async () => {
  const { metrics, sent, stop } = forwarded();
  metrics.count('webfarer_worker_bytes_total', { crawl: 'a' }, 2);
  metrics.forget('crawl', 'a');
  metrics.count('webfarer_worker_bytes_total', { crawl: 'a' }, 7);
  await stop();
  expect(sent.map(({ forgotten, counted }) => [forgotten, counted.map(([, , by]) => by)])).toEqual([
    [[], [2]],
    [[['crawl', 'a']], [7]],
  ]);
});
