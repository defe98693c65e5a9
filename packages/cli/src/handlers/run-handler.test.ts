import { describe, expect, it } from 'vitest';
import { drop, router, type Tools } from '@webfarer/worker';
import { pageFrom } from './page-from.ts';
import { runHandler } from './run-handler.ts';

interface Product {
  name: string;
}

const list = async () =>
  await pageFrom('<a href="/p/1">1</a><a href="/p/2#x">2</a><a href="/p/1">1</a>', 'https://shop.example/');
const product = async () => await pageFrom('<h1>Cup</h1>', 'https://shop.example/p/1', { label: 'product' });

const shop = router<Product>({
  product: async (page, { push }) => push({ name: (await page.$())('h1').text() }),
  default: (page, { follow }) => follow(page.links.matching('/p/*'), { label: 'product' }),
});

describe('a handler in a test', () => {
  it('answers what it pushed and followed, by the label of the page', async () => {
    const found = await runHandler(shop, await list());
    expect(found.items).toEqual([]);
    expect(found.followed).toEqual([
      { url: 'https://shop.example/p/1', kind: 'page', depth: 1, label: 'product' },
      { url: 'https://shop.example/p/2', kind: 'page', depth: 1, label: 'product' },
    ]);
    expect((await runHandler(shop, await product())).items).toEqual([{ name: 'Cup' }]);
  });

  it('drops by the rules of a job', async () => {
    const job = { seeds: ['https://shop.example/'], scope: { exclude: ['/p/2'] } };
    const { followed, dropped } = await runHandler(shop, await list(), { job });
    expect(followed.map(({ url }) => url)).toEqual(['https://shop.example/p/1']);
    expect(dropped).toEqual([
      { url: 'https://shop.example/p/2', code: 'excluded', rule: 'scope.exclude: /p/2' },
    ]);
  });

  it('throws what the handler threw, after one run', async () => {
    let runs = 0;
    const broken = () => {
      runs++;
      throw new TypeError('no price');
    };
    await expect(runHandler(broken, await product())).rejects.toThrow(TypeError);
    expect(runs).toBe(1);
  });

  it('fails on a label without a handler', async () => {
    const only = router({ product: () => undefined });
    await expect(runHandler(only, await list())).rejects.toThrow(
      'no handler for a page without a label: the router has product',
    );
  });
});

describe('hooks', () => {
  it('run in order: response, page, items', async () => {
    const order: string[] = [];
    const found = await runHandler(
      {
        onResponse: ({ url }) => void order.push(`response ${url}`),
        onPage(_page, { push }: Tools<Product>) {
          order.push('page');
          for (const name of ['cup', 'plate', 'jug']) push({ name });
        },
        onItem({ name }, page) {
          order.push(`${name} of ${page.label}`);
          if (name === 'plate') return drop('out of stock');
          return name === 'jug' ? { name: 'JUG' } : undefined;
        },
      },
      await product(),
    );
    expect(order).toEqual([
      'response https://shop.example/p/1',
      'page',
      ...['cup', 'plate', 'jug'].map((name) => `${name} of product`),
    ]);
    expect(found).toMatchObject({
      items: [{ name: 'cup' }, { name: 'JUG' }],
      droppedItems: { 'out of stock': 1 },
    });
  });
});
