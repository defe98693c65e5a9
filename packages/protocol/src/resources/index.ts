/** What machines and processes use: a frame of it, and the history of many. */
export { type Forecast, forecastEmpty, isSeen } from './forecast.ts';
export {
  type DiskUse,
  type MachineLook,
  type QueueName,
  queueNames,
  resourceBounds,
  resourceFrame,
  type ResourceFrame,
  type ResourceProbe,
} from './resource-frame.ts';
export {
  createHistory,
  type HistoryAnswer,
  type HistoryOptions,
  type HistoryQuestion,
  type Resolution,
  resolutions,
  type ResourceHistory,
} from './resource-history.ts';
export { type SeriesName, resourceSeries, seriesNames } from './resource-series.ts';
