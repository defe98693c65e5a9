import type { Manifest } from '@webfarer/coordinator';
import { hostMatch } from '@webfarer/protocol/url';
import { expect, it } from 'vitest';
import { cleanManifest } from './folder-traces.ts';

it('takes what a crawl waited for last out of its manifest where that was the host', () => {
  const manifestWith = (text: string) =>
    ({
      seeds: ['http://gone.test/', 'http://here.test/'],
      job: { seeds: ['gone.test', 'here.test'] },
      session: { state: 'finished', updatedAtMs: 1, elapsedMs: 1, stall: { cause: 'gap', text } },
    }) as unknown as Manifest;
  const match = hostMatch('gone.test');
  expect(JSON.stringify(cleanManifest(manifestWith('gone.test pauses'), match))).not.toContain('gone.test');
  expect(cleanManifest(manifestWith('here.test pauses'), match).session.stall).toMatchObject({
    text: 'here.test pauses',
  });
});
