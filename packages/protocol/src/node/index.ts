/** What needs Node: files that are replaced as a whole, frames over a stream of bytes, a look at the machine, V8 itself. */
export { boundRegexps } from './bounded-regexps.ts';
export {
  createDurably,
  type DurableOptions,
  type FileContent,
  fileStream,
  isTemporaryName,
  makeFolder,
  renameDurably,
  syncFolder,
  writeDurably,
  writePiece,
  writeWhole,
} from './durable-file.ts';
export { moveFile, removeFolder } from './move-file.ts';
export {
  type FrameStream,
  type FrameStreamEvents,
  type FrameStreamOptions,
  frameStream,
} from './frame-stream.ts';
export { type ReportedProcess, reportProcess } from './report-process.ts';
export { openResourceProbe, type ResourceProbeOptions } from './probe/resource-probe.ts';
export { type LogInSettings, readLogInFile } from './log-in-file.ts';
export { readSiteOwnersFile } from './site-owners-file.ts';
export { readSettingsFile } from './settings-file.ts';
