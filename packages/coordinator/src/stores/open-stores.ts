import type { Clock } from '@webfarer/protocol';
import type { Machine, ResourceMonitor } from '../resources/resource-monitor.ts';
import type { JoinedStore } from '../store/join-store.ts';
import { readFolderUse } from './folder-use.ts';
import { createStoreDocuments, type StoreDocuments } from './store-documents.ts';

export interface OpenStoresOptions {
  clock: Clock;
  /** This coordinator. */
  own: Machine;
  monitor: Pick<ResourceMonitor, 'history'>;
  /** The shared store, where there is one. */
  joined: JoinedStore | undefined;
  /** The data folder. */
  folder: string;
}

/** What the crawls of a coordinator are kept in. */
export function openStores({ clock, own, monitor, joined, folder }: OpenStoresOptions): StoreDocuments {
  return createStoreDocuments({
    clock,
    nodes: joined && (() => joined.watch.store.nodes()),
    folder: () => readFolderUse(folder),
    freeLately() {
      const { atMs, disks } = monitor.history(own, { resolution: '30s', sinceMs: 0 });
      return { atMs, freeBytes: disks[0] ?? [] };
    },
  });
}
