import { expect, test } from 'vitest';
import { sdk } from './mcp-server.ts';

test('without the SDK the error says how to install it, and other errors stay as they are', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(sdk(() => Promise.reject(missing))).rejects.toMatchObject({
    code: 'usage',
    message: 'webfarer mcp needs @modelcontextprotocol/sdk, which is not installed.',
    next: expect.stringContaining('npm install @modelcontextprotocol/sdk') as string,
  });
  await expect(sdk(() => Promise.reject(new Error('other')))).rejects.toThrow('other');
  expect(await sdk(() => Promise.resolve(7))).toBe(7);
});
