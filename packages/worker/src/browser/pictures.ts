import type { CDPSession, Page } from 'playwright-core';
import type { Clock } from '@webfarer/protocol';
import type { PictureKind, Rendition } from '../fetch/fetch.ts';

export interface Pictures {
  pictures: Rendition[];
  /** Those that could not be made, and why. */
  missing: { kind: PictureKind; why: string }[];
}

/** For all pictures of a page together. */
const mostMs = 10_000;
/** Of one picture. */
const mostBytes = 8_388_608;
/** In pixels: some pages grow for as long as they are looked at. */
const mostHeight = 16_384;
/** Of a small picture, as wide as four columns of a page on a screen. */
const thumbnailWidth = 320;

/** Makes pictures of a page as it stands. What cannot be made in time or is too large is left out, with its reason. */
export async function takePictures(
  page: Page,
  kinds: readonly PictureKind[],
  clock: Clock,
): Promise<Pictures> {
  const made: Pictures = { pictures: [], missing: [] };
  if (kinds.length === 0) return made;
  const untilMs = clock.now() + mostMs;
  for (const kind of kinds) {
    const taken = await take(page, kind, untilMs - clock.now(), clock);
    if (typeof taken === 'string') made.missing.push({ kind, why: taken });
    else if (taken.bytes.length > mostBytes)
      made.missing.push({ kind, why: `${taken.bytes.length} bytes, more than ${mostBytes}` });
    else made.pictures.push(taken);
  }
  return made;
}

/** A picture, or why there is none. */
async function take(
  page: Page,
  kind: PictureKind,
  leftMs: number,
  clock: Clock,
): Promise<Rendition | string> {
  const late = `not made within ${mostMs} ms`;
  if (leftMs <= 0) return late;
  const over = new AbortController();
  const timer = clock.sleep(leftMs, over.signal).then(
    () => late,
    () => late,
  );
  const made = ways[kind](page).then(
    ({ mime, bytes }): Rendition => ({ kind, mime, bytes }),
    (error: unknown) => (error as Error).message.split('\n', 1)[0] ?? '',
  );
  try {
    return await Promise.race([made, timer]);
  } finally {
    over.abort();
  }
}

type Made = Pick<Rendition, 'mime' | 'bytes'>;

const ways: Record<PictureKind, (page: Page) => Promise<Made>> = {
  view: async (page) => ({ mime: 'image/png', bytes: await page.screenshot(still) }),
  async fullPage(page) {
    const { width, height } = await sizeOf(page);
    const clip = { x: 0, y: 0, width, height: Math.min(height, mostHeight) };
    return { mime: 'image/png', bytes: await page.screenshot({ ...still, fullPage: true, clip }) };
  },
  async thumbnail(page) {
    const session = await page.context().newCDPSession(page);
    try {
      return { mime: 'image/jpeg', bytes: await small(session, page) };
    } finally {
      await session.detach().catch(() => undefined);
    }
  },
  pdf: async (page) => ({ mime: 'application/pdf', bytes: await page.pdf({ printBackground: true }) }),
};

/** Two pictures of one page are the same picture. Their time is that of all pictures. */
const still = { type: 'png', animations: 'disabled', caret: 'hide', timeout: 0 } as const;

async function sizeOf(page: Page): Promise<{ width: number; height: number }> {
  return await page.evaluate<{ width: number; height: number }>(`(() => {
    const { documentElement: root, body } = document;
    const most = (name) => Math.max(1, root?.[name] ?? 0, body?.[name] ?? 0);
    return { width: Math.max(1, innerWidth), height: most('scrollHeight') };
  })()`);
}

async function small(session: CDPSession, page: Page): Promise<Buffer> {
  const { width, height } = page.viewportSize() ?? { width: 1_280, height: 720 };
  const clip = { x: 0, y: 0, width, height, scale: thumbnailWidth / width };
  const { data } = await session.send('Page.captureScreenshot', { format: 'jpeg', quality: 80, clip });
  return Buffer.from(data, 'base64');
}
