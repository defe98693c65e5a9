import type { Registry, RegistryDoc, RegistryKind } from './registry.ts';

const PAGE = 500;

/** All documents of a kind, page by page. */
export async function* docsOf(
  registry: Pick<Registry, 'list'>,
  kind: RegistryKind,
): AsyncGenerator<RegistryDoc> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await registry.list(kind, { after, limit: PAGE });
    yield* page.docs;
    after = page.next;
  }
}
