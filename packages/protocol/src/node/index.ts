/** What needs Node: files that are replaced as a whole, and frames over a stream of bytes. */
export {
  createDurably,
  type DurableOptions,
  type FileContent,
  isTemporaryName,
  makeFolder,
  renameDurably,
  syncFolder,
  writeDurably,
} from './durable-file.ts';
export {
  type FrameStream,
  type FrameStreamEvents,
  type FrameStreamOptions,
  frameStream,
} from './frame-stream.ts';
