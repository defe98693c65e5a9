import { WebfarerError } from '@webfarer/protocol';
import type { OpenSpan, Tracing } from './tracing.ts';

type Api = typeof import('@opentelemetry/api');

/** Spans through the OpenTelemetry API, to whatever SDK the user has registered in this process. */
export async function openTracing(version: string): Promise<Tracing> {
  const { trace, SpanStatusCode } = await loadApi();
  return {
    run(name, about, work) {
      // Asked each time: an SDK may be registered after this.
      const tracer = trace.getTracer('webfarer', version);
      return tracer.startActiveSpan(name, { attributes: about() }, async (span) => {
        const open: OpenSpan = { set: (attributes) => void span.setAttributes(attributes) };
        try {
          return await work(open);
        } catch (error) {
          span.recordException(error as Error);
          span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    async flush() {
      // What an exporter has to complain about is no reason to fail a crawl.
      await flushOf(trace.getTracerProvider())?.().catch(() => undefined);
    },
  };
}

interface Provider {
  /** The API answers a stand-in for the provider that was registered. */
  getDelegate?(): unknown;
  /** Not in the API, but every SDK for Node has it. */
  forceFlush?(): Promise<void>;
}

function flushOf(provider: unknown): (() => Promise<void>) | undefined {
  const { getDelegate, forceFlush } = provider as Provider;
  if (getDelegate) return flushOf(getDelegate.call(provider));
  return forceFlush?.bind(provider);
}

async function loadApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    throw new WebfarerError('usage', '--trace needs the package @opentelemetry/api.', {
      next: 'Install it beside webfarer with an SDK of your choice, and load the SDK first (docs/tracing.md):  npm install @opentelemetry/api',
      cause: error,
    });
  }
}
