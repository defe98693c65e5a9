export { fileCheckpoint } from './dependency/checkpoint.ts';
export { cpuShare, parseCpuShare, type Rest } from './dependency/cpu-share.ts';
export { siteJobs } from './dependency/site-jobs.ts';
export {
  type DependencyStore,
  type MergedDependency,
  type MergedSource,
  type MergedTarget,
  openDependencies,
} from './dependency/store.ts';
export { type Level, levels } from './dependency/target-groups.ts';
export { updateDependencies, usualThreshold } from './dependency/update.ts';
export { csvLine, exportCsv } from './files/export-csv.ts';
export { exportJsonl } from './files/export-jsonl.ts';
export { type GrownGraph, noGraph, openGraph, saveGraph } from './hostgraph/graph-file.ts';
export { type GraphLevel, hostGraph, type LinkedPages, type NamedGraph } from './hostgraph/host-graph.ts';
export { type Centrality, centrality, type GraphMeasures, measureGraph } from './hostgraph/measures.ts';
export type { ChangedPage, Compared } from './report/compare.ts';
export { type ExplorerSummary, writeExplorer } from './report/explore/explorer.ts';
export { createHostGraphTally } from './report/survey/host-graph-tally.ts';
export { type BrokenLink, findBroken, listedRows } from './report/survey/broken-links.ts';
export { type ReportOptions, renderReport, writeReport } from './report/report.ts';
export { createCrawlTally } from './stats/crawl-tally.ts';
export { overlapTable } from './stats/overlap.ts';
export { writeStatFiles } from './stats/stat-files.ts';
export { type StatTable, statTables } from './stats/stat-tables.ts';
export { gatherStatistics } from './stats/statistics.ts';
export { type GraphText, writeGraphJson, writeGraphml } from './tables/graph-text.ts';
export { type TableSource, type WrittenTable, writeTables } from './tables/write-tables.ts';
