import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type RedisNode, startRedis } from './servers.ts';

describe('servers for tests', () => {
  it('end with their folders, and only they', async () => {
    const servers = await startRedis({ replicasEach: 1 });
    const others = await startRedis();
    try {
      await servers.stop();
      for (const node of servers.nodes) {
        expect(existsSync(node.folder)).toBe(false);
        // A copy that it made of itself to write its log holds the port a moment longer.
        const answer = () => node.ask('PING').catch((error: Error) => error.message);
        await expect.poll(answer).toContain('cannot connect');
      }
      expect(await others.nodes[0]?.ask('PING')).toBe('PONG');
    } finally {
      await others.stop();
    }
  });

  it('have clocks that can be shifted while they run', async () => {
    const servers = await startRedis({ shiftableClocks: true });
    const server = servers.nodes[0] as RedisNode;
    const ahead = async (): Promise<number> => {
      const [seconds] = (await server.ask('TIME')) as [string];
      return Number(seconds) - Date.now() / 1_000;
    };
    try {
      expect(Math.abs(await ahead())).toBeLessThan(5);
      for (const seconds of [60, -3_600, 0]) {
        server.shiftClock(seconds);
        expect(Math.abs((await ahead()) - seconds)).toBeLessThan(5);
      }
    } finally {
      await servers.stop();
    }
  });
});
