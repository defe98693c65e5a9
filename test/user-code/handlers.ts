import type { Page, Tools } from 'webfarer';
import { goWrong, wayIn } from './ways.ts';

/** Which call goes wrong on pages whose address names a way. */
const call = process.env.LAB_CALL ?? '';

const wrongIn = (name: string, url: string, nonsense: unknown): unknown => {
  const way = wayIn(url);
  return name === call && way !== undefined ? goWrong(way, nonsense) : undefined;
};

export function onPage(page: Page, { push, follow }: Tools): unknown {
  const way = wayIn(page.url);
  if (way === undefined) return follow(page.links.matching('/**'));
  if (call === 'toJSON') push({ toJSON: () => goWrong(way, () => 1) });
  else if (call === 'getter')
    push({
      get value() {
        return goWrong(way, 1n);
      },
    });
  else if (call === 'data') follow('/good', { data: { toJSON: () => goWrong(way, 1n) } });
  else push({ url: page.url });
  return wrongIn('onPage', page.url, undefined);
}

export const onResponse = (page: Page): unknown => wrongIn('onResponse', page.url, 7);
export const onItem = (_: unknown, page: Page): unknown => wrongIn('onItem', page.url, undefined);

export const items = {
  '~standard': {
    version: 1,
    vendor: 'lab',
    validate: (item: unknown) => {
      const { url } = item as { url?: string };
      return wrongIn('items', url ?? '', 'neither a value nor issues') ?? { value: item };
    },
  },
};

// The hooks of a program; a job file names none of them.
export const onSkipped = (url: string): unknown => wrongIn('onSkipped', url, 7);
export const onFailed = (url: string): unknown => wrongIn('onFailed', url, 7);
export const normalise = (url: string): unknown => wrongIn('normalise', url, 7) ?? url;
export function onRequest(url: string, headers: Record<string, unknown>): unknown {
  if (call === 'onRequest' && wayIn(url) === 'nonsense') headers['X-Lab\n'] = { no: 'text' };
  return wrongIn('onRequest', url, undefined);
}
