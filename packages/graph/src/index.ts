export { csvLine, exportCsv } from './export-csv.ts';
export { exportJsonl } from './export-jsonl.ts';
export { type ReportOptions, renderReport, writeReport } from './report/report.ts';
export { overlapTable } from './stats/overlap.ts';
export { writeStatFiles } from './stats/stat-files.ts';
export { type StatTable, statTables } from './stats/stat-tables.ts';
export { gatherStatistics } from './stats/statistics.ts';
