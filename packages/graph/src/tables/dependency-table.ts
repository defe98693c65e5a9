import type { DependencyStore, MergedDependency } from '../dependency/store.ts';
import { type Level, levels } from '../dependency/target-groups.ts';
import type { Table } from './column.ts';

interface Dependency extends MergedDependency {
  level: Level;
}

/** What depends on what, at every level, as the merged database has it. */
export function dependencyTable(store: DependencyStore): Table<Dependency> {
  function* rows(): Generator<Dependency> {
    for (const level of levels) {
      const { rows: found } = store.dependencies({ level, limit: Number.MAX_SAFE_INTEGER });
      for (const row of found) yield { level, ...row };
    }
  }
  return {
    name: 'dependencies',
    columns: [
      { name: 'level', type: 'string', required: true, value: ({ level }) => level },
      { name: 'source', type: 'string', required: true, value: ({ source }) => source },
      { name: 'target', type: 'string', required: true, value: ({ target }) => target },
      { name: 'share', type: 'double', required: true, value: ({ share }) => share },
      { name: 'pages', type: 'int64', required: true, value: ({ pages }) => pages },
      { name: 'links', type: 'int64', required: true, value: ({ links }) => links },
      { name: 'reachable', type: 'double', required: true, value: ({ reachable }) => reachable },
    ],
    rows: rows(),
  };
}
