import type { CrawlId } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { createOnce, replacedTags, shownTags } from './create-once.ts';

/** A catalog that several coordinators share. `create` answers what stands, and takes a moment. */
function directory() {
  const entries: CatalogEntry[] = [];
  let created = 0;
  const crawls: Parameters<typeof createOnce>[0] = {
    list: ({ tags }) =>
      Promise.resolve({
        entries: entries.filter((entry) => tags.every((tag) => entry.tags.includes(tag))),
        next: undefined,
      }),
    async create({ input, tags }) {
      await Promise.resolve();
      const { name } = input as { name: string };
      const there = entries.find((entry) => entry.name === name);
      if (there) return there;
      created++;
      const entry: CatalogEntry = {
        id: `${name}-${created}` as CrawlId,
        name,
        nonce: String(created),
        version: 1,
        createdAtMs: 0,
        job: input,
        seeds: [],
        tags: [...tags],
        wanted: 'running',
        durability: 'strict',
        ownCode: false,
        edits: { earlier: 0, kept: [] },
      };
      entries.push(entry);
      return entry;
    },
  };
  return { crawls, entries, created: () => created };
}

const asked = (name: string, idempotencyKey?: string, team = 'a') => ({
  asked: { name },
  input: { name },
  tags: ['weekly'],
  idempotencyKey,
  principal: { id: 't', scope: 'operator' as const, team },
});

it('answers the same crawl to the same request with the same key, at any coordinator', async () => {
  const { crawls, created } = directory();
  const first = await createOnce(crawls)(asked('shop', 'k'));
  expect(await createOnce(crawls)(asked('shop', 'k'))).toEqual(first);
  expect(created()).toBe(1);
});

it('creates one crawl where requests come at the same moment', async () => {
  const { crawls, created } = directory();
  const [here, there] = [createOnce(crawls), createOnce(crawls)];
  const answers = await Promise.all([here, here, there, there].map((create) => create(asked('shop', 'k'))));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(created()).toBe(1);
});

it('refuses a key that was used for something else', async () => {
  const create = createOnce(directory().crawls);
  await create(asked('shop', 'k'));
  await expect(create(asked('other', 'k'))).rejects.toMatchObject({ code: 'conflict' });
  await expect(create({ ...asked('shop', 'k'), tags: [] })).rejects.toMatchObject({ code: 'conflict' });
  expect((await create(asked('theirs', 'k', 'b'))).name).toBe('theirs');
});

it('refuses a name that another request has, with another key or without one', async () => {
  const create = createOnce(directory().crawls);
  await create(asked('shop', 'k'));
  await expect(create(asked('shop', 'l'))).rejects.toThrow('there is a crawl named shop already');
  await expect(create(asked('shop'))).rejects.toMatchObject({ code: 'conflict' });
});

it('creates a crawl again once the first one is deleted', async () => {
  const { crawls, entries, created } = directory();
  const create = createOnce(crawls);
  await create(asked('shop', 'k'));
  entries.splice(0);
  await create(asked('shop', 'k'));
  expect(created()).toBe(2);
});

it('keeps where a crawl came from out of its tags, and through a change of them', async () => {
  const { tags } = await createOnce(directory().crawls)(asked('shop', 'k'));
  expect([tags.length, shownTags(tags)]).toEqual([3, ['weekly']]);
  const replaced = replacedTags(tags, ['daily']);
  expect([replaced.length, shownTags(replaced)]).toEqual([3, ['daily']]);
  expect(JSON.stringify(tags)).not.toContain('"k"');
});
