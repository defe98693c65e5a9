import type { Metrics } from '@webfarer/protocol/metrics';
import type { Renderer } from '../browser/rendering.ts';

/** The same renderer; what becomes of its pages is counted. */
export function measuredRenderer(renderer: Renderer, metrics: Metrics): Renderer {
  let shown = 0;
  metrics.collect((sample) => sample('webfarer_worker_browser_pages', {}, shown));
  return {
    ...renderer,
    open(loader) {
      const session = renderer.open(loader);
      return {
        ...session,
        async render(request) {
          shown++;
          try {
            const answer = await session.render(request);
            const result = answer.ok ? 'ok' : answer.reason;
            metrics.count('webfarer_worker_browser_pages_total', { result });
            return answer;
          } finally {
            shown--;
          }
        },
      };
    },
  };
}
