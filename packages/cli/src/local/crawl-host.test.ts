import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { type ErasingParts, headless } from '@webfarer/coordinator';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { crawlHost } from './local-crawl.ts';

const hostThat = (listens: boolean) =>
  crawlHost({
    baseFolder: '.',
    clock: systemClock(),
    listens,
    intake: (parts) => headless.intake(parts),
    ownCode: false,
    store: undefined,
    withoutOutputs: true,
  });
const host = hostThat(true);
const crawl = { id: 'x', nonce: 'n' };
const seeds = ['https://shop.example/'];
/** What an earlier version took, and this one does not. */
const scope = { exclude: [{ regex: 'a(?=b)' }] };

it('finds what a crawl has in object storage although its job cannot be run any more', async () => {
  expect(() => host.resolve({ seeds, scope })).toThrow('lookahead');
  expect(await host.objectsOf({ ...crawl, job: { seeds, scope, save: ['warc'] } })).toBeUndefined();
});

it('does not guess where objects are', async () => {
  const save = [{ cloud: {} }];
  await expect(host.objectsOf({ ...crawl, job: { seeds, save } })).rejects.toMatchObject({
    code: 'job-invalid',
  });
});

describe('object storage at a private address', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'lab');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'lab');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
  });

  /** A server in the private network that counts who connects, and a crawl that names it as its storage. */
  async function openStorage(more: Record<string, unknown> = {}) {
    let connections = 0;
    const server = createServer((_request, response) => response.writeHead(403).end());
    server.on('connection', () => connections++);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const s3 = { endpoint: `http://127.0.0.1:${port}`, ...more };
    return {
      connections: () => connections,
      crawl: { ...crawl, job: { seeds, save: [{ warc: { at: 's3://archive/x', s3 } }] } },
    };
  }

  /** Both ways in which a coordinator removes objects: with their crawl, and those of a host that is forgotten. */
  const ways: Record<
    string,
    (by: ReturnType<typeof hostThat>, stored: typeof crawl & { job: object }) => Promise<unknown>
  > = {
    async delete(by, stored) {
      const objects = await by.objectsOf(stored);
      await objects?.check().finally(() => objects.close());
    },
    async forget(by, stored) {
      const folder = mkdtempSync(join(tmpdir(), 'crawl-host-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const manifest = { ...stored, name: stored.id, baseFolder: folder, userAgent: 'lab' };
      const frontier = { forget: () => Promise.resolve() };
      const parts = {
        folder,
        manifest,
        frontier,
        pattern: 'shop.example',
        dryRun: false,
        clock: systemClock(),
      };
      await by.erase(parts as unknown as ErasingParts);
    },
  };

  it.each(Object.keys(ways))('is out of the reach of a coordinator that is to %s', async (way) => {
    const { crawl: stored, connections } = await openStorage();
    await expect(ways[way]?.(host, stored)).rejects.toThrow('s3.allowPrivate');
    expect(connections()).toBe(0);
  });

  it.each(Object.keys(ways))('is asked to %s where the job allows it, or on the own machine', async (way) => {
    const allowed = await openStorage({ allowPrivate: true });
    await expect(ways[way]?.(host, allowed.crawl)).rejects.toThrow();
    expect(allowed.connections()).toBeGreaterThan(0);
    const own = await openStorage();
    await expect(ways[way]?.(hostThat(false), own.crawl)).rejects.toThrow();
    expect(own.connections()).toBeGreaterThan(0);
  });
});
