export { csvLine, exportCsv } from './export-csv.ts';
export { exportJsonl } from './export-jsonl.ts';
export { type ReportOptions, renderReport, writeReport } from './report/report.ts';
