import { createHash } from 'node:crypto';
import type { CrawlId } from '@webfarer/protocol';
import type { SentBody } from '@webfarer/protocol/link';
import { expect, it } from 'vitest';
import { type BodyIntake, createBodies } from './bodies.ts';

const crawl = 'c' as CrawlId;

/** Takes whatever comes, and notes what it was told to keep. */
function openIntake() {
  const kept: string[] = [];
  const intake: BodyIntake = {
    mostBytes: 1_000,
    arriving() {
      let text = '';
      return {
        async add(piece) {
          text += piece.toString();
        },
        async end() {
          kept.push(text);
          return { at: { saver: 'warc', file: 'archive/a.warc.gz', offset: 0, length: text.length } };
        },
        drop: async () => undefined,
      };
    },
    sync: async () => undefined,
  };
  return { kept, intake };
}

function frameOf(text: string, digest: string) {
  const { length } = text;
  const body: SentBody = { crawl, place: 'spool/a@0', bytes: length, digest, at: 0, length };
  return { id: 1, type: 'bodies' as const, bodies: [body], data: Buffer.from(text).toString('base64') };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('keeps a body that has the digest it was sent with', async () => {
  const { kept, intake } = openIntake();
  await createBodies({ trust: 'own', intakeOf: () => intake }).take(frameOf('capture', sha256('capture')));
  expect(kept).toEqual(['capture']);
});

it('keeps no body that was changed on the way', async () => {
  const { kept, intake } = openIntake();
  const bodies = createBodies({ trust: 'own', intakeOf: () => intake });
  await expect(bodies.take(frameOf('capturE', sha256('capture')))).rejects.toMatchObject({
    code: 'frame-invalid',
  });
  expect(kept).toEqual([]);
});
