import { trace, context, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, it } from 'vitest';
import { openTracing } from './open-tracing.ts';
import { noTracing } from './tracing.ts';

afterEach(() => {
  trace.disable();
  context.disable();
});

function record(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return exporter;
}

it('a span inside another is its child, and carries what is known at its end', async () => {
  const tracing = await openTracing('1.2.3');
  const spans = record();
  await tracing.run(
    'webfarer.url',
    () => ({ 'url.full': 'http://a.test/' }),
    async (outer) => {
      await tracing.run(
        'webfarer.fetch',
        () => ({}),
        () => Promise.resolve(),
      );
      outer.set({ 'webfarer.reason': 'ok' });
    },
  );
  const [fetched, url] = spans.getFinishedSpans();
  expect([fetched?.name, url?.name]).toEqual(['webfarer.fetch', 'webfarer.url']);
  expect(fetched?.parentSpanContext?.spanId).toBe(url?.spanContext().spanId);
  expect(url?.attributes).toEqual({ 'url.full': 'http://a.test/', 'webfarer.reason': 'ok' });
  expect(url?.instrumentationScope).toMatchObject({ name: 'webfarer', version: '1.2.3' });
});

it('what work throws is recorded and thrown on', async () => {
  const tracing = await openTracing('1');
  const spans = record();
  const failing = tracing.run(
    'webfarer.save',
    () => ({}),
    () => Promise.reject(new Error('full')),
  );
  await expect(failing).rejects.toThrow('full');
  const [span] = spans.getFinishedSpans();
  expect([span?.status, span?.events.map(({ name }) => name)]).toEqual([
    { code: SpanStatusCode.ERROR, message: 'full' },
    ['exception'],
  ]);
});

it('spans that an SDK keeps back are exported before the process ends', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 600_000 })],
  });
  trace.setGlobalTracerProvider(provider);
  const tracing = await openTracing('1');
  await tracing.run(
    'webfarer.report',
    () => ({}),
    () => Promise.resolve(),
  );
  expect(exporter.getFinishedSpans()).toEqual([]);
  await tracing.flush();
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['webfarer.report']);
  await provider.shutdown();
});

it('off, it asks for no attributes and adds nothing to the work', async () => {
  const work = Promise.resolve('done');
  const about = () => {
    throw new Error('asked for attributes');
  };
  expect(noTracing.run('webfarer.url', about, () => work)).toBe(work);
  await work;
});
