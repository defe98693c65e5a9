import { defaultTeam } from '@webfarer/protocol/job';
import { type Catalog, type CatalogEntry, entryStates } from '../catalog/catalog.ts';
import type { RegistryDoc, RegistryKind } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';
import type { Documents } from './documents.ts';

/** Reads documents by id. Between two looks only what has changed is read. */
export type ReadList = () => Promise<Documents>;

const pageSize = 1_000;
/** Also of crawls that were over before anyone looked. */
const shownStates = entryStates.filter((state) => state !== 'deleted');

/** The crawls of a catalog: what lists show of them, not their jobs. */
export function catalogList(catalog: () => Catalog): ReadList {
  return followChanges({
    generation: async () => (await catalog().changes('')).generation,
    async all() {
      const all = new Map<string, unknown>();
      for (let after: string | undefined = ''; after !== undefined; ) {
        const query = { after, limit: pageSize, states: shownStates, tags: [] };
        const page: { entries: CatalogEntry[]; next: string | undefined } = await catalog().list(query);
        for (const entry of page.entries) all.set(entry.id, shown(entry));
        after = page.next;
      }
      return all;
    },
    async changed(since, documents) {
      const { generation, complete, changed } = await catalog().changes(since);
      if (!complete) return undefined;
      for (const entry of changed) {
        // Another crawl may have the id of one that was deleted.
        if (entry.wanted !== 'deleted') documents.set(entry.id, shown(entry));
        else if ((documents.get(entry.id) as { nonce?: string } | undefined)?.nonce === entry.nonce)
          documents.delete(entry.id);
      }
      return generation;
    },
  });
}

function shown({ id, name, nonce, version, createdAtMs, tags, wanted, job }: CatalogEntry): unknown {
  const { team = defaultTeam } = job as { team?: string };
  return { id, name, nonce, version, createdAtMs, tags, wanted, team };
}

/** The documents of one kind in a registry. */
export function registryList(watch: Pick<RegistryWatch, 'follow'>, kind: RegistryKind): ReadList {
  const shownDocs = new WeakMap<RegistryDoc, unknown>();
  let last = new Map<string, unknown>();
  function shownOf(doc: RegistryDoc): unknown {
    const { version, changedAtMs, value } = doc;
    const known = shownDocs.get(doc) ?? { version, changedAtMs, value };
    shownDocs.set(doc, known);
    return known;
  }
  // What has not changed is the same object at the next look: it need not be compared then.
  return async () => {
    const { docs } = await watch.follow(kind);
    const now = new Map<string, unknown>(Array.from(docs.values(), (doc) => [doc.id, shownOf(doc)]));
    const isSame = now.size === last.size && [...now].every(([id, value]) => last.get(id) === value);
    if (!isSame) last = now;
    return last;
  };
}

/** Of documents that belong to teams, those of one team. */
export function ofTeam(documents: Documents, team: string | undefined): Documents {
  if (team === undefined) return documents;
  const isSeen = (value: unknown) => ((value as { team?: string }).team ?? team) === team;
  return new Map([...documents].filter(([, value]) => isSeen(value)));
}

interface ListSource {
  generation(): Promise<string>;
  all(): Promise<Map<string, unknown>>;
  /** Brings documents up to date; answers the generation they then have. Undefined: it is no longer known what changed. */
  changed(since: string, documents: Map<string, unknown>): Promise<string | undefined>;
}

function followChanges(source: ListSource): ReadList {
  let known: { generation: string; documents: Map<string, unknown> } | undefined;
  return async () => {
    if (known) {
      const documents = new Map(known.documents);
      const generation = await source.changed(known.generation, documents);
      if (generation === known.generation) return known.documents;
      known = generation === undefined ? undefined : { generation, documents };
    }
    // Asked before the list: what changes while it is read is found by the next look.
    known ??= { generation: await source.generation(), documents: await source.all() };
    return known.documents;
  };
}
